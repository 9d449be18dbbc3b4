/**
 * Compares the record of a scene with the expectations of its case. Pure. Each function returns the
 * fault as a sentence, or undefined.
 */
import { isDeepStrictEqual } from 'node:util'
import type { BetOperation } from '@purser/protocol/operation'
import type { ExpectedDelivery, ScenarioExpectation } from '../platform-case.ts'
import type { KitTiming } from './kit-timing.ts'
import type { ReportedBetState } from './platform-driver.ts'
import type { KitPlayer, RecordedRequest } from './request-log.ts'

/** A request to the platform that must lead to a call. */
export interface RequestedCall {
  readonly call: BetOperation
  readonly partner: number
  readonly partnerId: string
  readonly at: number
  readonly player?: KitPlayer
}

export interface ScenarioRecord {
  readonly calls: readonly RecordedRequest[]
  /** In the order in which they were placed. */
  readonly bets: readonly string[]
  readonly requestedCalls: readonly RequestedCall[]
  /** The last states that the platform showed, for bets that were queried. */
  readonly shownStates: ReadonlyMap<string, ReportedBetState>
}

const NAMES = { place: 'Place bet', settle: 'Settle', unsettle: 'Unsettle', rollback: 'Rollback' } as const

export function judgeExpectation(
  expectation: ScenarioExpectation,
  played: ScenarioRecord,
  timing: KitTiming,
): string | undefined {
  switch (expectation.kind) {
    case 'count':
      return judgeCount(expectation, played)
    case 'rollback_between':
      return judgeRollbackTime(expectation, played, timing)
    case 'error_code':
      return judgeErrorCode(expectation.code, played)
    case 'gaps':
      return judgeGaps(expectation, played, timing)
    case 'within_window':
      return judgeWindow(played, timing)
    case 'same_data':
      return judgeSameData(expectation, played)
    case 'in_order':
      return judgeOrder(expectation.deliveries, played)
    case 'one_at_a_time':
      return judgeOverlaps(played, timing)
    case 'currencies':
      return judgeCurrencies(expectation.of, played)
    case 'own_player':
      return judgePlayers(played)
    case 'prompt':
      return judgePromptness(played, timing)
    case 'nothing_else': {
      const foreign = played.calls.find(({ call }) => call === 'other')
      return foreign && `${foreign.method} ${foreign.path} came, which is no call of the interface`
    }
    case 'shown': {
      const shown = played.shownStates.get(played.bets[0] ?? '')?.delivery
      return shown === expectation.as ? undefined : `the platform calls it ${shown ?? 'nothing'}, not ${expectation.as}`
    }
    case 'one_outcome':
      return judgeSingleOutcome(played)
    default:
      return expectation satisfies never
  }
}

/** 'Settle 25' */
function describeCall({ call, body }: RecordedRequest): string {
  const names: Readonly<Record<string, string>> = NAMES
  return [names[call] ?? call, ...(body.amount === undefined ? [] : [String(body.amount)])].join(' ')
}

function filterCalls({ calls }: ScenarioRecord, call: BetOperation): readonly RecordedRequest[] {
  return calls.filter((received) => received.call === call)
}

function judgeCount(
  { call, from, to }: Extract<ScenarioExpectation, { kind: 'count' }>,
  played: ScenarioRecord,
): string | undefined {
  const { length } = filterCalls(played, call)
  if (length >= from && length <= to) return undefined
  const most = to === Number.POSITIVE_INFINITY ? `${from} or more` : `${from} to ${to}`
  const wanted = from === to ? (from === 0 ? 'none' : `${from}`) : most
  return length === 0
    ? `no ${NAMES[call]} came`
    : `${NAMES[call]} came ${formatTimes(length)}, where ${wanted} should have`
}

