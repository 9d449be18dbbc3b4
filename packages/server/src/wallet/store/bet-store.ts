/**
 * Rows of bets, one for each bet id that a call has named. The column `calls` counts the bet's
 * calls (bet-call-store.ts). It is also the version of the row, so a write based on an old version
 * fails.
 */

import type { ResultType } from '@purser/protocol/bet-request'
import type { RememberedRefusal } from '@purser/protocol/reply-codes'
import type { Money } from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import { statement, type Tx } from '../../core/database/db.ts'
import { createInsertStatement, formatInsertSource, mapRows } from '../../core/database/row-mapping.ts'
import { isoOf } from '../ledger/account.ts'
import type { Bet, BetCall, Funder, Placement, Settlement } from './bet.ts'

export interface BetRecord {
  readonly player: PlayerId
  readonly betId: BetId
  /** Platform that owns the bet (W-43). */
  readonly platform: string
  readonly bet: Bet
  /** 0 if the bet has no row yet. */
  readonly calls: number
  readonly locked: boolean
  readonly firstSeenAt: Date
  /**
   * Number (version) of the stake's transfer in the player's account; null if the bet was not
   * placed.
   */
  readonly stakeVersion: bigint | null
  /** `requestId` of the Place bet that was accepted or refused for good. */
  readonly placeRequestId: RequestId | null
  /** Number of the call with the last applied or confirmed result; 0 for none. */
  readonly lastResult: number
  /** JSON text; `details` and `events` are present only if this batch placed or refused the bet. */
  readonly details?: string | undefined
  readonly events?: readonly string[] | undefined
}

export interface BetRow extends Record<string, unknown> {
  player: PlayerId
  bet_id: BetId
  platform: string
  status: Bet['kind']
  calls: number
  last_result: number
  currency: Currency | null
  stake: Money | null
  funder: Funder | null
  site: string
  odds_payout: Money | null
  stake_version: bigint | null
  request_id: RequestId | null
  placed_at: Date | null
  payout: Money | null
  result_type: ResultType | null
  payee: Funder | null
  refusal: RememberedRefusal | null
  locked: boolean
  first_seen_at: Date
  changed_at: Date
}

export const BET_COLUMNS = `player, bet_id, platform, status, calls, last_result, currency, stake, funder, site, odds_payout, stake_version, request_id, placed_at, payout,
  result_type, payee, refusal, locked, first_seen_at, changed_at`

type BetKey = Pick<BetCall, 'player' | 'betId'>

const KEYS = mapRows<BetKey>(2, { player: ['text', ({ player }) => player], bet_id: ['text', ({ betId }) => betId] })

const SOME_BETS = `select b.* from ${KEYS.from} k
   cross join lateral (
     select ${BET_COLUMNS} from purser.bet
     where bucket = $1::int and player = k.player and bet_id = k.bet_id limit 1`

const READ_BETS = statement('read_bets', `${SOME_BETS}) b`)
const LOCK_BETS = statement('lock_bets', `${SOME_BETS} for update) b`)

export async function readBets(tx: Pick<Tx, 'query'>, bucket: number, keys: readonly BetKey[]): Promise<BetRecord[]> {
  return (await tx.query<BetRow>(READ_BETS, [bucket, ...KEYS.values(keys)])).map(toRecord)
}

/**
 * Reads the bets and locks their rows in the order of the keys. The locks on players do not
 * suffice: an unknown player has no row to lock.
 */
export async function lockBets(tx: Tx, bucket: number, keys: readonly BetKey[]): Promise<BetRecord[]> {
  if (keys.length === 0) return []
  return (await tx.query<BetRow>(LOCK_BETS, [bucket, ...KEYS.values(keys)])).map(toRecord)
}

export function toRecord(row: BetRow): BetRecord {
  return {
    player: row.player,
    betId: row.bet_id,
    platform: row.platform,
    bet: toBet(row),
    calls: row.calls,
    locked: row.locked,
    firstSeenAt: row.first_seen_at,
    stakeVersion: row.stake_version,
    placeRequestId: row.request_id,
    lastResult: row.last_result,
  }
}

function toBet(row: BetRow): Bet {
  const placement = toPlacement(row)
  const { status: kind, changed_at: since, refusal } = row
  if (kind === 'unknown') return { kind }
  if (kind === 'refused' && refusal !== null) return { kind, refusal, since }
  if (kind === 'cancelled') return placement === undefined ? { kind, since } : { kind, placement, since }
  if (kind === 'open' && placement !== undefined) return { kind, placement, since }
  const { payout, result_type: resultType, payee } = row
  if (kind === 'settled' && placement !== undefined && payout !== null && resultType !== null && payee !== null) {
    return { kind, placement, settlement: { payout, resultType, payee }, since }
  }
  throw new Error(`the row of a bet contradicts itself: ${kind}`)
}

function toPlacement({ stake, currency, funder, site, odds_payout, placed_at }: BetRow): Placement | undefined {
  if (stake === null || currency === null || funder === null || placed_at === null) return undefined
  return { stake, currency, funder, site, oddsPayout: odds_payout, placedAt: placed_at }
}

interface BetColumns {
  readonly record: BetRecord
  readonly placement: Placement | undefined
  readonly settlement: Settlement | undefined
  readonly changedAt: Date
}

function toBetColumnsAt(now: Date): (record: BetRecord) => BetColumns {
  return (record) => {
    const { bet } = record
    return {
      record,
      placement: 'placement' in bet ? bet.placement : undefined,
      settlement: bet.kind === 'settled' ? bet.settlement : undefined,
      changedAt: 'since' in bet ? bet.since : now,
    }
  }
}

