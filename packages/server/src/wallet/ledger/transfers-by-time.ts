/**
 * Transfers of any player that changed a balance, newest first.
 *
 * Transfers of rare kinds are found by the index transfer_by_kind. For the other kinds such an
 * index would cost a write per bet. They are read in time slices, through the block ranges of the
 * index `transfer_by_day`.
 */

import { type Db, RELOCATION_CHUNK_SETTINGS, type Tx } from '../../core/database/db.ts'
import { buildQuery } from '../../core/database/query-builder.ts'
import type { TransferKind } from './posting.ts'
import { PREFIXED_COLUMNS, TRANSFER_COLUMNS, type Transfer, type TransferRow, toTransfer } from './transfer.ts'

export interface TransferQuery {
  readonly kind: TransferKind | undefined
  readonly currency: string | undefined
  /** Brand of the player; '' for players without a brand. */
  readonly brand: string | undefined
  /** Inclusive; `to` is exclusive. */
  readonly from: Date
  readonly to: Date
  /** Exclusive position of the newest row. */
  readonly after: TransferPosition | undefined
  readonly limit: number
  readonly maxScanned: number
}

export interface TransferPosition {
  readonly at: Date
  readonly player: string
  readonly currency: string
  readonly version: bigint
}

export interface TransferScan {
  /** Has `limit` + 1 rows if more follow. */
  readonly transfers: readonly Transfer[]
  /** Position where the scan ended early; undefined if no older row is left. */
  readonly stoppedAt: TransferPosition | undefined
}

/** Kinds of the index transfer_by_kind. */
const INDEXED_KINDS: readonly TransferKind[] = [
  'deposit',
  'withdrawal',
  'adjustment',
  'opening',
  'refund',
  'payout_reversal',
]
const HAS_INDEXED_KIND = `t.kind in (${INDEXED_KINDS.map((kind) => `'${kind}'`).join(', ')})`
const NEWEST_FIRST = 'order by t.at desc, t.player desc, t.currency desc, t.version desc'
const ROWS = { columns: PREFIXED_COLUMNS, from: 'purser.transfer t' }
const WITH_BRAND = {
  columns: `${PREFIXED_COLUMNS}, coalesce(p.brand, '') as brand`,
  from: `${ROWS.from} left join purser.player p on p.bucket = t.bucket and p.player = t.player`,
}
const TOUCHES = "(t.debit = 'player' or t.credit = 'player')"

export function readTransfersByTime(
  db: Pick<Db, 'userQueries' | 'reportSnapshot'>,
  query: TransferQuery,
): Promise<TransferScan> {
  return query.kind !== undefined && INDEXED_KINDS.includes(query.kind)
    ? readByKind(db, query)
    : readByTimeSlices(db, query)
}

const buildOlderThan = (after: TransferPosition | undefined) =>
  after &&
  ([
    '(t.at, t.player, t.currency, t.version) < (?::timestamptz, ?::text, ?::text, ?::bigint)',
    ...[after.at, after.player, after.currency, after.version],
  ] as const)

async function readByKind({ userQueries }: Pick<Db, 'userQueries'>, query: TransferQuery): Promise<TransferScan> {
  const { kind, currency, brand, from, to, limit, maxScanned } = query
  const conditions = { after: buildOlderThan(query.after) }
  const named = [kind, from, to]
  const scanned = (conditions: string) =>
    `select ${WITH_BRAND.columns} from ${WITH_BRAND.from}
     where ${HAS_INDEXED_KIND} and t.kind = $1::text and t.at >= $2::timestamptz and t.at < $3::timestamptz and ${TOUCHES}${conditions}
     ${NEWEST_FIRST}`
  const page = buildQuery(
    'transfers_by_kind',
    [...named, currency ?? null, brand ?? null, limit + 1, maxScanned],
    conditions,
    (more) =>
      `select ${TRANSFER_COLUMNS} from (${scanned(more)} limit $7::int) t
       where ($4::text is null or t.currency = $4) and ($5::text is null or t.brand = $5) ${NEWEST_FIRST} limit $6::int`,
  )
  const transfers = (await userQueries.query<TransferRow>(page.statement, page.values)).map(toTransfer)
  if (transfers.length > limit || (currency ?? brand) === undefined) return { transfers, stoppedAt: undefined }
  const end = buildQuery(
    'transfers_by_kind_end',
    [...named, maxScanned - 1],
    conditions,
    (more) => `select ${TRANSFER_COLUMNS} from (${scanned(more)} offset $4::int limit 1) t`,
  )
  const [last] = (await userQueries.query<TransferRow>(end.statement, end.values)).map(toTransfer)
  return { transfers, stoppedAt: last }
}

