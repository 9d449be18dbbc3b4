/**
 * Who uses the market: bettors, the source of results, the platform's support. Each does the next thing after a time drawn by seed, waits
 * for no answer for longer than people do, and asks again with the same key or reference when it heard none.
 */

import { setLock } from '../../operator/bets.ts'
import { cancelBet, settleBet, unsettleBet } from '../../platform/bets/bet-flow.ts'
import { placeBet, type Wanted } from '../../platform/bets/place.ts'
import { acknowledgeByHand } from '../../platform/delivery/acknowledge.ts'
import { sendAllAgain } from '../../platform/delivery/retry.ts'
import type { Platform } from '../../platform/platform.ts'
import { isRefused } from '../../platform/refusal.ts'
import { ROLLBACK_REASON, replyCodes } from '../../protocol/codes.ts'
import { type Money, money } from '../../protocol/money.ts'
import type { Random } from '../../runtime/random.ts'
import { notUnderstood, owing } from './books.ts'
import { betCalled, type Cast, type Player, RECENT } from './cast.ts'
import { writtenIn } from './cents.ts'
import type { Choices } from './choices.ts'
import { atPlatform, insist } from './insist.ts'
import type { Market, Stores } from './market.ts'
import { moveMoney } from './operator-people.ts'
import { AUTHORS, type WalletParty } from './parties.ts'
import { type Scene, spanOf } from './scene.ts'

/** P-1: ended, or not there any more since a backup was put back. */
const TOKEN_IS_OVER = replyCodes('expired_token', 'invalid_token').map((code) => `partner code ${code}`)

/** What those need who use the platform. */
export interface Meeting extends Pick<Market, 'trace' | 'names' | 'scene' | 'world' | 'platform' | 'pace'> {
  readonly choices: Pick<Choices, 'deed'>
}

/** Bets now and then until the market is over. `openFrame`: gives the player a frame session, if nobody refuses it. */
export async function bettor(
  market: Meeting,
  cast: Cast,
  player: Player,
  random: Random,
  openFrame: () => Promise<void>,
  /** What else the bet says, by its stake. */
  terms: (amount: string) => Partial<Wanted> = () => ({}),
): Promise<void> {
  const gap = () => random.between(500, 15_000) * spanOf(market.scene)
  const draw = () => {
    const amount = `${random.between(1, 40)}.${random.below(10)}0`
    return { amount, selections: drawSelections(market, random), ...terms(amount) }
  }
  for (let number = 1; !cast.isOver; number++) {
    const deed = await market.choices.deed(player.name, gap, draw)
    if (player.frameSessionId === undefined) await openFrame()
    const { frameSessionId, currency } = player
    if (deed === undefined || frameSessionId === undefined || cast.isOver) continue
    const { amount, ...rest } = deed
    market.trace.mark('a player bets')
    const wanted = {
      ...rest,
      amount: writtenIn(currency, amount),
      frameSessionId,
      idempotencyKey: `${player.name} ${number}`,
    }
    const outcome = await insist(
      cast,
      atPlatform(market, ({ deciding }) => placeBet(deciding, AUTHORS.platform(), wanted)),
    ).catch((error: Error) => error)
    if (outcome === undefined || outcome instanceof Error) continue
    if (isRefused(outcome)) {
      market.trace.note(`${player.name} hears: ${outcome.code}`)
      continue
    }
    const { betId, status, reason } = outcome
    if (status !== 'declined' && status !== 'placing') market.trace.mark(`a bet is ${status}`)
    market.trace.note(`${player.name} hears: ${market.names.bet(betId)} ${status} ${reason ?? ''}`)
    cast.bets.push({ betId, player, currency })
    if (TOKEN_IS_OVER.includes(`${reason}`)) player.frameSessionId = undefined
  }
}

/** Above 0: a bonus; 0 and below are none (D-1). Bonuses are smaller than their stake now and then (W-49), and some bets have no stake. */
export function drawBonus({ freebets = 'none' }: Scene, random: Random, amount: string): Partial<Wanted> {
  if (freebets === 'none' || !random.chance(0.4)) return {}
  const bonusId = random.pick([7, 7, 7, 7, 0, -1])
  const bonusAmount = random.pick([amount, amount, '1', '100'])
  return { bonusId, bonusAmount, ...(bonusId > 0 && random.chance(0.15) && { amount: '0' }) }
}

/** Milliseconds after which the next event has its first result. */
const EVENT_MS = 20_000
const eventName = (number: number) => `event ${number}`

/** The number of events that may have results now. */
function endedEvents({ world, scene }: Meeting): number {
  return Math.floor(world.elapsed() / (EVENT_MS * spanOf(scene))) + 1
}

