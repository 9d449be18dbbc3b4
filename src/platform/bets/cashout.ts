/**
 * A cashout: the player sells the bet back while it is open in every sense (C-8).
 *
 *   accepted ──asked for──► settled as cashout ──the partner refuses──► accepted ──its events──► settled, or open
 *
 * Invariant: a bet is settled as cashout only while the partner has taken that or may still take it.
 */
import { statement, type Tx } from '../../db/db.ts'
import type { Author } from '../../people/actions.ts'
import type { Money } from '../../protocol/money.ts'
import type { UserProfile } from '../../protocol/user-profile.ts'
import { groupBy } from '../../runtime/group.ts'
import { readKeptResults, readRefusedToGiveBack } from '../delivery/kept-result.ts'
import { noSuch, type Refused } from '../refusal.ts'
import type { PlatformBet, Result } from './bet.ts'
import {
  type Changed,
  type Decided,
  decide,
  decisionsOf,
  type FlowDeps,
  isSame,
  notPossible,
  recordChange,
  settled,
  unsettled,
} from './bet-flow.ts'
import { type KnownSelection, lockBets, lockFreeBets, readSelections, saveBets } from './bet-store.ts'
import { holdEventsOf } from './event.ts'
import { type Busy, inTransactions, MOST_WISHES } from './in-transactions.ts'

/** Where the user asked for it: its token is shown (W-14), and its profile is the latest word on whether it is allowed. */
export interface AskedIn {
  readonly token: string
  readonly profile: UserProfile
}

export interface CashoutWish {
  readonly author: Author
  readonly betId: string
  readonly payout: Money
  readonly askedIn: AskedIn | undefined
}

/** Those of one process. When a match turns, all who have bet on it want to cash out at once. */
export function createCashouts(deps: FlowDeps): (wish: CashoutWish) => Promise<Changed> {
  return inTransactions(deps.db, MOST_WISHES, (tx, wishes, busy) => cashOut(deps, tx, wishes, busy))
}

/** One wish after another. Bets that somebody else holds are waited for, or left as they are: of those the result is undefined. */
async function cashOut(
  deps: FlowDeps,
  tx: Tx,
  wishes: readonly CashoutWish[],
  busy: Busy,
): Promise<(Changed | undefined)[]> {
  const betIds = [...new Set(wishes.map(({ betId }) => betId))]
  // In this order: bets are locked, then their events, and what is read is what their last holders left.
  const [locked, , selections, profiles, kept] = await Promise.all([
    busy === 'wait' ? lockBets(tx, betIds) : lockFreeBets(tx, betIds),
    holdEventsOf(tx, betIds),
    readSelections(tx, betIds),
    readProfilesOf(tx, betIds),
    readKeptResults(tx, betIds),
  ])
  const bets = new Map(locked.map((bet) => [bet.betId, bet]))
  const known = { selections: groupBy(selections, ({ betId }) => betId), profiles }
  const taken: { wish: CashoutWish; before: PlatformBet; decided: Decided }[] = []
  const results = wishes.map((wish): Changed | undefined => {
    const before = bets.get(wish.betId)
    if (before === undefined) return busy === 'wait' ? noSuch('the bet') : undefined
    const result: Result = { resultType: 'cashout', payout: wish.payout, source: 'request' }
    if (isSame(before.result, result)) return before
    const profile = wish.askedIn?.profile ?? known.profiles.get(wish.betId)
    const objection = objectionTo(
      before,
      kept.get(wish.betId) === true,
      known.selections.get(wish.betId) ?? [],
      profile,
    )
    if (objection !== undefined) return objection
    const decided = settled(deps, before, result, wish.askedIn?.token)
    bets.set(wish.betId, decided.bet)
    taken.push({ wish, before, decided })
    return decided.bet
  })
  await decide(
    deps,
    tx,
    taken.map(({ decided }) => decided),
  )
  for (const { wish, before, decided } of taken) await recordChange(deps, tx, wish.author, before, decided.bet)
  return results
}

function objectionTo(
  { status }: PlatformBet,
  isKept: boolean,
  selections: readonly KnownSelection[],
  profile: UserProfile | undefined,
): Refused | undefined {
  if (status !== 'accepted') return notPossible(`a ${status} bet cannot be cashed out`)
  if (isKept) return notPossible('the partner may have a result of the bet, and has refused to take it back')
  if (selections.some(({ result }) => result !== null))
    return notPossible('a selection of the bet has a result already')
  if (selections.some(({ eventStatus }) => eventStatus === 'ended')) return notPossible('an event of the bet has ended')
  if (profile?.customFields?.isCashOutAllowed === false)
    return notPossible("the player's profile does not allow cashouts")
  return undefined
}

const READ_PROFILES = statement(
  'platform_read_profiles_of_bets',
  'select b.bet_id, f.profile from platform.bet b join platform.frame_session f using (frame_session_id) where b.bet_id = any($1::uuid[])',
)

/** As the partner gave them when the bets' frames were loaded. */
async function readProfilesOf(tx: Tx, betIds: readonly string[]): Promise<Map<string, UserProfile>> {
  const rows = await tx.query<{ bet_id: string; profile: UserProfile }>(READ_PROFILES, [betIds])
  return new Map(rows.map((row) => [row.bet_id, row.profile]))
}

/** A cashout that the partner has refused, by its delivery's number among those of the bet. */
export interface RefusedCashout {
  readonly betId: string
  readonly number: number
}

/**
 * In the transaction that records the refusals, whose caller holds the bets: they are accepted again, and results that came
 * meanwhile decide them. What was decided by hand after the cashout stays. A result that the partner has, or may have, and refused to give back is
 * taken back once more: it is owed, and its last delivery says so (C-9, W-46).
 */
export async function takeBackCashouts(deps: FlowDeps, tx: Tx, refused: readonly RefusedCashout[]): Promise<void> {
  if (refused.length === 0) return
  const betIds = refused.map(({ betId }) => betId)
  const numbers = new Map(refused.map(({ betId, number }) => [betId, number]))
  const [locked, selections] = await Promise.all([lockBets(tx, betIds), readSelections(tx, betIds)])
  const open = locked
    .filter((bet) => bet.deliveries === numbers.get(bet.betId))
    .map((bet): PlatformBet => ({ ...bet, status: 'accepted', result: null }))
  await saveBets(tx, open, deps.clock.now())
  const decisions = decisionsOf(deps, open, selections)
  const decided = new Set(decisions.map(({ bet }) => bet.betId))
  const undecided = open.filter(({ betId }) => !decided.has(betId))
  const unacknowledged = undecided.filter(({ toldResult }) => toldResult === null).map(({ betId }) => betId)
  const maybe = await readRefusedToGiveBack(tx, unacknowledged)
  const again = undecided.flatMap((bet) => {
    const kept = bet.toldResult ?? maybe.get(bet.betId)
    return kept === undefined ? [] : [unsettled(deps, bet, kept)]
  })
  await decide(deps, tx, [...decisions, ...again])
}
