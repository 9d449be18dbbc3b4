/**
 * Portion of an account: the transfers that the next archive file takes from it. The portion begins
 * after the carried balance, which replaces archived transfers. It ends before the first transfer
 * that must stay.
 *
 * A transfer must stay if it is too recent, or if its bet is open or has ended too recently. The
 * details of the bets whose stakes are in the portion move to the file too.
 *
 * Invariant: the archived transfers are the account's oldest, without gaps. Bets and calls stay in
 * the database, because the rules need them for later calls (O-13).
 */

import { type Money, money, ZERO } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Row, statement, type Tx } from '../../core/database/db.ts'
import { effectOnPlayer } from '../ledger/posting.ts'
import { anonymizeBetDetails } from '../store/bet-store.ts'
import { type AccountLine, type BetLine, formatArchiveLine, type TransferLine } from './archive-lines.ts'

/**
 * Limits of a portion. The player's calls wait while a portion is removed, so large accounts have
 * several portions.
 */
export interface PortionSize {
  readonly transfers: number
  /** Bytes of bet details; a single larger one is a portion of its own. */
  readonly bytes: number
}

export const MAX_PORTION: PortionSize = { transfers: 1_000, bytes: 4_000_000 }

export interface AccountKey {
  readonly bucket: number
  readonly player: PlayerId
  readonly currency: Currency
}

export interface ArchivePortion extends AccountKey {
  readonly head: AccountLine
  readonly transfers: readonly TransferLine[]
  readonly bets: readonly BetLine[]
  readonly text: string
  /** Keys of the details of the staked bets. */
  readonly described: readonly { readonly betId: string; readonly at: string }[]
}

interface TransferRow extends Row {
  version: bigint
  kind: TransferLine['kind']
  debit: TransferLine['debit']
  credit: TransferLine['credit']
  amount: Money
  balance_after: Money
  bet_id: string | null
  request_id: string | null
  reference: string | null
  platform: string
  site: string
  at: string
}

interface BetRow extends Row {
  bet_id: string
  status: string
  first_seen_at: string
  last_at: string
  /** Size of the details; null without details. */
  bytes: number | null
}

/** Sortable text of a time, with the microseconds of Postgres. */
const formatTimestampSql = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Formats a time as `formatTimestampSql` does in SQL. */
export function formatMicrosecondTime(at: Date): string {
  return at.toISOString().replace('Z', '000Z')
}

const READ_CARRIED_BALANCE = statement(
  'archive_carried',
  `select version, balance from purser.carried_balance
   where bucket = $1::int and player = $2::text and currency = $3::text order by version desc limit 1`,
)
const READ_BRAND = statement(
  'archive_brand',
  `select coalesce(brand, '') as brand from purser.player where bucket = $1::int and player = $2::text`,
)
const READ_TRANSFERS = statement(
  'archive_transfers',
  `select version, kind, debit, credit, amount, balance_after, bet_id, request_id, reference, platform, site, ${formatTimestampSql('at')} as at
   from purser.transfer where bucket = $1::int and player = $2::text and currency = $3::text
     and version > $4::bigint and version <= $4::bigint + $5::int order by version`,
)
const READ_BETS = statement(
  'archive_bets',
  `select b.bet_id, b.status, ${formatTimestampSql('b.first_seen_at')} as first_seen_at, d.bytes,
     ${formatTimestampSql('greatest(b.first_seen_at, b.changed_at, c.last_at)')} as last_at
   from unnest($3::text[]) as k (bet_id)
   cross join lateral (
     select bet_id, status, first_seen_at, changed_at from purser.bet
     where bucket = $1::int and bet_id = k.bet_id and player = $2::text limit 1
   ) b
   cross join lateral (
     select max(at) as last_at from purser.bet_call where bucket = $1::int and player = $2::text and bet_id = k.bet_id
   ) c
   left join lateral (
     select octet_length(details::text) as bytes from purser.bet_details
     where bucket = $1::int and first_seen_at = b.first_seen_at and bet_id = k.bet_id and player = $2::text limit 1
   ) d on true`,
)
const READ_DETAILS = statement(
  'archive_details',
  `select k.bet_id as bet, d.details from unnest($3::text[], $4::timestamptz[]) with ordinality as k (bet_id, at, place)
   cross join lateral (
     select details::text as details from purser.bet_details
     where bucket = $1::int and first_seen_at = k.at and bet_id = k.bet_id and player = $2::text limit 1
   ) d order by k.place`,
)

export interface PortionSearchResult {
  /** Undefined if no transfer of the account may be archived. */
  readonly portion?: ArchivePortion
  /** An old transfer must stay, because its bet is open or ended too recently. */
  readonly isHeldBack: boolean
  /** Another portion may follow. */
  readonly hasMore: boolean
}

/**
 * The account's transfers do not form a chain. No transfer is archived, and the audit reports the
 * fault.
 */
export class BrokenAccountError extends Error {}

interface PortionEnd {
  readonly version: bigint
  readonly balance: Money
}

/**
 * Reads a portion of at most `most` transfers, after `from` or else after the carried balance.
 * Throws BrokenAccountError.
 */
