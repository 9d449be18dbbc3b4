/** Store of bets and selections. A bet is locked before it is changed. */

import type { ResultType } from '@purser/protocol/bet-request'
import type { Money } from '@purser/protocol/values/money'
import { type Statement, statement, type Tx } from '../../core/database/db.ts'
import { mapRows } from '../../core/database/row-mapping.ts'
import { parseStoredOdds } from './odds.ts'
import type { Offer } from './outcome-offer.ts'
import type { BetStatus, PlatformBet, Selection, SelectionResult } from './platform-bet.ts'
import { addBetChanges } from './platform-change-feed.ts'

interface BetRow extends Record<string, unknown> {
  bet_id: string
  partner_id: string
  user_id: string
  operator_user: string | null
  currency: string
  token: string
  stake: Money
  status: BetStatus
  reason: string | null
  ticket_type: 'single' | 'express'
  coefficient: string
  booster: string | null
  bonus_id: number | null
  bonus_template_id: number | null
  payout: Money | null
  result_type: ResultType | null
  result_source: 'event' | 'request' | null
  acknowledged_status: PlatformBet['acknowledgedStatus']
  acknowledged_payout: Money | null
  acknowledged_result_type: ResultType | null
  taken_back_at: bigint | null
  deliveries: number
  placed_at: Date
}

/**
 * An ended bet has no token (O-6). A reopened bet uses the token of its frame session, while one
 * exists.
 */
const TOKEN = `coalesce(nullif(token, ''),
  (select f.token from platform.frame_session f where f.frame_session_id = bet.frame_session_id), '') as token`
const COLUMNS = `bet_id, partner_id, user_id, operator_user, currency, ${TOKEN}, stake, status, reason, ticket_type, coefficient, booster,
  bonus_id, bonus_template_id, payout, result_type, result_source, acknowledged_status, acknowledged_payout, acknowledged_result_type, taken_back_at,
  deliveries, placed_at`

const LOCK_BETS = statement(
  'platform_lock_bets',
  `select ${COLUMNS} from platform.bet where bet_id = any($1::uuid[]) order by bet_id for update`,
)
const LOCK_FREE_BET_IDS = statement(
  'platform_hold_free_bets',
  'select bet_id from platform.bet where bet_id = any($1::uuid[]) for update skip locked',
)
const LOCK_FREE_BETS = statement('platform_lock_free_bets', `${LOCK_BETS.text} skip locked`)
const READ_BETS = statement('platform_read_bets', `select ${COLUMNS} from platform.bet where bet_id = any($1::uuid[])`)

/** Locks in sorted order. */
export function lockPlatformBets(tx: Tx, betIds: readonly string[]): Promise<PlatformBet[]> {
  return queryBets(tx, LOCK_BETS, [...betIds].sort())
}

/** Without bets that another transaction holds. */
export function lockFreeBets(tx: Tx, betIds: readonly string[]): Promise<PlatformBet[]> {
  return queryBets(tx, LOCK_FREE_BETS, betIds)
}

/** Locks the free bets: one busy bet must not delay the others (C-6). */
export async function lockFreeBetIds(tx: Tx, betIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ bet_id: string }>(LOCK_FREE_BET_IDS, [[...new Set(betIds)]])
  return new Set(rows.map((row) => row.bet_id))
}

export function readPlatformBets(tx: Pick<Tx, 'query'>, betIds: readonly string[]): Promise<PlatformBet[]> {
  return queryBets(tx, READ_BETS, betIds)
}

async function queryBets(tx: Pick<Tx, 'query'>, query: Statement, betIds: readonly string[]): Promise<PlatformBet[]> {
  return (await tx.query<BetRow>(query, [betIds])).map(toBet)
}

function toAcknowledgedResult({
  acknowledged_status: status,
  acknowledged_payout: payout,
  acknowledged_result_type: resultType,
}: BetRow): PlatformBet['acknowledgedResult'] {
  return status !== 'settled' || payout === null || resultType === null ? null : { payout, resultType }
}

function toBet(row: BetRow): PlatformBet {
  const { payout, result_type: resultType, result_source: source } = row
  return {
    betId: row.bet_id,
    partnerId: row.partner_id,
    userId: row.user_id,
    operatorUser: row.operator_user,
    currency: row.currency,
    token: row.token,
    stake: row.stake,
    status: row.status,
    reason: row.reason,
    ticketType: row.ticket_type,
    odds: parseStoredOdds(row.coefficient),
    booster: row.booster === null ? null : parseStoredOdds(row.booster),
    bonusId: row.bonus_id,
    bonusTemplateId: row.bonus_template_id,
    result: payout === null || resultType === null ? null : { payout, resultType, source: source ?? 'event' },
    acknowledgedStatus: row.acknowledged_status,
    acknowledgedResult: toAcknowledgedResult(row),
    takenBackAt: row.taken_back_at,
    deliveries: row.deliveries,
    placedAt: row.placed_at,
  }
}

const BETS = mapRows<PlatformBet>(2, {
  bet_id: ['uuid', ({ betId }) => betId],
  status: ['text', ({ status }) => status],
  reason: ['text', ({ reason }) => reason],
  payout: ['bigint', ({ result }) => result?.payout ?? null],
  result_type: ['text', ({ result }) => result?.resultType ?? null],
  result_source: ['text', ({ result }) => result?.source ?? null],
  deliveries: ['int', ({ deliveries }) => deliveries],
})

