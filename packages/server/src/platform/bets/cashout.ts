/**
 * Cashout: the player sells an open bet back (C-8).
 *
 *   accepted ──requested──► settled as cashout ──rejected──► accepted ──results──► settled, or open
 *
 * Invariant: a bet is settled as cashout only while the partner has accepted the cashout or may
 * still accept it.
 */

import type { UserProfile } from '@purser/protocol/user-profile'
import type { Money } from '@purser/protocol/values/money'
import { groupBy } from '@purser/runtime/group'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import { statement, type Tx } from '../../core/database/db.ts'
import { type PlatformRefusal, toNotFound } from '../platform-refusal.ts'
import { lockEventsShared } from '../store/event-store.ts'
import type { RefusedCashout } from '../store/outbox.ts'
import type { BetResult, PlatformBet } from '../store/platform-bet.ts'
import {
  type KnownSelection,
  lockFreeBets,
  lockPlatformBets,
  readSelections,
  savePlatformBets,
} from '../store/platform-bet-store.ts'
import { readUnreversedBets, readUnreversedResults } from '../store/unreversed-result.ts'
import { type BusyPolicy, batchInTransactions, MAX_WAITING_REQUESTS } from './batched-transactions.ts'
import {
  type BetChangeOutcome,
  type BetDecision,
  decideByResults,
  type FlowDeps,
  isSameResult,
  notPossible,
  recordChange,
  recordDecisions,
  toSettleDecision,
  toUnsettleDecision,
} from './bet-flow.ts'

/**
 * Session of the request. The Settle carries its token (W-14), and its profile decides whether a
 * cashout is allowed.
 */
export interface CashoutSession {
  readonly token: string
  readonly profile: UserProfile
}

export interface CashoutRequest {
  readonly author: Actor
  readonly betId: string
  readonly payout: Money
  readonly session: CashoutSession | undefined
}

/** The batcher of one process. At a turn of a match many players request cashouts at once. */
export function createCashouts(deps: FlowDeps): (request: CashoutRequest) => Promise<BetChangeOutcome> {
  return batchInTransactions(deps.db, MAX_WAITING_REQUESTS, (tx, requests, busy) =>
    decideCashouts(deps, tx, requests, busy),
  )
}

/**
 * Decides the requests one after another. `busy` controls bets that another transaction holds: they
 * are awaited, or left with the result undefined.
 */
async function decideCashouts(
  deps: FlowDeps,
  tx: Tx,
  requests: readonly CashoutRequest[],
  busy: BusyPolicy,
): Promise<(BetChangeOutcome | undefined)[]> {
  const betIds = [...new Set(requests.map(({ betId }) => betId))]
  // In this order: bets are locked, then events. The reads therefore see the commits of the earlier
  // holders.
  const [locked, , selections, profiles, unreversed] = await Promise.all([
    busy === 'wait' ? lockPlatformBets(tx, betIds) : lockFreeBets(tx, betIds),
    lockEventsShared(tx, betIds),
    readSelections(tx, betIds),
    readBetProfiles(tx, betIds),
    readUnreversedBets(tx, betIds),
  ])
  const bets = new Map(locked.map((bet) => [bet.betId, bet]))
  const known = { selections: groupBy(selections, ({ betId }) => betId), profiles }
  const taken: { wish: CashoutRequest; before: PlatformBet; decided: BetDecision }[] = []
  const results = requests.map((request): BetChangeOutcome | undefined => {
    const before = bets.get(request.betId)
    if (before === undefined) return busy === 'wait' ? toNotFound('the bet') : undefined
    const result: BetResult = { resultType: 'cashout', payout: request.payout, source: 'request' }
    if (isSameResult(before.result, result)) return before
    const profile = request.session?.profile ?? known.profiles.get(request.betId)
    const objection = findCashoutObjection(
      before,
      unreversed.get(request.betId) === true,
      known.selections.get(request.betId) ?? [],
      profile,
    )
    if (objection !== undefined) return objection
    const decided = toSettleDecision(deps, before, result, request.session?.token)
    bets.set(request.betId, decided.bet)
    taken.push({ wish: request, before, decided })
    return decided.bet
  })
  await recordDecisions(
    deps,
    tx,
    taken.map(({ decided }) => decided),
  )
  for (const { wish: request, before, decided } of taken)
    await recordChange(deps, tx, request.author, before, decided.bet)
  return results
}

function findCashoutObjection(
  { status }: PlatformBet,
  isUnreversed: boolean,
  selections: readonly KnownSelection[],
  profile: UserProfile | undefined,
): PlatformRefusal | undefined {
  if (status !== 'accepted') return notPossible(`a ${status} bet cannot be cashed out`)
  if (isUnreversed) return notPossible('the partner rejected the Unsettle and may still have a result of the bet')
  if (selections.some(({ result }) => result !== null))
    return notPossible('a selection of the bet already has a result')
  if (selections.some(({ eventStatus }) => eventStatus === 'ended')) return notPossible('an event of the bet has ended')
  if (profile?.customFields?.isCashOutAllowed === false)
    return notPossible("the player's profile does not allow cashouts")
  return undefined
}

const READ_PROFILES = statement(
  'platform_read_profiles_of_bets',
  'select b.bet_id, f.profile from platform.bet b join platform.frame_session f using (frame_session_id) where b.bet_id = any($1::uuid[])',
)

/** Profiles from the loading of the frame. */
async function readBetProfiles(tx: Tx, betIds: readonly string[]): Promise<Map<string, UserProfile>> {
  const rows = await tx.query<{ bet_id: string; profile: UserProfile }>(READ_PROFILES, [betIds])
  return new Map(rows.map((row) => [row.bet_id, row.profile]))
}

/**
 * Runs in the transaction that records the rejections; its caller holds the bets. The bets are
 * accepted again, and results that arrived meanwhile decide them. A decision by hand after the
 * cashout stays.
 *
 * If the partner has or may have a result and rejected its Unsettle, the bet gets a second
 * Unsettle. Its money is owed, and the last delivery of the bet must show that (C-9, W-46).
 */
export async function revertRefusedCashouts(deps: FlowDeps, tx: Tx, refused: readonly RefusedCashout[]): Promise<void> {
  if (refused.length === 0) return
  const betIds = refused.map(({ betId }) => betId)
  const numbers = new Map(refused.map(({ betId, number }) => [betId, number]))
  const [locked, selections] = await Promise.all([lockPlatformBets(tx, betIds), readSelections(tx, betIds)])
  const open = locked
    .filter((bet) => bet.deliveries === numbers.get(bet.betId))
    .map((bet): PlatformBet => ({ ...bet, status: 'accepted', result: null }))
  await savePlatformBets(tx, open, deps.clock.now())
  const decisions = decideByResults(deps, open, selections)
  const decided = new Set(decisions.map(({ bet }) => bet.betId))
  const undecided = open.filter(({ betId }) => !decided.has(betId))
  const unacknowledged = undecided
    .filter(({ acknowledgedResult }) => acknowledgedResult === null)
    .map(({ betId }) => betId)
  const maybe = await readUnreversedResults(tx, unacknowledged)
  const again = undecided.flatMap((bet) => {
    const unreversed = bet.acknowledgedResult ?? maybe.get(bet.betId)
    return unreversed === undefined ? [] : [toUnsettleDecision(deps, bet, unreversed)]
  })
  await recordDecisions(deps, tx, [...decisions, ...again])
}
