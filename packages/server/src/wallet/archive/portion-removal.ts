/**
 * Removal of a portion from the database after its file is durable.
 *
 * One transaction writes the carried balance, adds the removed amounts to the sums of bets and
 * days, and deletes the transfers. It holds the player's lock, like every change of the player's
 * money or bets. It compares the rows with the portion again, so a row that the file lacks is never
 * deleted.
 */
import { type Db, STATEMENT_TIMEOUT_SECONDS, statement, type Tx } from '../../core/database/db.ts'
import { mapRows, mapSingleRow } from '../../core/database/row-mapping.ts'
import type { TransferSum } from '../ledger/daily-sums.ts'
import type { TransferLine } from './archive-lines.ts'
import { type ArchivePortion, readPortion } from './archive-portion.ts'

const LOCK_PLAYER = statement(
  'archive_lock_player',
  'select player from purser.player where bucket = $1::int and player = $2::text for update',
)
interface CarriedBalance extends Pick<ArchivePortion, 'bucket' | 'player' | 'currency'> {
  readonly to: ArchivePortion['head']['to']
  readonly file: string
  /** Place in the file. */
  readonly place: number
}

const CARRIED_BALANCE_COLUMNS = mapSingleRow<CarriedBalance>(1, {
  bucket: ['int', ({ bucket }) => bucket],
  player: ['text', ({ player }) => player],
  currency: ['text', ({ currency }) => currency],
  version: ['bigint', ({ to }) => to.version],
  balance: ['bigint', ({ to }) => to.balance],
  at: ['timestamptz', ({ to }) => to.at],
  file: ['text', ({ file }) => file],
  place: ['int', ({ place }) => place],
})
const INSERT_CARRIED_BALANCE = statement(
  'archive_carry_on',
  `insert into purser.carried_balance (${CARRIED_BALANCE_COLUMNS.columns}) values (${CARRIED_BALANCE_COLUMNS.parameters})`,
)

interface BetSum {
  readonly betId: string
  toPlayer: bigint
  toPromotions: bigint
  toOpenStakes: bigint
}

const BET_SUMS = mapRows<BetSum>(3, {
  bet_id: ['text', (bet) => bet.betId],
  to_player: ['bigint', (bet) => bet.toPlayer],
  to_promotions: ['bigint', (bet) => bet.toPromotions],
  to_open_stakes: ['bigint', (bet) => bet.toOpenStakes],
})
const ADD_BET_SUMS = statement(
  'archive_note_bets',
  `update purser.bet b set archived_to_player = coalesce(b.archived_to_player, 0) + r.to_player,
     archived_to_promotions = nullif(coalesce(b.archived_to_promotions, 0) + r.to_promotions, 0),
     archived_to_open_stakes = nullif(coalesce(b.archived_to_open_stakes, 0) + r.to_open_stakes, 0)
   from ${BET_SUMS.from} r where b.bucket = $1::int and b.bet_id = r.bet_id and b.player = $2::text`,
)

export interface DaySum extends TransferSum {
  /** YYYY-MM-DD. */
  readonly day: string
}

const DAY_SUMS = mapRows<DaySum>(1, {
  day: ['date', (sum) => sum.day],
  currency: ['text', (sum) => sum.currency],
  brand: ['text', (sum) => sum.brand],
  kind: ['text', (sum) => sum.kind],
  debit: ['text', (sum) => sum.debit],
  credit: ['text', (sum) => sum.credit],
  platform: ['text', (sum) => sum.platform],
  site: ['text', (sum) => sum.site],
  transfers: ['bigint', (sum) => sum.transfers],
  amount: ['numeric', (sum) => sum.amount],
})
const ADD_DAY_SUMS = statement(
  'archive_add_sums',
  `insert into purser.archived_sum as s (${DAY_SUMS.columns}) select ${DAY_SUMS.columns} from ${DAY_SUMS.from} r
   on conflict (day, currency, brand, kind, debit, credit, platform, site) do update
   set transfers = s.transfers + excluded.transfers, amount = s.amount + excluded.amount`,
)
const DELETE_TRANSFERS = statement(
  'archive_drop_transfers',
  `delete from purser.transfer where bucket = $1::int and player = $2::text and currency = $3::text
     and version > $4::bigint and version <= $5::bigint`,
)
const DELETE_DETAILS = statement(
  'archive_drop_details',
  `delete from purser.bet_details d using (select * from unnest($3::text[], $4::timestamptz[]) as k (bet_id, at)) k
   where d.bucket = $1::int and d.first_seen_at = k.at and d.bet_id = k.bet_id and d.player = $2::text`,
)

