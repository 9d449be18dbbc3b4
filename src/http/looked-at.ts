/** How far a page of a list looks when only some of its rows are wanted: the newest may all be others. */

/** Rows that a page looks at, at most. */
export const MAX_LOOKED_AT = 5_000

/** What the reader of a list is told: the end of a sentence. */
export const LOOKS_AT = `a page looks at ${MAX_LOOKED_AT} at most: it can be shorter than wanted, even empty, and yet have a \`next\`.`