/** First slice. The next slice is longer while few rows are found, and shorter after too many. */
const FIRST_MS = 60_000
const FACTOR = 4
/** Sorts before all rows of its moment: a slice ends there, and no row of that moment is left. */
const BEFORE_ALL = { player: '', currency: '', version: 0n }

/** One snapshot. */
function readByTimeSlices(db: Pick<Db, 'reportSnapshot'>, query: TransferQuery): Promise<TransferScan> {
  return db.reportSnapshot(async (tx) => {
    await tx.query(RELOCATION_CHUNK_SETTINGS)
    const transfers: Transfer[] = []
    let length = FIRST_MS
    let left = query.maxScanned
    let end = Math.min(query.to.getTime(), sliceEnd(query.after))
    while (end > query.from.getTime()) {
      const begin = Math.max(query.from.getTime(), end - length)
      const remaining = query.limit + 1 - transfers.length
      const found = await readTimeSlice(tx, query, { begin, end, remaining })
      if (found === 'too many') {
        length = Math.max(1, Math.floor((end - begin) / FACTOR))
        continue
      }
      transfers.push(...found.transfers)
      end = begin
      left -= found.scanned
      if (transfers.length > query.limit) break
      if (left <= 0) return { transfers, stoppedAt: { ...BEFORE_ALL, at: new Date(end) } }
      if (found.scanned * FACTOR < query.maxScanned) length *= FACTOR
    }
    return { transfers, stoppedAt: undefined }
  })
}

/**
 * Exclusive end of the next slice. A moment without remaining rows is excluded, or it would end
 * each page again.
 */
function sliceEnd(after: TransferPosition | undefined): number {
  if (after === undefined) return Number.POSITIVE_INFINITY
  return after.at.getTime() + (after.player === BEFORE_ALL.player ? 0 : 1)
}

interface TimeSlice {
  readonly begin: number
  readonly end: number
  readonly remaining: number
}

type TimeSliceRow = (TransferRow | Record<keyof TransferRow, null>) & { looked: number }
type TimeSliceResult = { readonly transfers: readonly Transfer[]; readonly scanned: number }

/** A slice of one millisecond has no row limit, because it cannot be divided. */
async function readTimeSlice(
  tx: Pick<Tx, 'query'>,
  query: TransferQuery,
  slice: TimeSlice,
): Promise<TimeSliceResult | 'too many'> {
  const { kind, currency, brand, after } = query
  const { begin, end, remaining } = slice
  const maxScanned = end - begin > 1 ? query.maxScanned : null
  // the join with players is costly and needed only for a brand
  const rows = brand === undefined ? ROWS : WITH_BRAND
  const { statement, values } = buildQuery(
    'transfers_of_stretch',
    [new Date(begin), new Date(end), maxScanned, remaining],
    {
      kind: kind && (['t.kind = ?::text', kind] as const),
      currency: currency === undefined ? undefined : (['t.currency = ?::text', currency] as const),
      brand: brand === undefined ? undefined : (['t.brand = ?::text', brand] as const),
      after: buildOlderThan(after),
    },
    (conditions) =>
      `with looked as materialized (
         select ${rows.columns} from ${rows.from}
         where t.at >= $1::timestamptz and t.at < $2::timestamptz and ${TOUCHES} limit $3::int + 1
       )
       select n.looked, ${PREFIXED_COLUMNS} from (select count(*)::int as looked from looked) n
       left join (
         select * from looked t where true${conditions} ${NEWEST_FIRST} limit $4::int
       ) t on $3::int is null or n.looked <= $3::int
       ${NEWEST_FIRST}`,
  )
  const found = await tx.query<TimeSliceRow>(statement, values)
  const scanned = found[0]?.looked ?? 0
  if (maxScanned !== null && scanned > maxScanned) return 'too many'
  return { scanned, transfers: found.filter(isTransfer).map(({ looked: _, ...row }) => toTransfer(row)) }
}

const isTransfer = (row: TimeSliceRow): row is TransferRow & { looked: number } => row.player !== null
