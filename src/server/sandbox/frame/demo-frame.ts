/**
 * The demo frame: one player, a few matches whose odds move, and bets that go the real way: platform, wire, wallet, ledger. Everything it says of money
 * is read from the wallet; the accounts are those of a brand that only this player has.
 */
import { randomUUID } from 'node:crypto'
import { formatMoney, type Money, parseDecimal, parseWireBalance } from '../../../protocol/values/money.ts'
import { createRandom } from '../../../runtime/seeded-random.ts'
import type { BearerClient } from '../bearer-client.ts'
import { createFrameSessionRenewal } from '../bettors/frame-session-renewal.ts'
import type { House, SandboxServers } from '../sandbox-servers.ts'
import { createFrameCallLog, type FrameCallLog } from './frame-call-log.ts'
import { createFrameMatches, type FrameMatch, type FrameMatches } from './frame-matches.ts'
import {
  createFramePlayer,
  FRAME_CURRENCIES,
  FRAME_PLAYER,
  FRAME_SCALE,
  type FrameCurrency,
  loadPlayerFrame,
  moveFrameMoney,
} from './frame-player.ts'
import { type Caption, TROUBLES, type TroubleName } from './troubles.ts'

/** Bets that are shown. */
const MAX_BETS = 8
/** The freebets' id at the platform. */
const BONUS = 7
/** Milliseconds for which a trouble waits until the platform calls the wallet again, and between two tries. */
const RETRY_FOR_MS = 60_000
const RETRY_GAP_MS = 200
/** With one click, and before a trouble that needs money. */
const TOP_UP = '100.00'

export type FrameOutcome = 'home' | 'draw' | 'away'
export interface FrameBetRequest {
  readonly matchId: string
  readonly outcome: FrameOutcome
  readonly stake: string
  /** Paid by promotions, where the wallet is set up so. */
  readonly isFree?: boolean | undefined
}
export interface FramePlacement {
  readonly betId: string
  readonly status: 'accepted' | 'declined' | 'cancelled'
  readonly reason?: string
}
export type FrameBetEnding = 'won' | 'lost' | 'cashout' | 'correct' | 'take back'

interface FrameBet extends FramePlacement {
  readonly match: FrameMatch
  readonly outcome: FrameOutcome
  readonly odds: string
  readonly stake: string
  readonly currency: FrameCurrency
  readonly isFree: boolean
}

export interface DemoFrame {
  state(): Promise<object>
  callsSince(after: number): ReturnType<FrameCallLog['since']>
  bet(request: FrameBetRequest): Promise<FramePlacement>
  end(betId: string, what: FrameBetEnding): Promise<object>
  trouble(name: TroubleName): Promise<Caption>
  payIn(): Promise<object>
  /** The player's currency from now on. */
  switchTo(currency: FrameCurrency): Promise<object>
  stop(): Promise<void>
}

