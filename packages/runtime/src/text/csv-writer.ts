/**
 * Formats CSV cells for spreadsheets (RFC 4180). A text from an attacker gets an apostrophe if a
 * spreadsheet would run it as a formula.
 */

import { printable } from './printable-text.ts'

/** A text with such a start gets an apostrophe, so that it is no formula. */
const FORMULA_START = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/

/** For text from an unknown source. */
export function formatTextCell(value: string | number | null | undefined): string {
  const text = printable(String(value ?? ''))
  const harmless = FORMULA_START.test(text) ? `'${text}` : text
  return /[",;']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

/** Cells are written unchanged. Texts must come from `formatTextCell`. */
export function formatCsvLine(cells: readonly (string | number | boolean)[]): string {
  return `${cells.join(',')}\r\n`
}
