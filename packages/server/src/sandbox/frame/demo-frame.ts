/**
 * Demo frame: a betting page with one player, some matches with moving odds, and real bets. The
 * bets pass through platform, wire, wallet and ledger, and every amount is read from the wallet.
 * The player has its own brand, so the shown ledger accounts contain only the player's money.
 */
import { createLiveJudge } from '@purser/conformance/verdict/live-judge'
import { formatMoney, type Money, parseWireBalance } from '@purser/protocol/values/money'
import { createRandom } from '@purser/runtime/seeded-random'
import type { BearerClient } from '../bearer-client.ts'
import { createFrameSessionRenewal } from '../bettors/frame-session-renewal.ts'
import type { SandboxOperator, SandboxServers } from '../sandbox-servers.ts'
import { createLiveCallLog, type LiveCallLog } from '../wire/live-call-log.ts'
import { type Caption, FAULT_SCENARIOS, type FaultScenarioName } from './fault-scenarios.ts'
import {
  createFrameBets,
  type FrameBetEnding,
  type FrameBetRequest,
  type FrameBets,
  type FramePlacement,
  type PlatformBetView,
} from './frame-bets.ts'
import { createFrameMatches, type FrameMatches } from './frame-matches.ts'
import {
  createFramePlayer,
  FRAME_CURRENCIES,
  FRAME_PLAYER,
  FRAME_SCALE,
  type FrameCurrency,
  loadPlayerFrame,
  moveFrameMoney,
} from './frame-player.ts'

/** Deposit for a click, or before a fault scenario that needs money. */
const TOP_UP = '100.00'

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
  readonly bets: FrameBets
  /** Sets the balance to `amount`. `paidIn` is negative for a withdrawal. */
  bringBalanceTo(amount: string): Promise<{ before: string; paidIn: string }>
  /** Deposits 100.00 if the balance is below `amount`. Returns true after a deposit. */
  payInUnless(amount: string): Promise<boolean>
  balance(): Promise<string>
  currency(): FrameCurrency
  /** True if promotions pay the stakes of bets with a bonus. */
  readonly hasFreebets: boolean
}

export async function startDemoFrame(stage: SandboxServers, seed: number, hasFreebets: boolean): Promise<DemoFrame> {
  const operator = stage.operators[0] as SandboxOperator
  const { platform, network } = stage
  await createFramePlayer(operator)
  const judge = createLiveJudge({ secret: stage.entryPoint.secret, players: [] })
  /** The last currency is the active one. */
  const addCurrency = (active: FrameCurrency) =>
    judge.addPlayer({ userId: FRAME_PLAYER, currency: active, scale: FRAME_SCALE, tokens: [] })
  addCurrency(FRAME_CURRENCIES[0])
  const callLog = createLiveCallLog({
    judge,
    onlyBets: true,
    findPlayer: ({ userId }) => (userId === FRAME_PLAYER ? FRAME_PLAYER : undefined),
  })
  network.setInterceptor(callLog)
  const matches = await createFrameMatches(platform, createRandom(seed, 'frame'))
  let currency: FrameCurrency = FRAME_CURRENCIES[0]
  let session = createFrameSessionRenewal(() => loadPlayerFrame(operator, platform, currency))
  await session()
  const account = () => ({ currency, scale: FRAME_SCALE })
  const bets = createFrameBets({ platform, matches, frame: () => session(), account, hasFreebets })
  const parts = { operator, platform, callLog, matches, bets, hasFreebets, currency: () => currency }
  const context = createScenarioContext(parts)
  return {
    state: () => buildState(context),
    callsSince: (after) => callLog.since(after),
    bet: (request) => bets.place(request),
    async end(betId, what) {
      await bets.end(betId, what)
      return buildState(context)
    },
    runScenario: (name) => FAULT_SCENARIOS[name].make(context),
    async payIn() {
      await moveFrameMoney(operator, 'deposits', currency, TOP_UP)
      return buildState(context)
    },
    async switchTo(next) {
      currency = next
      addCurrency(next)
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
  readonly bets: FrameBets
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
    ...{ wallet: operator.wallet, platform, callLog, matches, bets, balance, currency: now, hasFreebets },
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
  }
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
    context.bets.describe((betId, view) => findNotBooked(context, betId, view)),
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

/**
 * A last decision that the wallet rejected (L-2). The wallet's books still have the earlier result.
 */
async function findNotBooked(
  { wallet }: FaultScenarioContext,
  betId: string,
  { deliveries }: PlatformBetView,
): Promise<object | undefined> {
  const last = deliveries.at(-1)
  if (last?.status !== 'refused' || last.operation === 'place') return undefined
  const { payout } = await wallet.fetchJson<{ payout?: string }>(
    'GET',
    `/operator/players/${FRAME_PLAYER}/bets/${betId}`,
  )
  return { code: last.code, paid: payout }
}