function formatTimes(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function formatDuration(ms: number): string {
  return `${Math.trunc(ms) / 1_000} s`
}

function judgeRollbackTime(
  { from, to }: Extract<ScenarioExpectation, { kind: 'rollback_between' }>,
  played: ScenarioRecord,
  timing: KitTiming,
): string | undefined {
  const [place] = filterCalls(played, 'place')
  const [rollback] = filterCalls(played, 'rollback')
  if (place === undefined || rollback === undefined) return undefined
  const delay = rollback.at - place.at
  if (from !== undefined && delay < timing[from] - timing.earlyMs - timing.noiseMs)
    return `the Rollback came ${formatDuration(delay)} after Place bet, before the time-out of ${formatDuration(timing[from])}`
  if (to !== undefined && delay > timing[to] + timing.noiseMs)
    return `the Rollback came ${formatDuration(delay)} after Place bet, later than ${formatDuration(timing[to])}`
  return undefined
}

function judgeErrorCode(code: number, played: ScenarioRecord): string | undefined {
  const wrong = filterCalls(played, 'rollback').find(({ body }) => body.errorCode !== code)
  return wrong && `errorCode is ${wrong.body.errorCode}, not ${code}`
}

/** Minimum ratio of the last gap to the first. Constant gaps with jitter stay below it. */
const GROWTH = 2
/** Shares of a gap, for jitter and for the time of an answer. */
const DOUBLING = { tolerance: 0.35, firstFrom: 0.5, firstTo: 1.6 } as const

function judgeGaps(
  { shape, attempts }: Extract<ScenarioExpectation, { kind: 'gaps' }>,
  played: ScenarioRecord,
  timing: KitTiming,
): string | undefined {
  const starts = filterCalls(played, 'rollback')
    .slice(0, attempts)
    .map(({ at }) => at)
  const gaps = starts.slice(1).map((at, i) => at - (starts[i] ?? at))
  if (gaps.length < attempts - 1) return undefined // the count reports it
  const isRight = shape === 'growing' ? isGrowing(gaps, timing) : isDoubling(gaps, timing)
  return isRight ? undefined : `the gaps between the attempts are ${gaps.map(formatDuration).join(', ')}: not ${shape}`
}

/**
 * The last gap is the largest, and much larger than the first. A delayed attempt makes the next gap
 * smaller.
 */
function isGrowing(gaps: readonly number[], { noiseMs, firstGapMs }: KitTiming): boolean {
  const [first = 0] = gaps
  const last = gaps.at(-1) ?? 0
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  return last === Math.max(...gaps) && last >= GROWTH * first - noiseMs && whole >= firstGapMs
}

/**
 * The gaps grow as 1 : 2 : 4 …. The expected gaps are computed from the total time, because one
 * delayed request hardly changes the total.
 */
function isDoubling(gaps: readonly number[], { noiseMs, firstGapMs }: KitTiming): boolean {
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  const first = whole / (2 ** gaps.length - 1)
  const isOnTime = first >= firstGapMs * DOUBLING.firstFrom && first <= firstGapMs * DOUBLING.firstTo
  return (
    isOnTime && gaps.every((gap, i) => Math.abs(gap - first * 2 ** i) <= first * 2 ** i * DOUBLING.tolerance + noiseMs)
  )
}

function judgeWindow(played: ScenarioRecord, { windowMs, noiseMs }: KitTiming): string | undefined {
  const rollbacks = filterCalls(played, 'rollback')
  const span = (rollbacks.at(-1)?.at ?? 0) - (rollbacks[0]?.at ?? 0)
  return span > windowMs + noiseMs ? `the last attempt came ${formatDuration(span)} after the first` : undefined
}

function judgeSameData(
  { call, exactly }: Extract<ScenarioExpectation, { kind: 'same_data' }>,
  played: ScenarioRecord,
): string | undefined {
  const [first, ...others] = filterCalls(played, call)
  if (first === undefined) return undefined
  const isSame = exactly
    ? (other: RecordedRequest) => other.bytes.equals(first.bytes)
    : (other: RecordedRequest) => isDeepStrictEqual(withoutRequestId(other), withoutRequestId(first))
  const at = others.findIndex((other) => !isSame(other))
  return at < 0 ? undefined : `attempt ${at + 2} of the ${NAMES[call]} differs from the first`
}

function withoutRequestId({ body: { requestId: _, ...data } }: RecordedRequest): Readonly<Record<string, unknown>> {
  return data
}

function judgeOrder(expected: readonly ExpectedDelivery[], played: ScenarioRecord): string | undefined {
  const seen = firstAttempts(played, played.bets[0])
  const isRight =
    seen.length === expected.length &&
    seen.every(({ call, body }, i) => {
      const { call: wanted, amount } = expected[i] as ExpectedDelivery
      return call === wanted && (amount === undefined || body.amount === amount)
    })
  const show = (call: string, amount: unknown) => `${call}${amount === undefined ? '' : ` ${amount}`}`
  const came = seen.map(({ call, body }) => show(call, call === 'unsettle' ? undefined : body.amount))
  const wanted = expected.map(({ call, amount }) => show(call, amount))
  return isRight ? undefined : `the calls came as ${came.join(', ')}; decided were ${wanted.join(', ')}`
}

/** A call equal to the previous call is a retry. */
function firstAttempts({ calls }: ScenarioRecord, bet: string | undefined): readonly RecordedRequest[] {
  const mine = calls.filter(({ body }) => body.transactionId === bet)
  return mine.filter((call, i) => !isSameDelivery(call, mine[i - 1]))
}

function isSameDelivery(a: RecordedRequest, b: RecordedRequest | undefined): boolean {
  return b !== undefined && a.call === b.call && a.body.amount === b.body.amount
}

/**
 * Calls of a bet may overlap only if the second retries the first after its time-out. Another
 * delivery may begin only after an answer of 200 or 400.
 */
function judgeOverlaps(played: ScenarioRecord, { answerMs, earlyMs }: KitTiming): string | undefined {
  for (const bet of played.bets) {
    const mine = played.calls.filter(({ call, body }) => call !== 'place' && body.transactionId === bet)
    const early = mine.find((call, i) => {
      const before = mine[i - 1]
      if (before === undefined) return false
      const isOpen = before.ended === undefined || before.ended.at > call.at
      if (isOpen) return !isSameDelivery(call, before) || call.at - before.at < answerMs - earlyMs
      return !isSameDelivery(call, before) && before.ended?.status !== 200 && before.ended?.status !== 400
    })
    if (early !== undefined) return `${describeCall(early)} came before the call that precedes it was over`
  }
  return undefined
}

function judgeCurrencies(expected: readonly string[], { calls, bets }: ScenarioRecord): string | undefined {
  const wrong = calls.find(({ body }) => {
    const bet = bets.indexOf(String(body.transactionId))
    return bet >= 0 && body.currency !== undefined && body.currency !== expected[bet]
  })
  if (wrong === undefined) return undefined
  const placed = expected[bets.indexOf(String(wrong.body.transactionId))]
  return `${describeCall(wrong)} came in ${wrong.body.currency}, and the bet was placed in ${placed}`
}

/** The bets arrive in the order of their requests. */
function judgePlayers({ calls, bets, requestedCalls }: ScenarioRecord): string | undefined {
  const bettors = requestedCalls.flatMap(({ player }) => (player === undefined ? [] : [player]))
  for (const one of calls) {
    const { call, body } = one
    const player = bettors[bets.indexOf(String(body.transactionId))]
    if (player === undefined) continue
    const { token, userId, operatorUser } = player
    const expected = { userId, operatorUser, ...(call === 'place' && { token }) }
    const wrong = Object.entries(expected).find(([name, value]) => body[name] !== value)
    if (wrong) return `${describeCall(one)} came with ${wrong[0]} ${body[wrong[0]]}; the player's is ${wrong[1]}`
  }
  return undefined
}

function judgePromptness(
  { calls, requestedCalls }: ScenarioRecord,
  { promptMs, noiseMs }: KitTiming,
): string | undefined {
  const late = requestedCalls.find(({ call, partner, partnerId, at }) => {
    if (partner === 0) return false
    const first = calls.find((one) => one.call === call && one.partner.partnerId === partnerId && one.at >= at)
    return first === undefined || first.at - at > promptMs + noiseMs
  })
  return late && `the ${NAMES[late.call]} of a healthy partner was not there after ${formatDuration(promptMs)}`
}

function judgeSingleOutcome(played: ScenarioRecord): string | undefined {
  for (const bet of played.bets) {
    const isRolledBack = filterCalls(played, 'rollback').some(({ body }) => body.transactionId === bet)
    const status = played.shownStates.get(bet)?.status
    if (isRolledBack && status === 'accepted')
      return `${bet} was rolled back, and the platform says that it is accepted`
    if (!isRolledBack && status !== 'accepted')
      return `no Rollback of ${bet} came, and the platform says that it is ${status ?? 'unknown'}`
  }
  return undefined
}
