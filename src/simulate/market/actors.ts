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
import { inTime } from '../../runtime/in-time.ts'
import { pause } from '../../runtime/pause.ts'
import type { Random } from '../../runtime/random.ts'
import type { Market } from './market.ts'
import { AUTHORS, type WalletParty } from './parties.ts'

export const PARTNER = 'the-operator'

export interface Player {
  readonly userId: string
  /** Undefined when the token that it had is known to have ended. */
  frameSessionId: string | undefined
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

/** Milliseconds after which somebody asks again. */
const PATIENCE_MS = 12_000

/** Asks until there is an answer. Undefined: the market is over. What throws is a refusal, and an answer. */
async function insist<T>(cast: Pick<Cast, 'isOver'>, ask: () => Promise<T> | undefined): Promise<T | undefined> {
  while (!cast.isOver) {
    const asked = ask()
    if (asked === undefined) await pause(1_000)
    else {
      const answer = await inTime<T | typeof NONE>(asked, PATIENCE_MS, () => NONE)
      if (answer !== NONE) return answer
    }
  }
  return undefined
}

const NONE = Symbol('no answer')

const atWallet =
  <T>({ wallet }: Market, ask: (wallet: WalletParty) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = wallet()
    return there && ask(there)
  }

const atPlatform =
  <T>({ platform }: Market, ask: (platform: Platform) => Promise<T>) =>
  (): Promise<T> | undefined => {
    const there = platform()
    return there && ask(there)
  }

export async function openAccount(market: Market, cast: Cast, userId: string, amount: number): Promise<Player> {
  const body = { userId, currency: 'EUR', currencies: ['EUR'] }
  await insist(
    cast,
    atWallet(market, ({ operator }) => createPlayer(operator, AUTHORS.wallet(), body)),
  )
  const player: Player = { userId, frameSessionId: undefined, cash: 0n }
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
  player.cash += change // taken off again when it was refused
  const isMoved = await insist(TO_THE_END, move).then(
    () => true,
    () => false,
  )
  if (!isMoved) player.cash -= change
  market.trace.note(`${player.userId}: ${kind} of ${euros} ${isMoved ? 'made' : 'refused'}`)
}

async function openFrame(market: Market, cast: Cast, player: Player): Promise<void> {
  const session = await insist(
    cast,
    atWallet(market, ({ operator }) => createSession(operator, AUTHORS.wallet(), player.userId, {})),
  )
  if (session === undefined) return
  const loaded = await insist(
    cast,
    atPlatform(market, ({ deciding }) => loadFrame(deciding, AUTHORS.platform(), PARTNER, session.token)),
  )
  if (loaded?.kind === 'loaded') player.frameSessionId = loaded.session.frameSessionId
}

/** Bets now and then until the market is over. */
export async function bettor(market: Market, cast: Cast, player: Player, random: Random): Promise<void> {
  for (let number = 1; !cast.isOver; number++) {
    await pause(random.between(500, 15_000))
    if (player.frameSessionId === undefined) await openFrame(market, cast, player)
    const { frameSessionId } = player
    if (frameSessionId === undefined || cast.isOver) continue
    const wanted = {
      frameSessionId,
      amount: `${random.between(1, 40)}.${random.below(10)}0`,
      idempotencyKey: `${player.userId} ${number}`,
      selections: drawSelections(market, random),
    }
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
  while (!cast.isOver) {
    await pause(random.between(3_000, 15_000))
    const latest = endedEvents(market)
    const [eventId, number] = [eventName(random.between(Math.max(1, latest - 3), latest)), random.below(RESULTS.length)]
    const outcomes = RESULTS[number] ?? []
    market.trace.note(`results of ${eventId}: ${outcomes.map(({ result }) => result).join(', ') || 'none'}`)
    const set = atPlatform(market, ({ deciding }) => deciding.results.set(AUTHORS.platform(), eventId, outcomes))
    await insist(cast, set).catch(() => {})
  }
}

/** The platform's people: cashouts, results by hand, bets cancelled, what is stuck sent again. */
export async function traders(market: Market, cast: Cast, random: Random): Promise<void> {
  while (!cast.isOver) {
    await pause(random.between(3_000, 20_000))
    const bet = cast.bets.length === 0 ? undefined : random.pick(cast.bets)
    if (bet === undefined) continue
    const { betId } = bet
    const payout = money(BigInt(random.between(0, 60)) * 50n)
    const deed = random.pick(['cashout', 'cashout', 'settle', 'unsettle', 'cancel', 'send again'] as const)
    const work = atPlatform(market, (platform) => trade(platform, deed, betId, payout))
    const what = await insist(cast, work).catch((error: Error) => error.message)
    market.trace.note(`${deed} of ${market.names.bet(betId)} by hand: ${what}`)
    if (what === 'changed') market.trace.mark(`by hand: ${deed}`)
  }
}

type Deed = 'cashout' | 'settle' | 'unsettle' | 'cancel' | 'send again'

async function trade({ deciding, deliverer }: Platform, deed: Deed, betId: string, payout: Money): Promise<string> {
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
  while (!cast.isOver) {
    await pause(random.between(4_000, 25_000))
    const player = random.pick(cast.players)
    const deed = random.pick(['deposit', 'withdrawal', 'end sessions', 'lock', 'lock', 'unlock'] as const)
    if (deed === 'deposit' || deed === 'withdrawal') await moveMoney(market, cast, player, deed, random.between(1, 60))
    else if (deed === 'end sessions') {
      const end = atWallet(market, ({ operator }) => endAllSessions(operator, AUTHORS.wallet(), player.userId))
      await insist(cast, end)
      player.frameSessionId = undefined
      market.trace.note(`${player.userId}: sessions ended`)
    } else if (cast.bets.length > 0) await lock(market, cast, random.pick(cast.bets), deed === 'lock')
  }
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
