/** Holds what was recorded of a scene against what its case expects. Pure: answers a sentence on what is wrong, or nothing. */
import { isDeepStrictEqual } from 'node:util'
import type { BetOperation } from '../../../protocol/operation.ts'
import type { Delivery, Expectation } from '../case.ts'
import type { Look } from './drive.ts'
import type { Player, Received } from './record.ts'
import type { Timing } from './timing.ts'

/** A wish that a call must follow. */
export interface Wished {
  readonly call: BetOperation
  readonly partner: number
  /** The partner's id: whose calls to look at. */
  readonly partnerId: string
  readonly at: number
  /** Of a bet: who places it. */
  readonly player?: Player
}

export interface Played {
  readonly calls: readonly Received[]
  /** In the order in which they were placed. */
  readonly bets: readonly string[]
  readonly wishes: readonly Wished[]
  /** What the platform says of the bets in the end, as far as it was asked. */
  readonly looks: ReadonlyMap<string, Look>
}

const NAMES = { place: 'Place bet', settle: 'Settle', unsettle: 'Unsettle', rollback: 'Rollback' } as const

export function judge(expectation: Expectation, played: Played, timing: Timing): string | undefined {
  switch (expectation.kind) {
    case 'count':
      return judgeCount(expectation, played)
    case 'rollback_between':
      return judgeMoment(expectation, played, timing)
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
      const shown = played.looks.get(played.bets[0] ?? '')?.delivery
      return shown === expectation.as ? undefined : `the platform calls it ${shown ?? 'nothing'}, not ${expectation.as}`
    }
    case 'one_fate':
      return judgeFate(played)
    default:
      return expectation satisfies never
  }
}

/** 'Settle 25' */
function nameOf({ call, body }: Received): string {
  const names: Readonly<Record<string, string>> = NAMES
  return [names[call] ?? call, ...(body.amount === undefined ? [] : [String(body.amount)])].join(' ')
}

function of({ calls }: Played, call: BetOperation): readonly Received[] {
  return calls.filter((received) => received.call === call)
}

