/**
 * Scan limit of a filtered list: without it one page could read all rows, because the newest may
 * all be filtered out.
 */

export const MAX_SCANNED_ROWS = 5_000

/** The end of a sentence in the API reference. */
export const SCAN_LIMIT_NOTE = `a page reads at most ${MAX_SCANNED_ROWS} rows. It can be shorter than \`limit\`, or empty, and still have a \`next\`.`