const SAVE_BETS = statement(
  'platform_save_bets',
  `update platform.bet b
   set status = r.status, reason = r.reason, payout = r.payout, result_type = r.result_type, result_source = r.result_source,
     deliveries = r.deliveries, changed_at = $1::timestamptz
   from ${BETS.from} r where b.bet_id = r.bet_id`,
)

/** Writes the variable columns and adds the changes to the feed. The caller holds the bets. */
export async function savePlatformBets(tx: Tx, bets: readonly PlatformBet[], now: Date): Promise<void> {
  if (bets.length === 0) return
  await Promise.all([tx.execute(SAVE_BETS, [now, ...BETS.values(bets)]), addBetChanges(tx, bets, now)])
}

const NOTE_TAKEN_BACK = statement(
  'platform_note_taken_back',
  `update platform.bet b set taken_back_at = (
     select coalesce(sum(e.results_version), 0) from platform.selection s join platform.event e on e.event_id = s.event_id where s.bet_id = b.bet_id
   ) where b.bet_id = $1::uuid`,
)

/**
 * Records a withdrawal by request, with the results of its events so far (W-17). The caller holds
 * the bet.
 */
export async function recordTakenBack(tx: Tx, betId: string): Promise<void> {
  await tx.execute(NOTE_TAKEN_BACK, [betId])
}

/** The partner's last acknowledgement; reconcile compares it with the partner's books. */
export interface AcknowledgedState {
  readonly betId: string
  readonly status: 'open' | 'settled' | 'cancelled'
  readonly payout: Money | null
  readonly resultType: string | null
}

const ACKNOWLEDGED_STATES = mapRows<AcknowledgedState>(1, {
  bet_id: ['uuid', ({ betId }) => betId],
  status: ['text', ({ status }) => status],
  payout: ['bigint', ({ payout }) => payout],
  result_type: ['text', ({ resultType }) => resultType],
})

const SAVE_ACKNOWLEDGED = statement(
  'platform_save_told',
  `update platform.bet b set acknowledged_status = r.status, acknowledged_payout = r.payout, acknowledged_result_type = r.result_type
   from ${ACKNOWLEDGED_STATES.from} r where b.bet_id = r.bet_id`,
)

export async function saveAcknowledged(tx: Tx, states: readonly AcknowledgedState[]): Promise<void> {
  if (states.length > 0) await tx.execute(SAVE_ACKNOWLEDGED, ACKNOWLEDGED_STATES.values(states))
}

const READ_SELECTIONS = statement(
  'platform_read_selections',
  `select s.bet_id, s.event_id, s.outcome_id, s.coefficient, s.details, o.coefficient as current, o.result, e.status as event_status,
     coalesce(e.results_version, 0) as results_version
   from platform.selection s
   left join platform.outcome o on o.event_id = s.event_id and o.outcome_id = s.outcome_id
   left join platform.event e on e.event_id = s.event_id
   where s.bet_id = any($1::uuid[]) order by s.bet_id, s.number`,
)

export interface KnownSelection extends Selection, Offer {
  readonly betId: string
  /** Version of the event's results; 0 before the first one. */
  readonly resultsVersion: bigint
}

const READ_RESULTS = statement(
  'platform_read_results',
  `select s.bet_id, s.coefficient, o.result, coalesce(e.results_version, 0) as results_version from platform.selection s
   left join platform.outcome o on o.event_id = s.event_id and o.outcome_id = s.outcome_id
   left join platform.event e on e.event_id = s.event_id
   where s.bet_id = any($1::uuid[]) order by s.bet_id, s.number`,
)

export type JudgedSelection = Pick<KnownSelection, 'betId' | 'odds' | 'result' | 'resultsVersion'>

/** Only the columns that decide a bet, because an event can have a million bets. */
export async function readResults(tx: Tx, betIds: readonly string[]): Promise<JudgedSelection[]> {
  const rows = await tx.query<JudgedRow>(READ_RESULTS, [betIds])
  return rows.map((row) => {
    const { bet_id: betId, coefficient, result, results_version: resultsVersion } = row
    return { betId, odds: parseStoredOdds(coefficient), result, resultsVersion }
  })
}

type JudgedRow = Pick<SelectionRow, 'bet_id' | 'coefficient' | 'result' | 'results_version'>

interface SelectionRow extends Record<string, unknown> {
  bet_id: string
  event_id: string
  outcome_id: string
  coefficient: string
  details: Record<string, unknown>
  current: string | null
  result: SelectionResult | null
  event_status: KnownSelection['eventStatus']
  results_version: bigint
}

export async function readSelections(tx: Pick<Tx, 'query'>, betIds: readonly string[]): Promise<KnownSelection[]> {
  const rows = await tx.query<SelectionRow>(READ_SELECTIONS, [betIds])
  return rows.map((row) => ({
    betId: row.bet_id,
    eventId: row.event_id,
    outcomeId: row.outcome_id,
    odds: parseStoredOdds(row.coefficient),
    details: row.details,
    result: row.result,
    currentOdds: row.current === null ? null : parseStoredOdds(row.current),
    eventStatus: row.event_status,
    resultsVersion: row.results_version,
  }))
}
