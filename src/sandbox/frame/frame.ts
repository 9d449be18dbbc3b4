/**
 * The demo frame: one player, a few matches whose odds move, and bets that go the real way: platform, wire, wallet, ledger. Everything it says of money
 * is read from the wallet; the accounts are those of a brand that only this player has.
 */
import { randomUUID } from 'node:crypto'
import { formatMoney, type Money, parseDecimal, parseWireBalance } from '../../protocol/money.ts'
import { createRandom } from '../../runtime/random.ts'
import type { Api } from '../api.ts'
import { renewed } from '../renewed.ts'
import type { House, Stage } from '../stage.ts'
import { createMatches, type FrameMatch, type Matches } from './matches.ts'
import { CURRENCIES, createPlayer, type FrameCurrency, load, move, PLAYER, SCALE } from './player.ts'
import { type Caption, TROUBLES, type TroubleName } from './troubles.ts'
import { createWire, type Wire } from './wire.ts'

/** Bets that are shown. */
const MAX_BETS = 8
/** The freebets' id at the platform. */
const BONUS = 7
/** Milliseconds for which a trouble waits until the platform calls the wallet again, and between two tries. */
const PATIENCE_MS = 60_000
const AGAIN_MS = 200
/** With one click, and before a trouble that needs money. */
const PAID_IN = '100.00'

export type Outcome = 'home' | 'draw' | 'away'
export interface Wish {
  readonly matchId: string
  readonly outcome: Outcome
  readonly stake: string
  /** Paid by promotions, where the wallet is set up so. */
  readonly isFree?: boolean | undefined
}
export interface Placed {
  readonly betId: string
  readonly status: 'accepted' | 'declined' | 'cancelled'
  readonly reason?: string
}
export type What = 'won' | 'lost' | 'cashout' | 'correct' | 'take back'

interface FrameBet extends Placed {
  readonly match: FrameMatch
  readonly outcome: Outcome
  readonly odds: string
  readonly stake: string
  readonly currency: FrameCurrency
  readonly isFree: boolean
}

export interface Frame {
  state(): Promise<object>
  wire(after: number): ReturnType<Wire['since']>
  bet(wish: Wish): Promise<Placed>
  end(betId: string, what: What): Promise<object>
  trouble(name: TroubleName): Promise<Caption>
  payIn(): Promise<object>
  /** The player's currency from now on. */
  switchTo(currency: FrameCurrency): Promise<object>
  stop(): Promise<void>
}

/** What the troubles work with. */
export interface Stand {
  readonly wallet: Api
  readonly platform: Api
  readonly wire: Wire
  readonly matches: Matches
  /** Waits for a platform that does not call the wallet just now. */
  place(wish: Wish): Promise<Placed>
  /** Exactly this much. Says what there was, and what was paid in: below zero it was withdrawn. */
  bringBalanceTo(amount: string): Promise<{ before: string; paidIn: string }>
  /** 100.00 more where there is less than this. True if that was needed. */
  payInUnless(amount: string): Promise<boolean>
  balance(): Promise<string>
  /** Until nothing of this bet is under way. */
  settled(betId: string): Promise<void>
  bets(): readonly FrameBet[]
  currency(): FrameCurrency
  /** Whether promotions pay the stakes of bets with a bonus. */
  readonly hasFreebets: boolean
}

