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
import type { PlatformBet, Result } from './bet.ts'
import { decide, decisionsOf, type FlowDeps, isSame, NotPossible, recordChange, settled } from './bet-flow.ts'
import { type KnownSelection, lockBets, readSelections, saveBets } from './bet-store.ts'
import { holdEventsOf } from './event.ts'

/** Where the user asked for it: its token is shown (W-14), and its profile is the latest word on whether it is allowed. */
export interface AskedIn {
  readonly token: string
  readonly profile: UserProfile
}

/** Throws NotPossible; undefined when there is no such bet. The same cashout again is the same. */
export async function cashOut(
  deps: FlowDeps,
  author: Author,
  betId: string,
  payout: Money,
  askedIn?: AskedIn,
): Promise<PlatformBet | undefined> {
  const result: Result = { resultType: 'cashout', payout, source: 'request' }
  const profile = askedIn?.profile ?? (await readProfileOf(deps, betId))
  return deps.db.transaction(async (tx) => {
    // In this order: the bet is locked, then its events, and what is read is what their last holders left.
    const [[bet], , selections] = await Promise.all([
      lockBets(tx, [betId]),
      holdEventsOf(tx, [betId]),
      readSelections(tx, [betId]),
    ])
    if (bet === undefined || isSame(bet.result, result)) return bet
    const objection = objectionTo(bet, selections, profile)
    if (objection !== undefined) throw new NotPossible(objection)
    const decided = settled(deps, bet, result, askedIn?.token)
    await decide(deps, tx, [decided])
    await recordChange(deps, tx, author, bet, decided.bet)
    return decided.bet
  })
}

function objectionTo(
  { status }: PlatformBet,
  selections: readonly KnownSelection[],
  profile: UserProfile | undefined,
): string | undefined {
  if (status !== 'accepted') return `a ${status} bet cannot be cashed out`
  if (selections.some(({ result }) => result !== null)) return 'a selection of the bet has a result already'
  if (selections.some(({ eventStatus }) => eventStatus === 'ended')) return 'an event of the bet has ended'
  if (profile?.customFields?.isCashOutAllowed === false) return "the player's profile does not allow cashouts"
  return undefined
}

const READ_PROFILE = statement(
  'platform_read_profile_of_bet',
  'select f.profile from platform.bet b join platform.frame_session f using (frame_session_id) where b.bet_id = $1::uuid',
)

/** As the partner gave it when the bet's frame was loaded. */
async function readProfileOf({ db }: FlowDeps, betId: string): Promise<UserProfile | undefined> {
  const [row] = await db.query<{ profile: UserProfile }>(READ_PROFILE, [betId])
  return row?.profile
}

/** A cashout that the partner has refused, by its delivery's number among those of the bet. */
export interface RefusedCashout {
  readonly betId: string
  readonly number: number
}

/**
 * In the transaction that records the refusals, whose caller holds the bets: they are accepted again, and results that came
 * meanwhile decide them. What was decided by hand after the cashout stays.
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
  await decide(deps, tx, decisionsOf(deps, open, selections))
}
