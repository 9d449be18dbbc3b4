/** The rows of a CSV file that a person names: whatever is wrong with the file is said as wrong use. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import { WrongUse } from './wrong-use.ts'

export interface CsvTable {
  /** The columns by their names, which stand in the first line. Throws WrongUse; also asked of an empty file. */
  columnsOf(names: readonly string[]): string[]
  /** Characters of one row. */
  readonly maxRow: number
  /** A line of another length is a row with an error, and not the end. */
  readonly takesOddLines?: true
}

export interface CsvRow {
  readonly record: Readonly<Record<string, string>>
  /** `error`: of this line; csv-parse has it, its types do not. */
  readonly info: Info & { readonly error?: CsvError }
}

/** Stands for bytes that are none: a name would be kept without its letters. */
const NO_TEXT = '\ufffd'

export async function* readCsv(path: string, table: CsvTable): AsyncGenerator<CsvRow> {
  let isNamed = false
  const columns = (names: string[]) => {
    isNamed = true
    return table.columnsOf(names)
  }
  const lines = { skip_empty_lines: true, relax_column_count: table.takesOddLines ?? false }
  const parser = parse({ bom: true, trim: true, info: true, ...lines, max_record_size: table.maxRow, columns })
  try {
    // A failure to read ends the parser too, which is waited for.
    for await (const row of pipeline(createReadStream(path), parser, () => {}) as AsyncIterable<CsvRow>) {
      if (Object.values(row.record).some((cell) => cell.includes(NO_TEXT)))
        throw new WrongUse(
          `${path} is not UTF-8 in or before line ${row.info.lines}: save it as UTF-8, nothing from there on was read`,
        )
      yield row
    }
  } catch (error) {
    if (error instanceof CsvError) throw new WrongUse(`${path} cannot be read as CSV: ${error.message}`)
    if (error instanceof Error && 'syscall' in error) throw new WrongUse(`${path} cannot be read: ${error.message}`)
    throw error
  }
  if (!isNamed) table.columnsOf([])
}