export async function startFrame(stage: Stage, seed: number, hasFreebets: boolean): Promise<Frame> {
  const house = stage.houses[0] as House
  const { platform, network } = stage
  await createPlayer(house)
  const wire = createWire(PLAYER)
  network.lookout(wire)
  const matches = await createMatches(platform, createRandom(seed, 'frame'))
  const bets: FrameBet[] = []
  let currency: FrameCurrency = CURRENCIES[0]
  let session = renewed(() => load(house, platform, currency))
  await session()
  const frame = () => session()
  const parts = { house, platform, wire, matches, bets, frame, hasFreebets, currency: () => currency }
  const stand = createStand(parts)
  const isKnown = (betId: string) => bets.find((one) => one.betId === betId)
  return {
    state: () => showState(stand),
    wire: (after) => wire.since(after),
    bet: (wish) => matches.still(() => place(parts, wish)),
    async end(betId, what) {
      const known = isKnown(betId)
      if (known !== undefined) await end(stand, known, what)
      return showState(stand)
    },
    trouble: (name) => TROUBLES[name].make(stand),
    async payIn() {
      await move(house, 'deposits', currency, PAID_IN)
      return showState(stand)
    },
    async switchTo(next) {
      currency = next
      session = renewed(() => load(house, platform, next))
      await session()
      return showState(stand)
    },
    stop: () => matches.stop(),
  }
}

interface Parts {
  readonly house: House
  readonly platform: Api
  readonly wire: Wire
  readonly matches: Matches
  readonly bets: FrameBet[]
  /** The id of the frame session. */
  frame(): Promise<string>
  currency(): FrameCurrency
  readonly hasFreebets: boolean
}

function createStand(parts: Parts): Stand {
  const { house, platform, wire, matches, bets, currency: now, hasFreebets } = parts
  const balance = async () => {
    const path = `/operator/players/${PLAYER}/balances`
    const { balances } = await house.wallet.get<{ balances: { currency: string; amount: string }[] }>('GET', path)
    return balances.find(({ currency }) => currency === now())?.amount ?? '0.00'
  }
  const units = (text: string) => parseWireBalance(text, SCALE) ?? 0n
  return {
    ...{ wallet: house.wallet, platform, wire, matches, balance, currency: now, hasFreebets },
    bets: () => bets,
    place: (wish) => matches.still(() => placePatiently(parts, wish)),
    async bringBalanceTo(amount) {
      const before = await balance()
      const more = units(amount) - units(before)
      const paidIn = formatMoney(more as Money, SCALE)
      if (more !== 0n) await move(house, more > 0n ? 'deposits' : 'withdrawals', now(), paidIn.replace('-', ''))
      return { before, paidIn }
    },
    async payInUnless(amount) {
      const isEnough = units(await balance()) >= units(amount)
      if (!isEnough) await move(house, 'deposits', now(), PAID_IN)
      return !isEnough
    },
    settled: (betId) => quiet(platform, betId),
  }
}

/**
 * A wallet that gave no answer several times in a row, as on a machine that had no time, is called twice a second at most (C-10): other bets are
 * declined at once. No trouble can be shown with such a bet, so it is placed again.
 */
async function placePatiently(parts: Parts, wish: Wish): Promise<Placed> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    const placed = await place(parts, wish)
    if (placed.reason !== 'partner unavailable' || performance.now() > until) return placed
    parts.bets.splice(
      parts.bets.findIndex(({ betId }) => betId === placed.betId),
      1,
    )
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  }
}

async function place(
  { platform, matches, bets, frame, currency: now, hasFreebets }: Parts,
  { matchId, outcome, stake, isFree: wantsFree = false }: Wish,
): Promise<Placed> {
  const match = matches.find(matchId)
  const odds = match.odds[outcome]
  const selection = { eventId: match.id, outcomeId: outcome, coefficient: odds, outcome: nameOf(match, outcome) }
  const described = { discipline: 'Football', event: `${match.home} – ${match.away}`, market: 'Match winner' }
  const currency = now()
  const isFree = wantsFree && hasFreebets
  const wanted = {
    ...(isFree && { bonusId: BONUS, bonusAmount: stake }),
    frameSessionId: await frame(),
    amount: stake,
    selections: [{ ...selection, ...described }],
    idempotencyKey: randomUUID(),
  }
  const placed = await platform.get<Placed>('POST', '/bets', wanted)
  bets.unshift({ ...placed, match, outcome, odds, stake: inCents(stake), currency, isFree })
  return placed
}