export async function readPortion(
  tx: Tx,
  account: AccountKey,
  before: Date,
  most: PortionSize,
  from?: PortionEnd,
): Promise<PortionSearchResult> {
  const { bucket, player, currency } = account
  const carried = from ?? (await readCarriedBalance(tx, account))
  const rows = await tx.query<TransferRow>(READ_TRANSFERS, [bucket, player, currency, carried.version, most.transfers])
  const ids = new Set(rows.flatMap(({ bet_id }) => bet_id ?? []))
  const bets = new Map((await tx.query<BetRow>(READ_BETS, [bucket, player, [...ids]])).map((bet) => [bet.bet_id, bet]))
  const limit = formatMicrosecondTime(before)
  const firstStaying = rows.findIndex(
    ({ at, bet_id }) => at >= limit || (bet_id !== null && !isFinalBefore(bets.get(bet_id), limit)),
  )
  const candidates = firstStaying === -1 ? rows : rows.slice(0, firstStaying)
  const selected = limitByBytes(candidates, bets, most.bytes)
  requireChain(selected, carried)
  const isCut = selected.length < candidates.length
  const isHeldBack = !isCut && firstStaying !== -1 && (rows[firstStaying]?.at ?? limit) < limit
  const found = { isHeldBack, hasMore: isCut || selected.length === most.transfers }
  const last = selected.at(-1)
  if (last === undefined) return found
  const [{ brand } = { brand: '' }] = await tx.query<{ brand: string }>(READ_BRAND, [bucket, player])
  const head = {
    ...{ currency, brand, transfers: selected.length },
    from: { version: `${carried.version}`, balance: `${carried.balance}` },
    to: { version: `${last.version}`, balance: `${last.balance_after}`, at: last.at },
  }
  const described = listDescribedBets(selected, bets)
  const [transfers, details] = [selected.map(toLine), await readDetails(tx, account, described)]
  const text = [head, ...transfers, ...details].map(formatArchiveLine).join('')
  return { ...found, portion: { ...account, head, transfers, bets: details, text, described } }
}

/** The first rows whose bet details fit into `bytes`, but at least one row. */
function limitByBytes(rows: TransferRow[], bets: ReadonlyMap<string, BetRow>, bytes: number): TransferRow[] {
  let sum = 0
  const end = rows.findIndex((row, i) => {
    sum += findStakedBet(row, bets)?.bytes ?? 0
    return sum > bytes && i > 0
  })
  return end === -1 ? rows : rows.slice(0, end)
}

async function readCarriedBalance(tx: Tx, { bucket, player, currency }: AccountKey): Promise<PortionEnd> {
  const [end] = await tx.query<Row & PortionEnd>(READ_CARRIED_BALANCE, [bucket, player, currency])
  return end ?? { version: 0n, balance: ZERO }
}

export function toPortionEnd({ head: { to } }: Pick<ArchivePortion, 'head'>): PortionEnd {
  return { version: BigInt(to.version), balance: money(BigInt(to.balance)) }
}

function findStakedBet({ kind, bet_id }: TransferRow, bets: ReadonlyMap<string, BetRow>): BetRow | undefined {
  return kind === 'stake' && bet_id !== null ? bets.get(bet_id) : undefined
}

/** Bets that these transfers staked, if they have details. */
function listDescribedBets(
  selected: readonly TransferRow[],
  bets: ReadonlyMap<string, BetRow>,
): ArchivePortion['described'] {
  const staked = selected.flatMap((row) => findStakedBet(row, bets) ?? []).filter(({ bytes }) => bytes !== null)
  return staked.map(({ bet_id: betId, first_seen_at: at }) => ({ betId, at }))
}

async function readDetails(
  tx: Tx,
  { bucket, player }: AccountKey,
  described: ArchivePortion['described'],
): Promise<BetLine[]> {
  const keys = [described.map(({ betId }) => betId), described.map(({ at }) => at)]
  const rows = await tx.query<{ bet: string; details: string }>(READ_DETAILS, [bucket, player, ...keys])
  return rows.map(({ bet, details }) => ({ bet, details: JSON.parse(anonymizeBetDetails(details)) }))
}

const FINAL_STATUSES: readonly string[] = ['settled', 'cancelled']

function isFinalBefore(bet: BetRow | undefined, limit: string): boolean {
  return bet !== undefined && FINAL_STATUSES.includes(bet.status) && bet.last_at < limit
}

function requireChain(rows: readonly TransferRow[], from: { version: bigint; balance: Money }): void {
  let [version, balance]: [bigint, bigint] = [from.version, from.balance]
  for (const row of rows) {
    version += 1n
    balance += effectOnPlayer(row)
    if (row.version !== version || row.balance_after !== balance)
      throw new BrokenAccountError(
        `transfer ${version} is missing, or does not follow from the transfer before it: run purser audit`,
      )
  }
}

function toLine(row: TransferRow): TransferLine {
  const { kind, debit, credit, bet_id, request_id, reference, platform, site, at } = row
  return {
    ...{ version: `${row.version}`, kind, debit, credit, amount: `${row.amount}`, balance: `${row.balance_after}`, at },
    ...(bet_id !== null && { bet: bet_id }),
    ...(request_id !== null && { request: request_id }),
    ...(reference !== null && { reference }),
    ...(platform !== '' && { platform }),
    ...(site !== '' && { site }),
  }
}
