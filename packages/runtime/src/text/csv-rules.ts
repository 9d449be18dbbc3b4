/**
 * Rules for CSV files in commands and in the console.
 *
 * Such files come from spreadsheets, which add empty rows and columns, write TRUE, and shorten long
 * numbers. Added parts are ignored; a cell is kept as it was written (I-7).
 */
import { UsageError } from '../errors/cli-errors.ts'

export const CSV_OPTIONS = { bom: true, skip_empty_lines: true, skip_records_with_empty_values: true } as const

/** Encoding by the byte order mark. */
export function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16be' | 'utf-16le' {
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8'
}

/** Names in the first line, empty for a column without one. Throws UsageError. */
export function columnNames(path: string, cells: readonly string[]): string[] {
  const [first = ''] = cells
  if (/^sep=/i.test(first))
    throw new UsageError(
      `${path}: commas separate the cells, and "sep=" is no column: take its line away, and save the file with commas`,
    )
  if (cells.length === 1 && /[;\t|]/.test(first))
    throw new UsageError(`${path}: commas separate the cells, not semicolons or tabs: save the file with commas`)
  return cells.map((name) => name.trim())
}

/** A spreadsheet writes TRUE and FALSE; undefined for any other text. */
export function parseSpreadsheetBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower === 'true' : undefined
}

/** White space at an end of an id is intended only in quotation marks. */
export const hasOuterWhitespace = (cell: string) => /^\s+\S|\S\s+$/.test(cell)

/** A spreadsheet turns 402771000123 into 4.02771E+11 in a cell that is not text. */
export const isScientificNotation = (id: string) => /^\d+([.,]\d+)?E\+\d+$/i.test(id)
