/** How far a page of a list looks when only some of its rows are wanted: the newest may all be others. */

/** Rows that a page looks at, at most. */
export const MAX_SCANNED_ROWS = 5_000

/** What the reader of a list is told: the end of a sentence. */
export const SCAN_LIMIT_NOTE = `a page reads at most ${MAX_SCANNED_ROWS} rows. It can be shorter than \`limit\`, or empty, and still have a \`next\`.`
