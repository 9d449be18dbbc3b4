/**
 * The users in a simulated market: bettors, the source of results, and the platform's support.
 *
 * Each actor acts after delays drawn from the seed. It waits as long as a user would, then repeats
 * an unanswered request with the same key or reference.
 */

import { ROLLBACK_REASON, replyCodes } from '@purser/protocol/reply-codes'
import { type Money, money } from '@purser/protocol/values/money'
import type { Random } from '@purser/runtime/seeded-random'
import { cancelBet, settleBet, unsettleBet } from 'purser/platform/bets/bet-flow'
import { acknowledgeManually } from 'purser/platform/delivery/manual-acknowledgement'
import { retryMatching } from 'purser/platform/delivery/manual-retry'
import { type BetPlacementRequest, placeBet } from 'purser/platform/placement/bet-placement'
import type { Platform } from 'purser/platform/platform'
import { isRefusal } from 'purser/platform/platform-refusal'
import { setResultLock } from 'purser/wallet/operator-api/bets/bet-detail'
import type { Market, Stores } from '../market.ts'
import { readNotUnderstood, readOwingPlayers } from '../oracle/market-books.ts'
import { formatMarketAmount } from '../oracle/market-money.ts'
import type { Choices } from '../run-choices.ts'
import { readScenarioSpan, type Scenario } from '../scenario.ts'
import { findBetByName, type MarketPlayer, type Participants, RECENT_BETS } from './market-participants.ts'
import { AUTHORS, type WalletParty } from './market-parties.ts'
import { moveMoney } from './operator-staff.ts'
import { callOnPlatform, retryUntilAnswered } from './retry-until-answered.ts'

/** The token has ended (P-1), or a restored backup does not contain the token. */
const TOKEN_ENDED = replyCodes('expired_token', 'invalid_token').map((code) => `partner code ${code}`)

export interface ActorContext extends Pick<Market, 'trace' | 'names' | 'scenario' | 'world' | 'platform' | 'pace'> {
  readonly choices: Pick<Choices, 'nextAction'>
}

/**
 * Places bets until the market is over. `openFrame` loads a frame session, unless it is refused.
 */
export async function runBettor(
  market: ActorContext,
  participants: Participants,
  player: MarketPlayer,
  random: Random,
  openFrame: () => Promise<void>,
  /** Further members of the bet. */
  terms: (amount: string) => Partial<BetPlacementRequest> = () => ({}),
): Promise<void> {
  const gap = () => random.between(500, 15_000) * readScenarioSpan(market.scenario)
  const draw = () => {
    const amount = `${random.between(1, 40)}.${random.below(10)}0`
    return { amount, selections: drawSelections(market, random), ...terms(amount) }
  }
  for (let number = 1; !participants.isOver; number++) {
    const action = await market.choices.nextAction(player.name, gap, draw)
    if (player.frameSessionId === undefined) await openFrame()
    const { frameSessionId, currency } = player
    if (action === undefined || frameSessionId === undefined || participants.isOver) continue
    const { amount, ...rest } = action
    market.trace.mark('a player bets')
    const request = {
      ...rest,
      amount: formatMarketAmount(currency, amount),
      frameSessionId,
      idempotencyKey: `${player.name} ${number}`,
    }
    const outcome = await retryUntilAnswered(
      participants,
      callOnPlatform(market, ({ deciding }) => placeBet(deciding, AUTHORS.platform(), request)),
    ).catch((error: Error) => error)
    if (outcome === undefined || outcome instanceof Error) continue
    if (isRefusal(outcome)) {
      market.trace.note(`${player.name} hears: ${outcome.code}`)
      continue
    }
    const { betId, status, reason } = outcome
    if (status !== 'declined' && status !== 'placing') market.trace.mark(`a bet is ${status}`)
    market.trace.note(`${player.name} hears: ${market.names.bet(betId)} ${status} ${reason ?? ''}`)
    participants.bets.push({ betId, player, currency })
    if (TOKEN_ENDED.includes(`${reason}`)) player.frameSessionId = undefined
  }
}

/**
 * A `bonusId` above 0 is a bonus, any other is no bonus (D-1). Some bonuses are smaller than their
 * stake (W-49), and some bets have no stake.
 */
export function drawBonus(
  { freebets = 'none' }: Scenario,
  random: Random,
  amount: string,
): Partial<BetPlacementRequest> {
  if (freebets === 'none' || !random.chance(0.4)) return {}
  const bonusId = random.pick([7, 7, 7, 7, 0, -1])
  const bonusAmount = random.pick([amount, amount, '1', '100'])
  return { bonusId, bonusAmount, ...(bonusId > 0 && random.chance(0.15) && { amount: '0' }) }
}

/** Milliseconds between the first results of one event and of the next. */
const EVENT_MS = 20_000
const eventName = (number: number) => `event ${number}`

function endedEvents({ world, scenario }: ActorContext): number {
  return Math.floor(world.elapsed() / (EVENT_MS * readScenarioSpan(scenario))) + 1
}

/** Most selections are on future events, some on events that are over. */
function drawSelections(market: ActorContext, random: Random) {
  const first = endedEvents(market) + (random.chance(0.1) ? 0 : 1) + random.below(2)
  const count = random.chance(0.3) ? 2 : 1
  return Array.from({ length: count }, (_, i) => ({
    eventId: eventName(first + i),
    outcomeId: random.pick(['home', 'away']),
    coefficient: random.pick(['1.5', '2.1', '3.25']),
  }))
}

