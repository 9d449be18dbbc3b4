/** Reads the rows of a CSV file. A file that cannot be read to its end is a UsageError. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { CsvError, type Info, type InfoField, parse } from 'csv-parse'
import { UsageError } from '../errors/cli-errors.ts'
import { fileErrorText } from '../errors/file-error.ts'
import { CSV_OPTIONS, columnNames, detectEncoding, hasOuterWhitespace, isScientificNotation } from './csv-rules.ts'

export interface CsvTable {
  /** Columns for the names in the first line; also called for an empty file. Throws UsageError. */
  columnsOf(names: readonly string[]): string[]
  /** Names of the columns with ids. */
  readonly ids: readonly string[]
  /** Limit of characters per row. */
  readonly maxRow: number
  /** A line with another number of cells is a row with a fault, and does not end the reading. */
  readonly acceptsUnevenLines?: true
  /** Cells without a column name are ignored. Otherwise they are a fault of their line. */
  readonly ignoresUnnamedCells?: true
}

export interface CsvRow {
  readonly record: Readonly<Record<string, string>>
  readonly line: number
  /** The reason to reject this line. */
  readonly fault?: string
}

/** As csv-parse returns it; the library's type lacks `error`. */
interface ParsedRow {
  readonly record: Readonly<Record<string, string | UntrimmedCell>>
  readonly info: Info & { readonly error?: CsvError }
}

/** An unquoted id with white space at an end. */
class UntrimmedCell {}

/** The decoder writes this character for invalid bytes, so a name would lose letters. */
const REPLACEMENT_CHARACTER = '\ufffd'
/** Limit per file. */
const MAX_WARNINGS = 10

export async function* readCsv(path: string, table: CsvTable): AsyncGenerator<CsvRow> {
  let isNamed = false
  const columns = (cells: string[]) => {
    isNamed = true
    return matchColumns(path, table, cells)
  }
  const lines = { relax_column_count: table.acceptsUnevenLines ?? false, max_record_size: table.maxRow }
  const parser = parse({ ...CSV_OPTIONS, ...lines, info: true, columns, cast: createCellMarker(table) })
  const warn = createShorteningWarning(path, table)
  try {
    // Errors of the file also end the parser, whose iteration reports them.
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

/** Converts UTF-16 to UTF-8. A lone surrogate becomes U+FFFD, which no row may contain. */
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
  return names.map((name, i) =>
    name !== '' ? known.next().value : table.ignoresUnnamedCells ? false : unnamedColumn(i),
  )
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
