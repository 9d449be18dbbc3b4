/**
 * Who uses the market: bettors, the source of results, the operator's and the platform's support. Each does the next thing after a time
 * drawn by seed, waits for no answer for longer than people do, and asks again with the same key or reference when it heard none.
 */

import { setLock } from '../../operator/bets.ts'
import { moveCash } from '../../operator/cash.ts'
import { createPlayer } from '../../operator/players.ts'
import { createSession, endAllSessions } from '../../operator/sessions.ts'
import { cancelBet, settleBet, unsettleBet } from '../../platform/bets/bet-flow.ts'
import { loadFrame } from '../../platform/bets/frame-session.ts'
import { placeBet } from '../../platform/bets/place.ts'
import { sendAllAgain } from '../../platform/delivery/retry.ts'
import type { Platform } from '../../platform/platform.ts'
import { type Money, money } from '../../protocol/money.ts'
import type { Random } from '../../runtime/random.ts'
import { atPlatform, atWallet, insist } from './insist.ts'
import type { Market } from './market.ts'
import { AUTHORS, type WalletParty } from './parties.ts'

export const PARTNER = 'the-operator'

export interface Player {
  readonly userId: string
  /** Undefined when the token that it had is known to have ended. */
  frameSessionId: string | undefined
  /** The last one that it was given. */
  token: string | undefined
  /** Money is just being moved by hand. */
  isMoving: boolean
  /** Minor units: what the wallet has said yes to. */
  cash: bigint
}

export interface Cast {
  readonly players: readonly Player[]
  /** That the platform has answered. */
  readonly bets: { readonly betId: string; readonly player: Player }[]
  /** Of money in and out: so many were made. */
  movements: number
  /** Actors go on until then. */
  isOver: boolean
}

export async function openAccount(market: Market, cast: Cast, userId: string, amount: number): Promise<Player> {
  const body = { userId, currency: 'EUR', currencies: ['EUR'] }
  await insist(
    cast,
    atWallet(market, ({ operator }) => createPlayer(operator, AUTHORS.wallet(), body)),
  )
  const player: Player = { userId, frameSessionId: undefined, token: undefined, isMoving: false, cash: 0n }
  await moveMoney(market, cast, player, 'deposit', amount)
  await openFrame(market, cast, player)
  return player
}

/** Who has begun to move money wants to know what became of it, also when the market is over. */
const TO_THE_END = { isOver: false }

/** Whole euros. */
async function moveMoney(
  market: Market,
  cast: Cast,
  player: Player,
  kind: 'deposit' | 'withdrawal',
  euros: number,
): Promise<void> {
  const body = { currency: 'EUR', amount: `${euros}.00`, reference: `${kind} ${++cast.movements}` }
  const move = atWallet(market, ({ operator }) => moveCash(operator, AUTHORS.wallet(), player.userId, kind, body))
  const change = BigInt(euros) * (kind === 'deposit' ? 100n : -100n)
  player.isMoving = true
  player.cash += change // taken off again when it was refused
  const isMoved = await insist(TO_THE_END, move).then(
    () => true,
    () => false,
  )
  if (!isMoved) player.cash -= change
  player.isMoving = false
  market.trace.note(`${player.userId}: ${kind} of ${euros} ${isMoved ? 'made' : 'refused'}`)
}

async function openFrame(market: Market, cast: Cast, player: Player): Promise<void> {
  const session = await insist(
    cast,
    atWallet(market, ({ operator }) => createSession(operator, AUTHORS.wallet(), player.userId, {})),
  )
  if (session === undefined) return
  player.token = session.token
  const loaded = await insist(
    cast,
    atPlatform(market, ({ deciding }) => loadFrame(deciding, AUTHORS.platform(), PARTNER, session.token)),
  )
  if (loaded?.kind === 'loaded') player.frameSessionId = loaded.session.frameSessionId
}

/** Bets now and then until the market is over. */
export async function bettor(market: Market, cast: Cast, player: Player, random: Random): Promise<void> {
  const gap = () => random.between(500, 15_000)
  const draw = () => ({
    amount: `${random.between(1, 40)}.${random.below(10)}0`,
    selections: drawSelections(market, random),
  })
  for (let number = 1; !cast.isOver; number++) {
    const deed = await market.choices.deed(player.userId, gap, draw)
    if (player.frameSessionId === undefined) await openFrame(market, cast, player)
    const { frameSessionId } = player
    if (deed === undefined || frameSessionId === undefined || cast.isOver) continue
    const wanted = { ...deed, frameSessionId, idempotencyKey: `${player.userId} ${number}` }
    const outcome = await insist(
      cast,
      atPlatform(market, ({ deciding }) => placeBet(deciding, AUTHORS.platform(), wanted)),
    ).catch((error: Error) => error)
    if (outcome === undefined || outcome instanceof Error) continue
    const name = outcome.kind === 'placed' ? market.names.bet(outcome.bet.betId) : ''
    market.trace.note(
      `${player.userId} hears: ${outcome.kind === 'placed' ? `${name} ${outcome.bet.status} ${outcome.bet.reason ?? ''}` : outcome.kind}`,
    )
    if (outcome.kind === 'placed') cast.bets.push({ betId: outcome.bet.betId, player })
  }
}

