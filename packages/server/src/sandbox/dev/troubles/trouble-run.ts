/**
 * Plays one trouble with the tested wallet, and reports the demand of the rules, the behaviour of
 * the wallet, and the money. The judge of all calls gives the verdicts.
 */
import { randomUUID } from 'node:crypto'
import { rollbackStep } from '@purser/conformance/wallet/case/step-builders'
import type { CallStep } from '@purser/conformance/wallet/case/wallet-case'
import { formatMoney, type Money } from '@purser/protocol/values/money'
import { conflict } from '../../../core/http/api/problem-details.ts'
import type { FramePlacement } from '../../frame/frame-bets.ts'
import type { InjectedFault } from '../../wire/fault-proxy.ts'
import type { LiveCall } from '../../wire/live-call-log.ts'
import type { BalanceReads } from '../balance-reads.ts'
import type { DevServers } from '../dev-servers.ts'
import type { DevPlayer } from '../players/dev-player.ts'

export interface Trouble {
  readonly title: string
  /** One line about the sent calls. */
  readonly hint: string
  /** The events, and the demand of the rules. */
  readonly demanded: string
  /** Returns the ids of the bets. */
  play(stage: TroubleStage): Promise<readonly string[]>
}

export interface TroubleReport {
  readonly title: string
  /** The events, and the demand of the rules. */
  readonly story: string
  /** The verdicts in words, wrong ones first. */
  readonly wallet: readonly string[]
  readonly money: string
  readonly isAsDemanded: boolean
  readonly betIds: readonly string[]
  /** Numbers of the calls in the log. */
  readonly calls: readonly number[]
}

export interface TroubleStage {
  readonly player: DevPlayer
  /** Decimal text. */
  readonly stake: string
  readonly minuteMs: number
  /** The next call of the player with this operation gets the fault. */
  inject(fault: InjectedFault, operation?: 'place' | 'settle' | 'unsettle' | 'rollback'): void
  /** Places the bet on a match of its own, and throws if the wallet declines it. */
  place(stake?: string): Promise<{ readonly betId: string; readonly matchId: string }>
  /** Places two bets at the same moment. Returns the ids. */
  placeBoth(stake: string): Promise<readonly string[]>
  /** Returns when the platform has delivered the result. Undefined takes the result back. */
  result(bet: { readonly betId: string; readonly matchId: string }, winner: 'home' | 'away' | undefined): Promise<void>
  cancel(betId: string): Promise<void>
  /** Sends a call that the platform would not send. */
  send(step: CallStep, betId: string): Promise<void>
  /** Sends a Place bet of our own, and its Rollback, as a platform does after a failure. */
  sendAndUndo(step: CallStep): Promise<string>
  resend(call: LiveCall | undefined): Promise<void>
  /** The calls of a bet so far. */
  callsOf(betId: string): readonly LiveCall[]
}

export interface TroubleContext {
  readonly servers: DevServers
  readonly balances: BalanceReads
  readonly player: DevPlayer
  readonly minuteMs: number
  /** Minor units of a stake; by default ten units of the currency, or less with little money. */
  readonly stake?: bigint
}

const POLL_MS = 20
/** Longer than any call lasts. */
const CALLS_MS = 40_000

export async function runTrouble(trouble: Trouble, context: TroubleContext): Promise<TroubleReport> {
  const { servers, balances, player } = context
  const { callLog } = servers
  await balances.settled(player)
  const before = player.balance
  const start = callLog.since(0).calls.at(-1)?.number ?? 0
  const betIds = await playTrouble(trouble, context)
  await balances.settled(player)
  const calls = callLog.since(0).calls.filter((call) => call.number > start && betIds.includes(call.betId))
  return {
    title: trouble.title,
    story: trouble.demanded,
    wallet: describeVerdicts(calls),
    money: describeMoney(player, before),
    isAsDemanded: calls.every(({ verdict }) => verdict?.kind !== 'wrong'),
    betIds,
    calls: calls.map(({ number }) => number),
  }
}

