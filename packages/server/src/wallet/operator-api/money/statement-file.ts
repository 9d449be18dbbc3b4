/**
 * A player's statement as a file. It is streamed page by page, so memory does not grow with the
 * number of transfers.
 */
import { Readable } from 'node:stream'
import { formatCsvLine, formatTextCell } from '@purser/runtime/text/csv-writer'
import type { Static } from 'typebox'
import { MAX_LIMIT } from '../../../core/http/api/pagination.ts'
import { CSV, type NDJSON } from '../../../core/http/api/route-description.ts'
import type { OperatorDeps } from '../operator-context.ts'
import { type ArchivedRange, describeFiles } from './archived-ranges.ts'
import { getStatement, type StatementQuerySchema, type TransferSchema } from './statement.ts'

type StatementLine = Static<typeof TransferSchema>

const MONEY = ['amount', 'balance'] as const
const TEXTS = ['transactionId', 'requestId', 'reference', 'reason', 'person', 'ticket', 'approvedBy'] as const
/** New columns are appended, because readers may count columns. */
const HEAD = ['at', 'transferId', 'kind', 'currency', ...MONEY, ...TEXTS, 'despiteExclusion']

/**
 * Streams all requested transfers; `limit` is ignored. A line of kind `archived` follows for each
 * account with transfers in archive files (O-13), with the balance after them. The first page is
 * read before the answer starts, so its errors still have a status.
 */
export async function streamStatement(
  deps: OperatorDeps,
  userId: string,
  query: Static<typeof StatementQuerySchema>,
  type: typeof CSV | typeof NDJSON,
): Promise<Readable> {
  const pageAfter = (after: string | undefined) =>
    getStatement(deps, userId, { ...query, limit: String(MAX_LIMIT), ...(after !== undefined && { after }) })
  const first = await pageAfter(query.after)
  async function* texts() {
    if (type === CSV) yield formatCsvLine(HEAD)
    for (let page = first; ; page = await pageAfter(page.next)) {
      yield page.data.map(type === CSV ? toCsvLine : (row) => `${JSON.stringify(row)}\n`).join('')
      yield (page.archived ?? []).map(type === CSV ? toArchivedCsvLine : toArchivedJsonLine).join('')
      if (page.next === null) return
    }
  }
  return Readable.from(texts())
}

function toCsvLine(row: StatementLine): string {
  const { at, transferId, kind, currency, despiteExclusion = '' } = row
  const texts = TEXTS.map((name) => formatTextCell(row[name]))
  const amounts = MONEY.map((name) => row[name])
  return formatCsvLine([at, formatTextCell(transferId), kind, currency, ...amounts, ...texts, despiteExclusion])
}

const toArchivedJsonLine = (archived: ArchivedRange) => `${JSON.stringify({ kind: 'archived', ...archived })}\n`

/** The amount is empty, because the movements are in the archive files. */
function toArchivedCsvLine(archived: ArchivedRange): string {
  const { at, transferId, currency, balance } = archived
  const reason = `all transfers up to this one are archived; the requested ones are in ${describeFiles(archived)}`
  const texts = TEXTS.map((name) => (name === 'reason' ? formatTextCell(reason) : ''))
  return formatCsvLine([at, formatTextCell(transferId), 'archived', currency, '', balance, ...texts, ''])
}