/** Most often on events that come; now and then on one that is over. */
function drawSelections(market: Meeting, random: Random) {
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

/** Tells results, corrects and withdraws them. */
export async function resultSource(market: Meeting, cast: Cast, random: Random): Promise<void> {
  const gap = () => random.between(3_000, 15_000) * spanOf(market.scene)
  const draw = () => {
    const latest = endedEvents(market)
    return { eventId: eventName(random.between(Math.max(1, latest - 3), latest)), number: random.below(RESULTS.length) }
  }
  while (!cast.isOver) {
    const deed = await market.choices.deed('results', gap, draw)
    if (deed === undefined) continue
    const { eventId, number } = deed
    const outcomes = RESULTS[number] ?? []
    market.trace.note(`results of ${eventId}: ${outcomes.map(({ result }) => result).join(', ') || 'none'}`)
    const set = atPlatform(market, ({ deciding }) => deciding.results.set(AUTHORS.platform(), eventId, outcomes))
    await insist(cast, set).catch(() => {})
  }
}

/** The platform's people: cashouts, results by hand, bets cancelled, what is stuck sent again. */
export async function traders(market: Meeting, cast: Cast, random: Random): Promise<void> {
  const gap = () => random.between(3_000, 20_000) * spanOf(market.scene)
  const draw = () => {
    if (cast.bets.length === 0) return undefined
    const bet = market.names.bet(random.pick(cast.bets.slice(-RECENT)).betId)
    const payout = `${random.between(0, 60) * 50}`
    return {
      does: random.pick(['cashout', 'cashout', 'settle', 'unsettle', 'cancel', 'send again'] as const),
      bet,
      payout,
    }
  }
  while (!cast.isOver) {
    const deed = await market.choices.deed('traders', gap, draw)
    const bet = deed && betCalled(market, cast, deed.bet)
    if (deed === undefined || bet === undefined) continue
    const { does, payout } = deed
    const work = atPlatform(market, (platform) => trade(market, platform, does, bet.betId, money(BigInt(payout))))
    const what = await insist(cast, work).catch((error: Error) => error.message)
    market.trace.note(`${does} of ${deed.bet} by hand: ${what}`)
    if (what === 'changed') market.trace.mark(`by hand: ${does}`)
  }
}

type Trade = 'cashout' | 'settle' | 'unsettle' | 'cancel' | 'send again'

async function trade(
  { pace }: Pick<Meeting, 'pace'>,
  { deciding, deliverer }: Platform,
  deed: Trade,
  betId: string,
  payout: Money,
): Promise<string> {
  const author = AUTHORS.platform()
  if (deed === 'send again') {
    pace.sentAgain() // and behind it: nobody knows at which of its statements a delivery begins anew
    await sendAllAgain(deciding, author, {})
    pace.sentAgain()
    return 'sent'
  }
  const changed =
    deed === 'cashout'
      ? await deciding.cashOut({ author, betId, payout, askedIn: undefined })
      : deed === 'settle'
        ? await settleBet(deciding, author, betId, { resultType: payout === 0n ? 'lost' : 'won', payout })
        : deed === 'unsettle'
          ? await unsettleBet(deciding, author, betId)
          : await cancelBet(deciding, author, betId, ROLLBACK_REASON.eventWithdrawn)
  deliverer.wake()
  return isRefused(changed) ? changed.code : 'changed'
}

/**
 * What people do when all is calm: results may be changed again, and what needs a person is sent again. What a wallet that has lost the bet does
 * not understand they look up in its books and those of reconcile, and end (W-47). A player who has too little for a correction pays it (L-2).
 */
export async function putRight(market: Market, cast: Cast, stores: Pick<Stores, 'platform'>): Promise<void> {
  const { bets, restored, players } = cast
  const { deciding, deliverer } = market.platform() as Platform
  const ended = restored.size > 0 ? await notUnderstood(stores) : []
  for (const delivery of ended)
    await acknowledgeByHand(deciding, AUTHORS.platform(), delivery, 'the bet was lost with a backup').catch(() => {})
  for (const { betId, player } of bets) {
    const { operator } = market.wallet(player.wallet) as WalletParty
    market.wire(player.wallet).standing.locked(betId, false)
    await setLock(operator, AUTHORS.wallet(), { userId: player.userId, transactionId: betId }, false).catch(() => {})
  }
  for (const { user_id: knownAs, currency } of await owing(stores)) {
    const player = players.find((one) => one.knownAs === knownAs)
    const deposit = { kind: 'deposit', euros: OWED_EUROS, currency, despiteExclusion: true } as const
    if (player !== undefined) await moveMoney(market, cast, player, deposit)
  }
  market.pace.sentAgain()
  await sendAllAgain(deciding, AUTHORS.platform(), {})
  market.pace.sentAgain()
  deliverer.wake()
}

/** More than any correction takes back. */
const OWED_EUROS = 10_000
