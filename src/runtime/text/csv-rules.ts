/**
 * Rules for every CSV file that a person names, in the commands and in the console.
 *
 * Such files come from spreadsheets, which add empty rows and columns, write TRUE, and shorten long
 * numbers. What a spreadsheet adds is passed over; a cell is kept as it was written (I-7).
 */
import { UsageError } from '../errors/cli-errors.ts'

/** Options of csv-parse. */
export const CSV_OPTIONS = { bom: true, skip_empty_lines: true, skip_records_with_empty_values: true } as const

/** The encoding that a byte order mark names. */
export function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16be' | 'utf-16le' {
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8'
}

/** The names in the first line; a column without one has an empty name. Throws UsageError. */
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

/** A spreadsheet writes TRUE and FALSE; undefined for every other text. */
export function parseSpreadsheetBoolean(text: string): boolean | undefined {
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower === 'true' : undefined
}

/** White space at the ends of an id is meant where quotation marks are around it. */
export const hasOuterWhitespace = (cell: string) => /^\s+\S|\S\s+$/.test(cell)

/** 402771000123 becomes 4.02771E+11 in a cell of a spreadsheet that is no text. */
export const isScientificNotation = (id: string) => /^\d+([.,]\d+)?E\+\d+$/i.test(id)
