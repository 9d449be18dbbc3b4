/** Cells of a table for spreadsheets (RFC 4180): texts come from elsewhere, and a spreadsheet runs what it takes for a formula. */

import { printable } from './printable-text.ts'

/** What a spreadsheet would take for a formula is a text for it with an apostrophe in front. */
const FORMULA_START = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/

/** A text that may have been anybody's. */
export function formatTextCell(value: string | number | null | undefined): string {
  const text = printable(String(value ?? ''))
  const harmless = FORMULA_START.test(text) ? `'${text}` : text
  return /[",;']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/**
 * Of cells that need nothing more: texts through `formatTextCell`, amounts and times as they are.
 */
export function formatCsvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.join(',')}\r\n`
}