/**
 * `place` is the place in the file. False, without any change, if the account differs from the
 * written portion.
 */
export function removePortion(
  db: Pick<Db, 'longTransaction'>,
  written: ArchivePortion,
  file: string,
  place: number,
  before: Date,
): Promise<boolean> {
  return db.longTransaction(async (tx) => {
    await tx.query(STATEMENT_TIMEOUT_SECONDS)
    await tx.query(LOCK_PLAYER, [written.bucket, written.player])
    const most = { transfers: written.transfers.length, bytes: Number.POSITIVE_INFINITY }
    const { portion } = await readPortion(tx, written, before, most)
    if (portion?.text !== written.text) return false
    await carryForward(tx, portion, file, place)
    return true
  })
}

async function carryForward(tx: Tx, portion: ArchivePortion, file: string, place: number): Promise<void> {
  const { bucket, player, currency, head, transfers, described } = portion
  const { from, to } = head
  const bets = sumTransfersByBet(transfers)
  const days = sortByKey(sumTransfersByDay(head.currency, head.brand, transfers))
  const of = [bucket, player]
  await tx.execute(
    INSERT_CARRIED_BALANCE,
    CARRIED_BALANCE_COLUMNS.values({ bucket, player, currency, to, file, place }),
  )
  requireCount(await tx.execute(ADD_BET_SUMS, [...of, ...BET_SUMS.values(bets)]), bets.length, 'bets')
  requireCount(await tx.execute(ADD_DAY_SUMS, DAY_SUMS.values(days)), days.length, 'sums')
  const gone = await tx.execute(DELETE_TRANSFERS, [...of, currency, from.version, to.version])
  requireCount(gone, transfers.length, 'transfers')
  const keys = [described.map(({ betId }) => betId), described.map(({ at }) => at)]
  requireCount(await tx.execute(DELETE_DETAILS, [...of, ...keys]), described.length, 'details')
}

/** A different number of rows throws, which rolls back the transaction. */
function requireCount(found: number, expected: number, unit: string): void {
  if (found !== expected) throw new Error(`the database has ${found} ${unit}, the file has ${expected}`)
}

function sumTransfersByBet(transfers: readonly TransferLine[]): BetSum[] {
  const sums = new Map<string, BetSum>()
  for (const { bet, debit, credit, amount } of transfers) {
    if (bet === undefined) continue
    const sum = sums.get(bet) ?? { betId: bet, toPlayer: 0n, toPromotions: 0n, toOpenStakes: 0n }
    const to = (name: string) => (credit === name ? BigInt(amount) : debit === name ? -BigInt(amount) : 0n)
    sum.toPlayer += to('player')
    sum.toPromotions += to('promotions')
    sum.toOpenStakes += to('open_stakes')
    sums.set(bet, sum)
  }
  return [...sums.values()]
}

/** Several runs write these rows; one order prevents deadlocks. */
function sortByKey(sums: ReadonlyMap<string, DaySum>): DaySum[] {
  const keys = [...sums.keys()].sort()
  return keys.flatMap((key) => sums.get(key) ?? [])
}

/** Sums by key, so the sums of several accounts can be added. */
export function sumTransfersByDay(
  currency: string,
  brand: string,
  transfers: readonly TransferLine[],
  sums = new Map<string, DaySum>(),
): Map<string, DaySum> {
  for (const { at, kind, debit, credit, platform = '', site = '', amount } of transfers) {
    const of = { day: at.slice(0, 10), currency, brand, kind, debit, credit, platform, site }
    const key = JSON.stringify(Object.values(of))
    const sum = sums.get(key) ?? { transfers: 0n, amount: 0n }
    sums.set(key, { ...of, transfers: sum.transfers + 1n, amount: sum.amount + BigInt(amount) })
  }
  return sums
}