const BETS = mapRows<BetColumns>(2, {
  player: ['text', ({ record }) => record.player],
  bet_id: ['text', ({ record }) => record.betId],
  platform: ['text', ({ record }) => record.platform],
  status: ['text', ({ record }) => record.bet.kind],
  calls: ['int', ({ record }) => record.calls],
  currency: ['text', ({ placement }) => placement?.currency ?? null],
  stake: ['bigint', ({ placement }) => placement?.stake ?? null],
  funder: ['text', ({ placement }) => placement?.funder ?? null],
  site: ['text', ({ placement }) => placement?.site ?? ''],
  odds_payout: ['bigint', ({ placement }) => placement?.oddsPayout ?? null],
  stake_version: ['bigint', ({ record }) => record.stakeVersion],
  request_id: ['text', ({ record }) => record.placeRequestId],
  placed_at: ['timestamptz', ({ placement }) => (placement === undefined ? null : isoOf(placement.placedAt))],
  payout: ['bigint', ({ settlement }) => settlement?.payout ?? null],
  result_type: ['text', ({ settlement }) => settlement?.resultType ?? null],
  payee: ['text', ({ settlement }) => settlement?.payee ?? null],
  refusal: ['text', ({ record: { bet } }) => (bet.kind === 'refused' ? bet.refusal : null)],
  changed_at: ['timestamptz', ({ changedAt }) => isoOf(changedAt)],
  first_seen_at: ['timestamptz', ({ record }) => isoOf(record.firstSeenAt)],
  last_result: ['int', ({ record }) => record.lastResult],
})
const insert = (count: number | undefined) =>
  `insert into purser.bet as b (bucket, ${BETS.columns}) ${formatInsertSource(BETS, count)}`

const INSERT_BETS = createInsertStatement('insert_bets', BETS, insert)

/** Inserts new rows; fails if a row exists. */
export function insertBets(tx: Tx, bucket: number, records: readonly BetRecord[], now: Date): Promise<number> {
  return tx.execute(INSERT_BETS, [bucket, ...BETS.values(records.map(toBetColumnsAt(now)))])
}

/** An upsert that fails if another process has recorded more calls of a bet (book-store.ts). */
const SAVE_BETS = createInsertStatement(
  'save_bets',
  BETS,
  (count) => `with saved as (
     ${insert(count)}
     on conflict (bucket, player, bet_id) do update
     set status = excluded.status, calls = excluded.calls, currency = excluded.currency, stake = excluded.stake,
       funder = excluded.funder, site = excluded.site, odds_payout = excluded.odds_payout,
       stake_version = excluded.stake_version, request_id = excluded.request_id, placed_at = excluded.placed_at, payout = excluded.payout, result_type = excluded.result_type, payee = excluded.payee,
       refusal = excluded.refusal, changed_at = excluded.changed_at, last_result = excluded.last_result
     where b.calls < excluded.calls
     returning 1
   ) select case when count(*) < cardinality($2::text[]) then purser.raise_stale_row('a bet') end from saved`,
)

export async function saveBets(tx: Tx, bucket: number, records: readonly BetRecord[], now: Date): Promise<void> {
  await tx.execute(SAVE_BETS, [bucket, ...BETS.values(records.map(toBetColumnsAt(now)))])
}

const DETAILS = mapRows<BetRecord>(2, {
  player: ['text', (record) => record.player],
  bet_id: ['text', (record) => record.betId],
  first_seen_at: ['timestamptz', (record) => isoOf(record.firstSeenAt)],
  details: ['json', (record) => record.details],
})
interface BetEventReference {
  readonly eventId: string
  readonly at: Date
}

const EVENTS = mapRows<BetEventReference>(2, {
  event_id: ['text', ({ eventId }) => eventId],
  first_seen_at: ['timestamptz', ({ at }) => isoOf(at)],
})

const INSERT_DETAILS = createInsertStatement(
  'insert_bet_details',
  DETAILS,
  (count) => `insert into purser.bet_details (bucket, ${DETAILS.columns}) ${formatInsertSource(DETAILS, count)}`,
)
const INSERT_EVENTS = createInsertStatement(
  'insert_bet_events',
  EVENTS,
  (count) => `insert into purser.bet_event (bucket, ${EVENTS.columns}) ${formatInsertSource(EVENTS, count)}`,
)

/** Inserts the details of the bets that this batch has placed or refused for good. */
export async function insertDetails(tx: Tx, bucket: number, records: readonly BetRecord[]): Promise<void> {
  if (records.length === 0) return
  const found = records.flatMap(({ events = [], firstSeenAt: at }) => events.map((eventId) => ({ eventId, at })))
  const uniqueReferences = [...new Map(found.map((one) => [`${one.eventId} ${isoOf(one.at)}`, one])).values()]
  await Promise.all([
    tx.execute(INSERT_DETAILS, [bucket, ...DETAILS.values(records)]),
    uniqueReferences.length > 0 && tx.execute(INSERT_EVENTS, [bucket, ...EVENTS.values(uniqueReferences)]),
  ])
}

/**
 * Removes the address and the free text. The rest remains after the player's erasure (O-10).
 */
export function anonymizeBetDetails(details: string | null): string {
  const { ip: _ip, info: _info, ...rest } = JSON.parse(details ?? '{}') as Record<string, unknown>
  return JSON.stringify(rest)
}