export function nameOf({ home, away }: FrameMatch, outcome: Outcome): string {
  return outcome === 'draw' ? 'Draw' : outcome === 'home' ? home : away
}

const LOOK_MS = 60
/** Milliseconds: longer than any trouble of the frame lasts. */
const QUIET_MS = 20_000

async function quiet(platform: Api, betId: string): Promise<void> {
  const until = performance.now() + QUIET_MS
  while (performance.now() < until) {
    const { deliveries } = await platform.get<{ deliveries: { status: string }[] }>('GET', `/bets/${betId}`)
    if (deliveries.every(({ status }) => status !== 'pending' && status !== 'waiting')) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

const unitsIn = (amount: string) => parseDecimal(amount, SCALE) ?? 0n

/** As money looks, however it was typed. */
const inCents = (amount: string) => formatMoney(unitsIn(amount) as Money, SCALE)

/** Results are those of the match: they decide every bet on it. A cashout is the bet's own. */
async function end(stand: Stand, { betId, match, outcome, stake }: FrameBet, what: What): Promise<void> {
  const { platform, matches } = stand
  const other = outcome === 'home' ? 'away' : 'home'
  if (what === 'cashout') {
    const amount = formatMoney(((unitsIn(stake) * 9n) / 10n) as Money, SCALE)
    await platform.get('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount }, [409])
  } else if (what === 'take back') await matches.result(match.id, undefined)
  else if (what === 'correct') {
    const { resultType } = await platform.get<{ resultType?: string }>('GET', `/bets/${betId}`)
    await matches.result(match.id, resultType === 'won' ? other : outcome)
  } else await matches.result(match.id, what === 'won' ? outcome : other)
  await stand.settled(betId)
}

interface BetNow {
  readonly status: string
  readonly reason?: string
  readonly payout?: string
  readonly resultType?: string
  readonly deliveries: readonly { readonly operation: string; readonly status: string; readonly code?: number }[]
}

async function showState(stand: Stand): Promise<object> {
  const { wallet, matches, hasFreebets } = stand
  const currency = stand.currency()
  const today = new Date().toISOString().slice(0, 10)
  const [balance, report, bets] = await Promise.all([
    stand.balance(),
    wallet.get<{ data: { accounts: Record<string, { closing: string }>; sum: string }[] }>(
      'GET',
      `/operator/reports/daily?from=${today}&brand=frame&currency=${currency}`,
    ),
    Promise.all(
      stand
        .bets()
        .slice(0, MAX_BETS)
        .map((bet) => showBet(stand, bet)),
    ),
  ])
  const [row] = report.data
  return {
    ...{ player: PLAYER, currency, currencies: CURRENCIES, hasFreebets, balance, matches: matches.open(), bets },
    accounts: Object.fromEntries(Object.entries(row?.accounts ?? {}).map(([name, { closing }]) => [name, closing])),
    sum: row?.sum ?? '0.00',
  }
}

async function showBet(stand: Stand, { betId, match, outcome, ...bet }: FrameBet): Promise<object> {
  const { odds, stake, currency, isFree } = bet
  const now = await stand.platform.get<BetNow>('GET', `/bets/${betId}`)
  const { status, reason, payout, resultType } = now
  return {
    ...{ betId, event: `${match.home} – ${match.away}`, outcome: nameOf(match, outcome) },
    ...{ odds, stake, currency, isFree, status, reason, payout, resultType },
    notBooked: await notBooked(stand, betId, now),
  }
}

/** What the platform decided last and the wallet refused (L-2): the wallet's books still have the result before. */
async function notBooked({ wallet }: Stand, betId: string, { deliveries }: BetNow): Promise<object | undefined> {
  const last = deliveries.at(-1)
  if (last?.status !== 'refused' || last.operation === 'place') return undefined
  const { payout } = await wallet.get<{ payout?: string }>('GET', `/operator/players/${PLAYER}/bets/${betId}`)
  return { code: last.code, paid: payout }
}
