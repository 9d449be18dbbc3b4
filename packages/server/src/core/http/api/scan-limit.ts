/**
 * Scan limit for a page of a filtered list. Without it a page could read the whole table, if the
 * newest rows do not match.
 */

export const MAX_SCANNED_ROWS = 5_000

/** The end of a sentence in the API reference. */
export const SCAN_LIMIT_NOTE = `a page reads at most ${MAX_SCANNED_ROWS} rows. It can be shorter than \`limit\`, or empty, and still have a \`next\`.`
