/**
 * Transfers of all players that touched a balance, newest first. Kinds that are few have an index (migration 0190). The others have none, or each bet
 * would write into it: they are read stretch of time by stretch, found by the block ranges of `transfer_by_day`.
 */
import { compose } from '../db/conditions.ts'
import { type Db, SLICE_OF_MOVE, type Tx } from '../db/db.ts'
import type { TransferKind } from './posting.ts'
import { PREFIXED_COLUMNS, TRANSFER_COLUMNS, type Transfer, type TransferRow, toTransfer } from './transfer.ts'

export interface AskedTransfers {
  readonly kind: TransferKind | undefined
  readonly currency: string | undefined
  /** Of the player; '' for those of none, as the sums of a day have it. */
  readonly brand: string | undefined
  /** Inclusive; exclusive. */
  readonly from: Date
  readonly to: Date
  /** Older than this one. */
  readonly after: TransferPlace | undefined
  readonly limit: number
  /** Rows to look at, at most. */
  readonly most: number
}

export interface TransferPlace {
  readonly at: Date
  readonly player: string
  readonly currency: string
  readonly version: bigint
}

export interface FoundTransfers {
  /** One more than `limit` where there are more. */
  readonly transfers: readonly Transfer[]
  /** Where it stopped looking before it had them; undefined when nothing older is left. */
  readonly stoppedAt: TransferPlace | undefined
}

/** As the index says it. */
const FEW: readonly TransferKind[] = ['deposit', 'withdrawal', 'adjustment', 'opening', 'refund', 'payout_reversal']
const IS_FEW = `t.kind in (${FEW.map((kind) => `'${kind}'`).join(', ')})`
const NEWEST_FIRST = 'order by t.at desc, t.player desc, t.currency desc, t.version desc'
const ROWS = { columns: PREFIXED_COLUMNS, from: 'purser.transfer t' }
const WITH_BRAND = {
  columns: `${PREFIXED_COLUMNS}, coalesce(p.brand, '') as brand`,
  from: `${ROWS.from} left join purser.player p on p.bucket = t.bucket and p.player = t.player`,
}
const TOUCHES = "(t.debit = 'player' or t.credit = 'player')"

export function readTransfersByTime(db: Pick<Db, 'people' | 'sums'>, asked: AskedTransfers): Promise<FoundTransfers> {
  return asked.kind !== undefined && FEW.includes(asked.kind) ? readByKind(db, asked) : readByStretches(db, asked)
}

const olderThan = (after: TransferPlace | undefined) =>
  after &&
  ([
    '(t.at, t.player, t.currency, t.version) < (?::timestamptz, ?::text, ?::text, ?::bigint)',
    ...[after.at, after.player, after.currency, after.version],
  ] as const)

async function readByKind({ people }: Pick<Db, 'people'>, asked: AskedTransfers): Promise<FoundTransfers> {
  const { kind, currency, brand, from, to, limit, most } = asked
  const conditions = { after: olderThan(asked.after) }
  const named = [kind, from, to]
  const looked = (conditions: string) =>
    `select ${WITH_BRAND.columns} from ${WITH_BRAND.from}
     where ${IS_FEW} and t.kind = $1::text and t.at >= $2::timestamptz and t.at < $3::timestamptz and ${TOUCHES}${conditions}
     ${NEWEST_FIRST}`
  const page = compose(
    'transfers_by_kind',
    [...named, currency ?? null, brand ?? null, limit + 1, most],
    conditions,
    (more) =>
      `select ${TRANSFER_COLUMNS} from (${looked(more)} limit $7::int) t
       where ($4::text is null or t.currency = $4) and ($5::text is null or t.brand = $5) ${NEWEST_FIRST} limit $6::int`,
  )
  const transfers = (await people.query<TransferRow>(page.statement, page.values)).map(toTransfer)
  if (transfers.length > limit || (currency ?? brand) === undefined) return { transfers, stoppedAt: undefined }
  const end = compose(
    'transfers_by_kind_end',
    [...named, most - 1],
    conditions,
    (more) => `select ${TRANSFER_COLUMNS} from (${looked(more)} offset $4::int limit 1) t`,
  )
  const [last] = (await people.query<TransferRow>(end.statement, end.values)).map(toTransfer)
  return { transfers, stoppedAt: last }
}

/** The first stretch; each next one is longer while few transfers lie in it, and shorter when they are too many. */
const FIRST_MS = 60_000
const FACTOR = 4
/** Before all of its moment: where a stretch ends, and nothing of that moment is left. */
const EARLIER = { player: '', currency: '', version: 0n }

/** In one snapshot. */
function readByStretches(db: Pick<Db, 'sums'>, asked: AskedTransfers): Promise<FoundTransfers> {
  return db.sums(async (tx) => {
    await tx.query(SLICE_OF_MOVE)
    const transfers: Transfer[] = []
    let length = FIRST_MS
    let left = asked.most
    let end = Math.min(asked.to.getTime(), endOf(asked.after))
    while (end > asked.from.getTime()) {
      const begin = Math.max(asked.from.getTime(), end - length)
      const wanted = asked.limit + 1 - transfers.length
      const found = await readStretch(tx, asked, { begin, end, wanted })
      if (found === 'too many') {
        length = Math.max(1, Math.floor((end - begin) / FACTOR))
        continue
      }
      transfers.push(...found.transfers)
      end = begin
      left -= found.looked
      if (transfers.length > asked.limit) break
      if (left <= 0) return { transfers, stoppedAt: { ...EARLIER, at: new Date(end) } }
      if (found.looked * FACTOR < asked.most) length *= FACTOR
    }
    return { transfers, stoppedAt: undefined }
  })
}

/** Of what is older than this one, exclusive. A moment of which nothing is left would end each page again. */
function endOf(after: TransferPlace | undefined): number {
  if (after === undefined) return Number.POSITIVE_INFINITY
  return after.at.getTime() + (after.player === EARLIER.player ? 0 : 1)
}

interface Stretch {
  readonly begin: number
  readonly end: number
  readonly wanted: number
}

type StretchRow = (TransferRow | Record<keyof TransferRow, null>) & { looked: number }
type InStretch = { readonly transfers: readonly Transfer[]; readonly looked: number }

/** What lies in one millisecond is read whatever it is: a stretch cannot be shorter. */
async function readStretch(
  tx: Pick<Tx, 'query'>,
  asked: AskedTransfers,
  stretch: Stretch,
): Promise<InStretch | 'too many'> {
  const { kind, currency, brand, after } = asked
  const { begin, end, wanted } = stretch
  const most = end - begin > 1 ? asked.most : null
  const rows = brand === undefined ? ROWS : WITH_BRAND // else each row that is looked at would cost a look for its player
  const { statement, values } = compose(
    'transfers_of_stretch',
    [new Date(begin), new Date(end), most, wanted],
    {
      kind: kind && (['t.kind = ?::text', kind] as const),
      currency: currency === undefined ? undefined : (['t.currency = ?::text', currency] as const),
      brand: brand === undefined ? undefined : (['t.brand = ?::text', brand] as const),
      after: olderThan(after),
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
  const found = await tx.query<StretchRow>(statement, values)
  const looked = found[0]?.looked ?? 0
  if (most !== null && looked > most) return 'too many'
  return { looked, transfers: found.filter(isTransfer).map(({ looked: _, ...row }) => toTransfer(row)) }
}

const isTransfer = (row: StretchRow): row is TransferRow & { looked: number } => row.player !== null