function judgeCount({ call, from, to }: Extract<Expectation, { kind: 'count' }>, played: Played): string | undefined {
  const { length } = of(played, call)
  if (length >= from && length <= to) return undefined
  const most = to === Number.POSITIVE_INFINITY ? `${from} or more` : `${from} to ${to}`
  const wanted = from === to ? (from === 0 ? 'none' : `${from}`) : most
  return length === 0 ? `no ${NAMES[call]} came` : `${NAMES[call]} came ${times(length)}, where ${wanted} should have`
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function seconds(ms: number): string {
  return `${Math.trunc(ms) / 1_000} s`
}

function judgeMoment(
  { from, to }: Extract<Expectation, { kind: 'rollback_between' }>,
  played: Played,
  timing: Timing,
): string | undefined {
  const [place] = of(played, 'place')
  const [rollback] = of(played, 'rollback')
  if (place === undefined || rollback === undefined) return undefined
  const delay = rollback.at - place.at
  if (from !== undefined && delay < timing[from] - timing.earlyMs - timing.noiseMs)
    return `the Rollback came ${seconds(delay)} after Place bet, before the time-out of ${seconds(timing[from])}`
  if (to !== undefined && delay > timing[to] + timing.noiseMs)
    return `the Rollback came ${seconds(delay)} after Place bet, later than ${seconds(timing[to])}`
  return undefined
}

function judgeErrorCode(code: number, played: Played): string | undefined {
  const wrong = of(played, 'rollback').find(({ body }) => body.errorCode !== code)
  return wrong && `errorCode is ${wrong.body.errorCode}, not ${code}`
}

/** The last gap seen is at least so many times the first; constant gaps with some jitter stay below. */
const GROWTH = 2
/** Shares of a gap: room for jitter, and for what an answer takes. */
const DOUBLING = { tolerance: 0.35, firstFrom: 0.5, firstTo: 1.6 } as const

function judgeGaps(
  { shape, attempts }: Extract<Expectation, { kind: 'gaps' }>,
  played: Played,
  timing: Timing,
): string | undefined {
  const starts = of(played, 'rollback')
    .slice(0, attempts)
    .map(({ at }) => at)
  const gaps = starts.slice(1).map((at, i) => at - (starts[i] ?? at))
  if (gaps.length < attempts - 1) return undefined // the count says so
  const isRight = shape === 'growing' ? isGrowing(gaps, timing) : isDoubling(gaps, timing)
  return isRight ? undefined : `the gaps between the attempts are ${gaps.map(seconds).join(', ')}: not ${shape}`
}

/** The last is the largest, and much larger than the first; a delay of one attempt on its way shrinks the gap after it. */
function isGrowing(gaps: readonly number[], { noiseMs, firstGapMs }: Timing): boolean {
  const [first = 0] = gaps
  const last = gaps.at(-1) ?? 0
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  return last === Math.max(...gaps) && last >= GROWTH * first - noiseMs && whole >= firstGapMs
}

/** The gaps share the whole time as 1 : 2 : 4 …; a delay of one request moves the whole but little. */
function isDoubling(gaps: readonly number[], { noiseMs, firstGapMs }: Timing): boolean {
  const whole = gaps.reduce((sum, gap) => sum + gap, 0)
  const first = whole / (2 ** gaps.length - 1)
  const isOnTime = first >= firstGapMs * DOUBLING.firstFrom && first <= firstGapMs * DOUBLING.firstTo
  return (
    isOnTime && gaps.every((gap, i) => Math.abs(gap - first * 2 ** i) <= first * 2 ** i * DOUBLING.tolerance + noiseMs)
  )
}

function judgeWindow(played: Played, { windowMs, noiseMs }: Timing): string | undefined {
  const rollbacks = of(played, 'rollback')
  const span = (rollbacks.at(-1)?.at ?? 0) - (rollbacks[0]?.at ?? 0)
  return span > windowMs + noiseMs ? `the last attempt came ${seconds(span)} after the first` : undefined
}

function judgeSameData(
  { call, exactly }: Extract<Expectation, { kind: 'same_data' }>,
  played: Played,
): string | undefined {
  const [first, ...others] = of(played, call)
  if (first === undefined) return undefined
  const isSame = exactly
    ? (other: Received) => other.bytes.equals(first.bytes)
    : (other: Received) => isDeepStrictEqual(dataOf(other), dataOf(first))
  const at = others.findIndex((other) => !isSame(other))
  return at < 0 ? undefined : `attempt ${at + 2} of the ${NAMES[call]} differs from the first`
}

function dataOf({ body: { requestId: _, ...data } }: Received): Readonly<Record<string, unknown>> {
  return data
}

function judgeOrder(expected: readonly Delivery[], played: Played): string | undefined {
  const seen = deliveriesOf(played, played.bets[0])
  const isRight =
    seen.length === expected.length &&
    seen.every(({ call, body }, i) => {
      const { call: wanted, amount } = expected[i] as Delivery
      return call === wanted && (amount === undefined || body.amount === amount)
    })
  const show = (call: string, amount: unknown) => `${call}${amount === undefined ? '' : ` ${amount}`}`
  const came = seen.map(({ call, body }) => show(call, call === 'unsettle' ? undefined : body.amount))
  const wanted = expected.map(({ call, amount }) => show(call, amount))
  return isRight ? undefined : `the calls came as ${came.join(', ')}; decided were ${wanted.join(', ')}`
}

/** The first attempt of each delivery of the bet; what repeats the call before it is another attempt. */
function deliveriesOf({ calls }: Played, bet: string | undefined): readonly Received[] {
  const mine = calls.filter(({ body }) => body.transactionId === bet)
  return mine.filter((call, i) => !isSameDelivery(call, mine[i - 1]))
}

function isSameDelivery(a: Received, b: Received | undefined): boolean {
  return b !== undefined && a.call === b.call && a.body.amount === b.body.amount
}

/** A call may follow another one that is unanswered only when that one has timed out; another delivery, only when it was answered. */
function judgeOverlaps(played: Played, { answerMs, earlyMs }: Timing): string | undefined {
  for (const bet of played.bets) {
    const mine = played.calls.filter(({ call, body }) => call !== 'place' && body.transactionId === bet)
    const early = mine.find((call, i) => {
      const before = mine[i - 1]
      if (before === undefined) return false
      const isOpen = before.ended === undefined || before.ended.at > call.at
      if (isOpen) return !isSameDelivery(call, before) || call.at - before.at < answerMs - earlyMs
      return !isSameDelivery(call, before) && before.ended?.status !== 200 && before.ended?.status !== 400
    })
    if (early !== undefined) return `${nameOf(early)} came before the call that precedes it was over`
  }
  return undefined
}

function judgeCurrencies(expected: readonly string[], { calls, bets }: Played): string | undefined {
  const wrong = calls.find(({ body }) => {
    const bet = bets.indexOf(String(body.transactionId))
    return bet >= 0 && body.currency !== undefined && body.currency !== expected[bet]
  })
  if (wrong === undefined) return undefined
  const placed = expected[bets.indexOf(String(wrong.body.transactionId))]
  return `${nameOf(wrong)} came in ${wrong.body.currency}, and the bet was placed in ${placed}`
}

/** The bets came in the order in which they were wished. */
function judgePlayers({ calls, bets, wishes }: Played): string | undefined {
  const bettors = wishes.flatMap(({ player }) => (player === undefined ? [] : [player]))
  for (const one of calls) {
    const { call, body } = one
    const player = bettors[bets.indexOf(String(body.transactionId))]
    if (player === undefined) continue
    const { token, userId, operatorUser } = player
    const expected = { userId, operatorUser, ...(call === 'place' && { token }) }
    const wrong = Object.entries(expected).find(([name, value]) => body[name] !== value)
    if (wrong) return `${nameOf(one)} came with ${wrong[0]} ${body[wrong[0]]}; the player's is ${wrong[1]}`
  }
  return undefined
}

function judgePromptness({ calls, wishes }: Played, { promptMs, noiseMs }: Timing): string | undefined {
  const late = wishes.find(({ call, partner, partnerId, at }) => {
    if (partner === 0) return false
    const first = calls.find((one) => one.call === call && one.partner.partnerId === partnerId && one.at >= at)
    return first === undefined || first.at - at > promptMs + noiseMs
  })
  return late && `the ${NAMES[late.call]} of a healthy partner was not there after ${seconds(promptMs)}`
}

function judgeFate(played: Played): string | undefined {
  for (const bet of played.bets) {
    const isRolledBack = of(played, 'rollback').some(({ body }) => body.transactionId === bet)
    const status = played.looks.get(bet)?.status
    if (isRolledBack && status === 'accepted')
      return `${bet} was rolled back, and the platform says that it is accepted`
    if (!isRolledBack && status !== 'accepted')
      return `no Rollback of ${bet} came, and the platform says that it is ${status ?? 'unknown'}`
  }
  return undefined
}
