/**
 * Demo frame: a betting page with one player, some matches with moving odds, and real bets. The
 * bets pass through platform, wire, wallet and ledger, and every amount is read from the wallet.
 * The player has its own brand, so the shown ledger accounts contain only the player's money.
 */
import { randomUUID } from 'node:crypto'
import { formatMoney, type Money, parseDecimal, parseWireBalance } from '@purser/protocol/values/money'
import { createRandom } from '@purser/runtime/seeded-random'
import type { BearerClient } from '../bearer-client.ts'
import { createFrameSessionRenewal } from '../bettors/frame-session-renewal.ts'
import type { SandboxOperator, SandboxServers } from '../sandbox-servers.ts'
import { createLiveCallLog, type LiveCallLog } from '../wire/live-call-log.ts'
import { type Caption, FAULT_SCENARIOS, type FaultScenarioName } from './fault-scenarios.ts'
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

/** Number of shown bets. */
const MAX_BETS = 8
/** Id of the freebets on the platform. */
const BONUS = 7
/**
 * Time for which a placement is retried while the circuit breaker is open, and the pause between
 * tries.
 */
const RETRY_FOR_MS = 60_000
const RETRY_GAP_MS = 200
/** Deposit for a click, or before a fault scenario that needs money. */
const TOP_UP = '100.00'

export type FrameOutcome = 'home' | 'draw' | 'away'
export interface FrameBetRequest {
  readonly matchId: string
  readonly outcome: FrameOutcome
  readonly stake: string
  /** Promotions pay the stake, if the wallet allows it. */
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
  callsSince(after: number): ReturnType<LiveCallLog['since']>
  bet(request: FrameBetRequest): Promise<FramePlacement>
  end(betId: string, what: FrameBetEnding): Promise<object>
  runScenario(name: FaultScenarioName): Promise<Caption>
  payIn(): Promise<object>
  /** Changes the player's currency. */
  switchTo(currency: FrameCurrency): Promise<object>
  stop(): Promise<void>
}

export interface FaultScenarioContext {
  readonly wallet: BearerClient
  readonly platform: BearerClient
  readonly callLog: LiveCallLog
  readonly matches: FrameMatches
  /** Retries while the circuit breaker is open. */
  place(request: FrameBetRequest): Promise<FramePlacement>
  /** Sets the balance to `amount`. `paidIn` is negative for a withdrawal. */
  bringBalanceTo(amount: string): Promise<{ before: string; paidIn: string }>
  /** Deposits 100.00 if the balance is below `amount`. Returns true after a deposit. */
  payInUnless(amount: string): Promise<boolean>
  balance(): Promise<string>
  /** Waits until the bet has no open delivery. */
  settled(betId: string): Promise<void>
  bets(): readonly FrameBet[]
  currency(): FrameCurrency
  /** True if promotions pay the stakes of bets with a bonus. */
  readonly hasFreebets: boolean
}

export async function startDemoFrame(stage: SandboxServers, seed: number, hasFreebets: boolean): Promise<DemoFrame> {
  const operator = stage.operators[0] as SandboxOperator
  const { platform, network } = stage
  await createFramePlayer(operator)
  const callLog = createLiveCallLog(FRAME_PLAYER)
  network.setInterceptor(callLog)
  const matches = await createFrameMatches(platform, createRandom(seed, 'frame'))
  const bets: FrameBet[] = []
  let currency: FrameCurrency = FRAME_CURRENCIES[0]
  let session = createFrameSessionRenewal(() => loadPlayerFrame(operator, platform, currency))
  await session()
  const frame = () => session()
  const parts = { operator, platform, callLog, matches, bets, frame, hasFreebets, currency: () => currency }
  const context = createScenarioContext(parts)
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
    runScenario: (name) => FAULT_SCENARIOS[name].make(context),
    async payIn() {
      await moveFrameMoney(operator, 'deposits', currency, TOP_UP)
      return buildState(context)
    },
    async switchTo(next) {
      currency = next
      session = createFrameSessionRenewal(() => loadPlayerFrame(operator, platform, next))
      await session()
      return buildState(context)
    },
    stop: () => matches.stop(),
  }
}

interface FrameParts {
  readonly operator: SandboxOperator
  readonly platform: BearerClient
  readonly callLog: LiveCallLog
  readonly matches: FrameMatches
  readonly bets: FrameBet[]
  /** Returns the id of the frame session. */
  frame(): Promise<string>
  currency(): FrameCurrency
  readonly hasFreebets: boolean
}

function createScenarioContext(parts: FrameParts): FaultScenarioContext {
  const { operator, platform, callLog, matches, bets, currency: now, hasFreebets } = parts
  const balance = async () => {
    const path = `/operator/players/${FRAME_PLAYER}/balances`
    const { balances } = await operator.wallet.fetchJson<{ balances: { currency: string; amount: string }[] }>(
      'GET',
      path,
    )
    return balances.find(({ currency }) => currency === now())?.amount ?? '0.00'
  }
  const units = (text: string) => parseWireBalance(text, FRAME_SCALE) ?? 0n
  return {
    ...{ wallet: operator.wallet, platform, callLog, matches, balance, currency: now, hasFreebets },
    bets: () => bets,
    place: (request) => matches.withFrozenOdds(() => placeWithRetry(parts, request)),
    async bringBalanceTo(amount) {
      const before = await balance()
      const more = units(amount) - units(before)
      const paidIn = formatMoney(more as Money, FRAME_SCALE)
      if (more !== 0n)
        await moveFrameMoney(operator, more > 0n ? 'deposits' : 'withdrawals', now(), paidIn.replace('-', ''))
      return { before, paidIn }
    },
    async payInUnless(amount) {
      const isEnough = units(await balance()) >= units(amount)
      if (!isEnough) await moveFrameMoney(operator, 'deposits', now(), TOP_UP)
      return !isEnough
    },
    settled: (betId) => awaitDeliveries(platform, betId),
  }
}

/**
 * After several calls without an answer, for example on a slow machine, the platform declines bets
 * at once except two probes a second (C-10). A declined bet shows no fault, so the bet is placed
 * again.
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
/** Longer than any fault scenario lasts. */
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

const formatCents = (amount: string) => formatMoney(parseUnits(amount) as Money, FRAME_SCALE)

/** A result belongs to the match and decides every bet on it; a cashout belongs to the bet. */
async function endBet(
  context: FaultScenarioContext,
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

async function buildState(context: FaultScenarioContext): Promise<object> {
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

async function buildBetState(
  context: FaultScenarioContext,
  { betId, match, outcome, ...bet }: FrameBet,
): Promise<object> {
  const { odds, stake, currency, isFree } = bet
  const now = await context.platform.fetchJson<BetNow>('GET', `/bets/${betId}`)
  const { status, reason, payout, resultType } = now
  return {
    ...{ betId, event: `${match.home} – ${match.away}`, outcome: formatFrameOutcome(match, outcome) },
    ...{ odds, stake, currency, isFree, status, reason, payout, resultType },
    notBooked: await findNotBooked(context, betId, now),
  }
}

/**
 * A last decision that the wallet rejected (L-2). The wallet's books still have the earlier result.
 */
async function findNotBooked(
  { wallet }: FaultScenarioContext,
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
