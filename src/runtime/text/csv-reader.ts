/** The rows of a CSV file that a person names. A fault of the whole file is thrown as wrong use. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { CsvError, type Info, type InfoField, parse } from 'csv-parse'
import { UsageError } from '../errors/cli-errors.ts'
import { fileErrorText } from '../errors/file-error.ts'
import { CSV_OPTIONS, columnNames, detectEncoding, hasOuterWhitespace, isScientificNotation } from './csv-rules.ts'

export interface CsvTable {
  /**
   * The columns by their names, which stand in the first line. Throws UsageError; also asked of an
   * empty file.
   */
  columnsOf(names: readonly string[]): string[]
  /** Columns of ids. */
  readonly ids: readonly string[]
  /** Characters of one row. */
  readonly maxRow: number
  /** A line of another length is a row with a fault, and not the end. */
  readonly takesOddLines?: true
  /** Cells of a column without a name are passed over; else they are a fault of their line. */
  readonly takesUnnamed?: true
}

export interface CsvRow {
  readonly record: Readonly<Record<string, string>>
  readonly line: number
  /** Why this line cannot be taken. */
  readonly fault?: string
}

/** As csv-parse reads it; the types of `info` lack `error`. */
interface ParsedRow {
  readonly record: Readonly<Record<string, string | UntrimmedCell>>
  readonly info: Info & { readonly error?: CsvError }
}

/** An id with white space at an end and without quotation marks. */
class UntrimmedCell {}

/** Stands for bytes that are none: a name would be kept without its letters. */
const REPLACEMENT_CHARACTER = '\ufffd'
/** Warnings of one file. */
const MAX_WARNINGS = 10

export async function* readCsv(path: string, table: CsvTable): AsyncGenerator<CsvRow> {
  let isNamed = false
  const columns = (cells: string[]) => {
    isNamed = true
    return matchColumns(path, table, cells)
  }
  const lines = { relax_column_count: table.takesOddLines ?? false, max_record_size: table.maxRow }
  const parser = parse({ ...CSV_OPTIONS, ...lines, info: true, columns, cast: createCellMarker(table) })
  const warn = createShorteningWarning(path, table)
  try {
    // A failure to read ends the parser too, which is waited for.
    for await (const row of pipeline(
      createReadStream(path),
      decodeToUtf8,
      parser,
      () => {},
    ) as AsyncIterable<ParsedRow>) {
      requireText(path, row)
      warn(row)
      yield toRow(table, row)
    }
  } catch (error) {
    if (error instanceof CsvError) throw new UsageError(`${path} cannot be read as CSV: ${error.message}`)
    if (error instanceof Error && 'syscall' in error)
      throw new UsageError(`${path} cannot be read: ${fileErrorText(error)}`)
    throw error
  }
  if (!isNamed) table.columnsOf([])
}

/** A file in UTF-16 becomes UTF-8; a lone surrogate becomes U+FFFD, which no row may have. */
async function* decodeToUtf8(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0)
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const bytes of source) {
    const isBegun = head.length >= 2
    const chunk = isBegun ? bytes : Buffer.concat([head, bytes])
    if (!isBegun) {
      head = chunk
      if (head.length < 2) continue
      const encoding = detectEncoding(head)
      decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding)
    }
    yield decoder === undefined ? chunk : Buffer.from(decoder.decode(chunk, { stream: true }))
  }
  yield head.length < 2 ? head : Buffer.from(decoder?.decode() ?? '')
}

function matchColumns(path: string, table: CsvTable, cells: readonly string[]) {
  const names = columnNames(path, cells)
  const known = table.columnsOf(names.filter((name) => name !== '')).values()
  return names.map((name, i) => (name !== '' ? known.next().value : table.takesUnnamed ? false : unnamedColumn(i)))
}

const UNNAMED_COLUMN = 'column '
const unnamedColumn = (at: number) => `${UNNAMED_COLUMN}${at + 1}`

function createCellMarker({ ids }: CsvTable) {
  return (cell: string, { column, header, quoting }: InfoField) =>
    !header && !quoting && ids.includes(String(column)) && hasOuterWhitespace(cell) ? new UntrimmedCell() : cell
}

function requireText(path: string, { record, info }: ParsedRow): void {
  if (Object.values(record).some((cell) => typeof cell === 'string' && cell.includes(REPLACEMENT_CHARACTER)))
    throw new UsageError(
      `${path} is not UTF-8 in or before line ${info.lines}: save it as UTF-8, nothing from there on was read`,
    )
}

function createShorteningWarning(path: string, { ids }: CsvTable) {
  let count = 0
  return ({ record, info }: ParsedRow) => {
    for (const name of ids) {
      const id = record[name]
      if (typeof id !== 'string' || !isScientificNotation(id) || count++ >= MAX_WARNINGS) continue
      const more = count === MAX_WARNINGS ? '; more such ids are not named' : ''
      process.stderr.write(
        `${path}:${info.lines}: warning: ${name}: a spreadsheet has shortened ${id}: format the column as text, and export it again${more}\n`,
      )
    }
  }
}

function toRow({ ids }: CsvTable, { record, info }: ParsedRow): CsvRow {
  const cells: Record<string, string> = {}
  let fault = info.error === undefined ? undefined : 'has not as many cells as the first line'
  for (const [name, cell] of Object.entries(record)) {
    if (typeof cell !== 'string') {
      fault ??= `${name}: has white space at an end: take it away, or put the id in quotation marks`
    } else if (name.startsWith(UNNAMED_COLUMN)) {
      if (cell !== '') fault ??= `${name}: has no name in the first line`
    } else {
      cells[name] = cell
      if (cell !== '' && cell.trim() === '' && ids.includes(name)) fault ??= `${name}: is nothing but white space`
    }
  }
  return { record: cells, line: info.lines, ...(fault !== undefined && { fault }) }
}