/** What the troubles work with. */
export interface TroubleContext {
  readonly wallet: BearerClient
  readonly platform: BearerClient
  readonly callLog: FrameCallLog
  readonly matches: FrameMatches
  /** Waits for a platform that does not call the wallet just now. */
  place(request: FrameBetRequest): Promise<FramePlacement>
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

export async function startDemoFrame(stage: SandboxServers, seed: number, hasFreebets: boolean): Promise<DemoFrame> {
  const house = stage.houses[0] as House
  const { platform, network } = stage
  await createFramePlayer(house)
  const callLog = createFrameCallLog(FRAME_PLAYER)
  network.setInterceptor(callLog)
  const matches = await createFrameMatches(platform, createRandom(seed, 'frame'))
  const bets: FrameBet[] = []
  let currency: FrameCurrency = FRAME_CURRENCIES[0]
  let session = createFrameSessionRenewal(() => loadPlayerFrame(house, platform, currency))
  await session()
  const frame = () => session()
  const parts = { house, platform, callLog, matches, bets, frame, hasFreebets, currency: () => currency }
  const context = createTroubleContext(parts)
  const findBet = (betId: string) => bets.find((one) => one.betId === betId)
  return {
    state: () => buildState(context),
    callsSince: (after) => callLog.since(after),
    bet: (request) => matches.withFrozenOdds(() => placeFrameBet(parts, request)),
    async end(betId, what) {
      const known = findBet(betId)
      if (known !== undefined) await endBet(context, known, what)
      return buildState(context)
    },
    trouble: (name) => TROUBLES[name].make(context),
    async payIn() {
      await moveFrameMoney(house, 'deposits', currency, TOP_UP)
      return buildState(context)
    },
    async switchTo(next) {
      currency = next
      session = createFrameSessionRenewal(() => loadPlayerFrame(house, platform, next))
      await session()
      return buildState(context)
    },
    stop: () => matches.stop(),
  }
}

interface FrameParts {
  readonly house: House
  readonly platform: BearerClient
  readonly callLog: FrameCallLog
  readonly matches: FrameMatches
  readonly bets: FrameBet[]
  /** The id of the frame session. */
  frame(): Promise<string>
  currency(): FrameCurrency
  readonly hasFreebets: boolean
}

function createTroubleContext(parts: FrameParts): TroubleContext {
  const { house, platform, callLog, matches, bets, currency: now, hasFreebets } = parts
  const balance = async () => {
    const path = `/operator/players/${FRAME_PLAYER}/balances`
    const { balances } = await house.wallet.fetchJson<{ balances: { currency: string; amount: string }[] }>('GET', path)
    return balances.find(({ currency }) => currency === now())?.amount ?? '0.00'
  }
  const units = (text: string) => parseWireBalance(text, FRAME_SCALE) ?? 0n
  return {
    ...{ wallet: house.wallet, platform, callLog, matches, balance, currency: now, hasFreebets },
    bets: () => bets,
    place: (request) => matches.withFrozenOdds(() => placeWithRetry(parts, request)),
    async bringBalanceTo(amount) {
      const before = await balance()
      const more = units(amount) - units(before)
      const paidIn = formatMoney(more as Money, FRAME_SCALE)
      if (more !== 0n)
        await moveFrameMoney(house, more > 0n ? 'deposits' : 'withdrawals', now(), paidIn.replace('-', ''))
      return { before, paidIn }
    },
    async payInUnless(amount) {
      const isEnough = units(await balance()) >= units(amount)
      if (!isEnough) await moveFrameMoney(house, 'deposits', now(), TOP_UP)
      return !isEnough
    },
    settled: (betId) => awaitDeliveries(platform, betId),
  }
}

/**
 * A wallet that gave no answer several times in a row, as on a machine that had no time, is called twice a second at most (C-10): other bets are
 * declined at once. No trouble can be shown with such a bet, so it is placed again.
 */
async function placeWithRetry(parts: FrameParts, request: FrameBetRequest): Promise<FramePlacement> {
  const until = performance.now() + RETRY_FOR_MS
  for (;;) {
    const placed = await placeFrameBet(parts, request)
    if (placed.reason !== 'partner unavailable' || performance.now() > until) return placed
    parts.bets.splice(
      parts.bets.findIndex(({ betId }) => betId === placed.betId),
      1,
    )
    await new Promise((resolve) => setTimeout(resolve, RETRY_GAP_MS))
  }
}

async function placeFrameBet(
  { platform, matches, bets, frame, currency: now, hasFreebets }: FrameParts,
  { matchId, outcome, stake, isFree: wantsFree = false }: FrameBetRequest,
): Promise<FramePlacement> {
  const match = matches.find(matchId)
  const odds = match.odds[outcome]
  const selection = {
    eventId: match.id,
    outcomeId: outcome,
    coefficient: odds,
    outcome: formatFrameOutcome(match, outcome),
  }
  const described = { discipline: 'Football', event: `${match.home} – ${match.away}`, market: 'Match winner' }
  const currency = now()
  const isFree = wantsFree && hasFreebets
  const body = {
    ...(isFree && { bonusId: BONUS, bonusAmount: stake }),
    frameSessionId: await frame(),
    amount: stake,
    selections: [{ ...selection, ...described }],
    idempotencyKey: randomUUID(),
  }
  const placed = await platform.fetchJson<FramePlacement>('POST', '/bets', body)
  bets.unshift({ ...placed, match, outcome, odds, stake: formatCents(stake), currency, isFree })
  return placed
}

export function formatFrameOutcome({ home, away }: FrameMatch, outcome: FrameOutcome): string {
  return outcome === 'draw' ? 'Draw' : outcome === 'home' ? home : away
}

const POLL_MS = 60
/** Milliseconds: longer than any trouble of the frame lasts. */
const QUIET_MS = 20_000

async function awaitDeliveries(platform: BearerClient, betId: string): Promise<void> {
  const until = performance.now() + QUIET_MS
  while (performance.now() < until) {
    const { deliveries } = await platform.fetchJson<{ deliveries: { status: string }[] }>('GET', `/bets/${betId}`)
    if (deliveries.every(({ status }) => status !== 'pending' && status !== 'waiting')) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

const parseUnits = (amount: string) => parseDecimal(amount, FRAME_SCALE) ?? 0n

/** As money looks, however it was typed. */
const formatCents = (amount: string) => formatMoney(parseUnits(amount) as Money, FRAME_SCALE)

/** Results are those of the match: they decide every bet on it. A cashout is the bet's own. */
async function endBet(
  context: TroubleContext,
  { betId, match, outcome, stake }: FrameBet,
  what: FrameBetEnding,
): Promise<void> {
  const { platform, matches } = context
  const other = outcome === 'home' ? 'away' : 'home'
  if (what === 'cashout') {
    const amount = formatMoney(((parseUnits(stake) * 9n) / 10n) as Money, FRAME_SCALE)
    await platform.fetchJson('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount }, [409])
  } else if (what === 'take back') await matches.result(match.id, undefined)
  else if (what === 'correct') {
    const { resultType } = await platform.fetchJson<{ resultType?: string }>('GET', `/bets/${betId}`)
    await matches.result(match.id, resultType === 'won' ? other : outcome)
  } else await matches.result(match.id, what === 'won' ? outcome : other)
  await context.settled(betId)
}

interface BetNow {
  readonly status: string
  readonly reason?: string
  readonly payout?: string
  readonly resultType?: string
  readonly deliveries: readonly { readonly operation: string; readonly status: string; readonly code?: number }[]
}

async function buildState(context: TroubleContext): Promise<object> {
  const { wallet, matches, hasFreebets } = context
  const currency = context.currency()
  const today = new Date().toISOString().slice(0, 10)
  const [balance, report, bets] = await Promise.all([
    context.balance(),
    wallet.fetchJson<{ data: { accounts: Record<string, { closing: string }>; sum: string }[] }>(
      'GET',
      `/operator/reports/daily?from=${today}&brand=frame&currency=${currency}`,
    ),
    Promise.all(
      context
        .bets()
        .slice(0, MAX_BETS)
        .map((bet) => buildBetState(context, bet)),
    ),
  ])
  const [row] = report.data
  return {
    ...{
      player: FRAME_PLAYER,
      currency,
      currencies: FRAME_CURRENCIES,
      hasFreebets,
      balance,
      matches: matches.open(),
      bets,
    },
    accounts: Object.fromEntries(Object.entries(row?.accounts ?? {}).map(([name, { closing }]) => [name, closing])),
    sum: row?.sum ?? '0.00',
  }
}

async function buildBetState(context: TroubleContext, { betId, match, outcome, ...bet }: FrameBet): Promise<object> {
  const { odds, stake, currency, isFree } = bet
  const now = await context.platform.fetchJson<BetNow>('GET', `/bets/${betId}`)
  const { status, reason, payout, resultType } = now
  return {
    ...{ betId, event: `${match.home} – ${match.away}`, outcome: formatFrameOutcome(match, outcome) },
    ...{ odds, stake, currency, isFree, status, reason, payout, resultType },
    notBooked: await findNotBooked(context, betId, now),
  }
}

/** What the platform decided last and the wallet refused (L-2): the wallet's books still have the result before. */
async function findNotBooked(
  { wallet }: TroubleContext,
  betId: string,
  { deliveries }: BetNow,
): Promise<object | undefined> {
  const last = deliveries.at(-1)
  if (last?.status !== 'refused' || last.operation === 'place') return undefined
  const { payout } = await wallet.fetchJson<{ payout?: string }>(
    'GET',
    `/operator/players/${FRAME_PLAYER}/bets/${betId}`,
  )
  return { code: last.code, paid: payout }
}