/** Returns the ids of the bets when their last call has ended. */
export function playTrouble(trouble: Pick<Trouble, 'play'>, context: TroubleContext): Promise<readonly string[]> {
  const { servers, player } = context
  return servers.callLog.withoutDraws(player.userId, async () => {
    const ids = await trouble.play(createStage(context))
    for (const betId of ids) await player.bets.settled(betId).catch(() => {}) // the platform does not know our own bets
    await awaitCalls(context, ids)
    return ids
  })
}

/** Waits until every call about the bets has ended, delayed ones included. */
async function awaitCalls({ servers }: TroubleContext, betIds: readonly string[]): Promise<void> {
  const until = performance.now() + CALLS_MS
  const isOpen = () =>
    servers.callLog.since(0).calls.some(({ betId, endedAt }) => betIds.includes(betId) && endedAt === undefined)
  while (isOpen() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, POLL_MS))
}

function describeVerdicts(calls: readonly LiveCall[]): string[] {
  const verdicts = calls.flatMap(({ verdict }) => verdict ?? [])
  const wrong = verdicts.filter(({ kind }) => kind === 'wrong')
  return [...wrong, ...verdicts.filter(({ kind }) => kind !== 'wrong')].map(
    ({ kind, sentence }) => `${kind}: ${sentence}`,
  )
}

function describeMoney({ balance, scale, currency }: DevPlayer, before: bigint | undefined): string {
  if (balance === undefined || before === undefined) return 'The wallet does not show balances.'
  const text = (units: bigint) => `${formatMoney(units as Money, scale)} ${currency}`
  return balance === before
    ? `The balance is ${text(balance)}, as before.`
    : `The balance was ${text(before)} and is ${text(balance)}.`
}

function createStage(context: TroubleContext): TroubleStage {
  const { servers, player, minuteMs } = context
  const { callLog, matches, ownCalls } = servers
  const stake = formatMoney(chooseStake(context) as Money, player.scale)
  const callsOf = (betId: string) => callLog.since(0).calls.filter((call) => call.betId === betId)
  const send: TroubleStage['send'] = async (step, betId) => {
    await ownCalls.send(ownCalls.build(player, step, betId))
  }
  return {
    ...{ player, stake, minuteMs, callsOf, send },
    inject: (fault, operation = 'place') => callLog.injectFault(fault, { operation, player: player.userId }),
    async place(amount = stake) {
      const { id: matchId } = await matches.createOwnMatch()
      const placed = await player.bets.placeWithRetry({ matchId, outcome: 'home', stake: amount })
      requireAccepted(placed)
      return { betId: placed.betId, matchId }
    },
    async placeBoth(amount) {
      const { id: matchId } = await matches.createOwnMatch()
      const request = { matchId, outcome: 'home', stake: amount } as const
      const placed = await Promise.all([player.bets.placeWithRetry(request), player.bets.placeWithRetry(request)])
      return placed.map(({ betId }) => betId)
    },
    async result({ betId, matchId }, winner) {
      await matches.result(matchId, winner)
      await player.bets.settled(betId)
    },
    cancel: (betId) => player.bets.end(betId, 'cancel'),
    async sendAndUndo(step) {
      const betId = randomUUID()
      await send(step, betId)
      const { amount, members } = step
      await send(rollbackStep({ members, ...(amount !== undefined && { amount }) }), betId)
      return betId
    },
    resend: async (call) => call && ownCalls.resend(call),
  }
}

/** Major units of a stake that a person sees. */
const USUAL_STAKE = 10n
/** With little money a stake is this part of the balance. */
const LEAST_SHARE = 4n

function chooseStake({ stake, player: { balance, scale } }: TroubleContext): bigint {
  if (stake !== undefined) return stake
  const usual = USUAL_STAKE * 10n ** BigInt(scale)
  if (balance === undefined || balance >= usual) return usual
  return balance / LEAST_SHARE > 0n ? balance / LEAST_SHARE : 1n
}

/** A declined bet shows nothing about the trouble. */
function requireAccepted({ status, reason }: FramePlacement): void {
  if (status !== 'declined') return
  throw conflict('bet_refused', `the wallet declined the Place bet (${reason ?? 'no reason given'}); nothing was tried`)
}