const RESULTS = [
  [],
  [
    { outcomeId: 'home', result: 'won' },
    { outcomeId: 'away', result: 'lost' },
  ],
  [
    { outcomeId: 'home', result: 'lost' },
    { outcomeId: 'away', result: 'won' },
  ],
  [
    { outcomeId: 'home', result: 'refund' },
    { outcomeId: 'away', result: 'refund' },
  ],
] as const

export async function runResultSource(market: ActorContext, participants: Participants, random: Random): Promise<void> {
  const gap = () => random.between(3_000, 15_000) * readScenarioSpan(market.scenario)
  const draw = () => {
    const latest = endedEvents(market)
    return { eventId: eventName(random.between(Math.max(1, latest - 3), latest)), number: random.below(RESULTS.length) }
  }
  while (!participants.isOver) {
    const action = await market.choices.nextAction('results', gap, draw)
    if (action === undefined) continue
    const { eventId, number } = action
    const outcomes = RESULTS[number] ?? []
    market.trace.note(`results of ${eventId}: ${outcomes.map(({ result }) => result).join(', ') || 'none'}`)
    const set = callOnPlatform(market, ({ deciding }) => deciding.results.set(AUTHORS.platform(), eventId, outcomes))
    await retryUntilAnswered(participants, set).catch(() => {})
  }
}

/** Cashouts, manual results, cancelled bets, and retries of stuck deliveries. */
export async function runTraders(market: ActorContext, participants: Participants, random: Random): Promise<void> {
  const gap = () => random.between(3_000, 20_000) * readScenarioSpan(market.scenario)
  const draw = () => {
    if (participants.bets.length === 0) return undefined
    const bet = market.names.bet(random.pick(participants.bets.slice(-RECENT_BETS)).betId)
    const payout = `${random.between(0, 60) * 50}`
    return {
      kind: random.pick(['cashout', 'cashout', 'settle', 'unsettle', 'cancel', 'send again'] as const),
      bet,
      payout,
    }
  }
  while (!participants.isOver) {
    const action = await market.choices.nextAction('traders', gap, draw)
    const bet = action && findBetByName(market, participants, action.bet)
    if (action === undefined || bet === undefined) continue
    const { kind, payout } = action
    const work = callOnPlatform(market, (platform) => trade(market, platform, kind, bet.betId, money(BigInt(payout))))
    const outcomeText = await retryUntilAnswered(participants, work).catch((error: Error) => error.message)
    market.trace.note(`${kind} of ${action.bet} by hand: ${outcomeText}`)
    if (outcomeText === 'changed') market.trace.mark(`by hand: ${kind}`)
  }
}

type Trade = 'cashout' | 'settle' | 'unsettle' | 'cancel' | 'send again'

async function trade(
  { pace }: Pick<ActorContext, 'pace'>,
  { deciding, deliverer }: Platform,
  action: Trade,
  betId: string,
  payout: Money,
): Promise<string> {
  const author = AUTHORS.platform()
  if (action === 'send again') {
    // The schedule restarts at an unknown statement, so this is called before and after the retry.
    pace.sentAgain()
    await retryMatching(deciding, author, {})
    pace.sentAgain()
    return 'sent'
  }
  const changed =
    action === 'cashout'
      ? await deciding.cashOut({ author, betId, payout, session: undefined })
      : action === 'settle'
        ? await settleBet(deciding, author, betId, { resultType: payout === 0n ? 'lost' : 'won', payout })
        : action === 'unsettle'
          ? await unsettleBet(deciding, author, betId)
          : await cancelBet(deciding, author, betId, ROLLBACK_REASON.eventWithdrawn)
  deliverer.wake()
  return isRefusal(changed) ? changed.code : 'changed'
}

/**
 * The manual work without faults: it unlocks results and retries deliveries that need attention.
 *
 * Deliveries of bets that a restored backup has lost are acknowledged by hand (W-47). A player who
 * owes money after a correction pays it in (L-2).
 */
export async function resolveOpenIssues(
  market: Market,
  participants: Participants,
  stores: Pick<Stores, 'platform'>,
): Promise<void> {
  const { bets, restored, players } = participants
  const { deciding, deliverer } = market.platform() as Platform
  const ended = restored.size > 0 ? await readNotUnderstood(stores) : []
  for (const delivery of ended)
    await acknowledgeManually(deciding, AUTHORS.platform(), delivery, 'the bet was lost with a backup').catch(() => {})
  for (const { betId, player } of bets) {
    const { operator } = market.wallet(player.wallet) as WalletParty
    market.wire(player.wallet).standing.locked(betId, false)
    await setResultLock(operator, AUTHORS.wallet(), { userId: player.userId, transactionId: betId }, false).catch(
      () => {},
    )
  }
  for (const { user_id: knownAs, currency } of await readOwingPlayers(stores)) {
    const player = players.find((one) => one.knownAs === knownAs)
    const deposit = { kind: 'deposit', euros: OWED_EUROS, currency, despiteExclusion: true } as const
    if (player !== undefined) await moveMoney(market, participants, player, deposit)
  }
  market.pace.sentAgain()
  await retryMatching(deciding, AUTHORS.platform(), {})
  market.pace.sentAgain()
  deliverer.wake()
}

/** More than any correction takes back. */
const OWED_EUROS = 10_000