/** Milliseconds after which the next event has its first result. */
const EVENT_MS = 20_000
const eventName = (number: number) => `event ${number}`

/** The number of events that may have results now. */
function endedEvents({ world }: Market): number {
  return Math.floor(world.elapsed() / EVENT_MS) + 1
}

/** Most often on events that come; now and then on one that is over. */
function drawSelections(market: Market, random: Random) {
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
export async function resultSource(market: Market, cast: Cast, random: Random): Promise<void> {
  const gap = () => random.between(3_000, 15_000)
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
export async function traders(market: Market, cast: Cast, random: Random): Promise<void> {
  const gap = () => random.between(3_000, 20_000)
  const draw = () => {
    if (cast.bets.length === 0) return undefined
    const bet = market.names.bet(random.pick(cast.bets).betId)
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
    const work = atPlatform(market, (platform) => trade(platform, does, bet.betId, money(BigInt(payout))))
    const what = await insist(cast, work).catch((error: Error) => error.message)
    market.trace.note(`${does} of ${deed.bet} by hand: ${what}`)
    if (what === 'changed') market.trace.mark(`by hand: ${does}`)
  }
}

/** A bet by its name in the story; undefined when there is none in this run. */
function betCalled(market: Market, { bets }: Cast, name: string): Cast['bets'][number] | undefined {
  return bets.find(({ betId }) => market.names.bet(betId) === name)
}

type Trade = 'cashout' | 'settle' | 'unsettle' | 'cancel' | 'send again'

async function trade({ deciding, deliverer }: Platform, deed: Trade, betId: string, payout: Money): Promise<string> {
  const author = AUTHORS.platform()
  if (deed === 'send again') {
    await sendAllAgain(deciding, author, {})
    return 'sent'
  }
  const { kind } =
    deed === 'cashout'
      ? await deciding.cashOut({ author, betId, payout, askedIn: undefined })
      : deed === 'settle'
        ? await settleBet(deciding, author, betId, { resultType: payout === 0n ? 'lost' : 'won', payout })
        : deed === 'unsettle'
          ? await unsettleBet(deciding, author, betId)
          : await cancelBet(deciding, author, betId, 32)
  deliverer.wake()
  return kind
}

/** The operator's people: money in and out, sessions ended, results locked and set free. */
export async function operators(market: Market, cast: Cast, random: Random): Promise<void> {
  const gap = () => random.between(4_000, 25_000)
  const draw = () => ({
    does: random.pick(['deposit', 'withdrawal', 'end sessions', 'lock', 'lock', 'unlock'] as const),
    player: random.pick(cast.players).userId,
    euros: random.between(1, 60),
    bet: cast.bets.length === 0 ? '' : market.names.bet(random.pick(cast.bets).betId),
  })
  while (!cast.isOver) {
    const deed = await market.choices.deed('operators', gap, draw)
    const player = cast.players.find(({ userId }) => userId === deed?.player)
    if (deed === undefined || player === undefined) continue
    const { does, euros } = deed
    if (does === 'deposit' || does === 'withdrawal') await moveMoney(market, cast, player, does, euros)
    else if (does === 'end sessions') await endSessions(market, cast, player)
    else {
      const bet = betCalled(market, cast, deed.bet)
      if (bet !== undefined) await lock(market, cast, bet, does === 'lock')
    }
  }
}

async function endSessions(market: Market, cast: Cast, player: Player): Promise<void> {
  const end = atWallet(market, ({ operator }) => endAllSessions(operator, AUTHORS.wallet(), player.userId))
  await insist(cast, end)
  player.frameSessionId = undefined
  market.trace.note(`${player.userId}: sessions ended`)
}

async function lock(market: Market, cast: Cast, bet: Cast['bets'][number], isLocked: boolean): Promise<void> {
  const at = { userId: bet.player.userId, transactionId: bet.betId }
  const set = atWallet(market, ({ operator }) => setLock(operator, AUTHORS.wallet(), at, isLocked))
  const what = await insist(cast, set).then(
    () => 'done',
    (error: Error) => error.message,
  )
  market.trace.note(`${isLocked ? 'lock' : 'unlock'} ${market.names.bet(bet.betId)}: ${what}`)
}

/** What people do when all is calm: results may be changed again, and what needs a person is sent again. */
export async function putRight({ wallet, platform }: Market, { bets }: Cast): Promise<void> {
  const [{ operator }, { deciding, deliverer }] = [wallet(), platform()] as [WalletParty, Platform]
  for (const { betId, player } of bets)
    await setLock(operator, AUTHORS.wallet(), { userId: player.userId, transactionId: betId }, false).catch(() => {})
  await sendAllAgain(deciding, AUTHORS.platform(), {})
  deliverer.wake()
}
