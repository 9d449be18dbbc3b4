/**
 * Compares the wallet's replies, and the visible state after them, with the model's predictions.
 */
import { isDeepStrictEqual } from 'node:util'
import type { WireReply } from '../support/wire.ts'
import type { Call, Prediction, Verdict } from './call.ts'
import type { Model } from './model.ts'
import { contradiction, type Sight } from './outside.ts'
import { objectOf } from './table.ts'

export interface Exchange {
  call: Call
  reply: WireReply
  sentAt: Date
  answeredAt: Date
}

/** The state before some calls, or after them in one possible order. */
export interface Knowledge {
  model: Model
  /** The times of the model's moments, from the replies. */
  times: Map<number, string>
}

export interface Explanation extends Knowledge {
  predictions: { call: Call; prediction: Prediction }[]
}

/**
 * Finds the first order of concurrent calls that explains all replies and the visible state.
 *
 * Throws if no order does.
 */
export function explain(before: Knowledge, exchanges: Exchange[], sight: Sight): Explanation {
  const differences: string[] = []
  for (const order of ordersOf(exchanges)) {
    const after = { model: before.model.fork(), times: new Map(before.times), predictions: [] }
    const difference = replay(after, order) ?? contradiction(after.model, sight)
    if (difference === undefined) return after
    differences.push(difference)
  }
  throw new Error(differences.length === 1 ? differences[0] : `no order explains it: ${differences.join('; ')}`)
}

function ordersOf<T>(items: T[]): T[][] {
  if (items.length <= 1) return [items]
  return items.flatMap((item, index) => ordersOf(items.toSpliced(index, 1)).map((rest) => [item, ...rest]))
}

function replay(after: Explanation, exchanges: Exchange[]): string | undefined {
  for (const exchange of exchanges) {
    const prediction = after.model.judge(exchange.call, exchange.sentAt)
    after.predictions.push({ call: exchange.call, prediction })
    const difference = differenceOf(after.times, prediction.verdict, exchange)
    if (difference !== undefined) return difference
  }
  return undefined
}

function differenceOf(times: Map<number, string>, verdict: Verdict, exchange: Exchange): string | undefined {
  const { call, reply } = exchange
  const body = objectOf(reply.body)
  if (verdict.status === 400) {
    const isSame = reply.status === 400 && body.code === verdict.code && typeof body.message === 'string'
    return isSame ? undefined : `expected 400 with code ${verdict.code}`
  }
  const time = body.transactionTime
  if (reply.status !== 200 || typeof time !== 'string') return 'expected 200'
  if (!isDeepStrictEqual(body, { transactionId: call.bet, transactionTime: time })) return 'expected the id of the bet'
  return wrongTime(times, verdict, time, exchange)
}

/** A repeat has the original time; an effect has a time between the call and its reply. */
function wrongTime(
  times: Map<number, string>,
  { moment, effect }: Extract<Verdict, { status: 200 }>,
  time: string,
  { sentAt, answeredAt }: Exchange,
): string | undefined {
  const known = times.get(moment)
  if (known !== undefined) return known === time ? undefined : `expected the original time ${known}`
  times.set(moment, time)
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time)) return 'expected an ISO 8601 time in UTC'
  const isNow = new Date(time) >= sentAt && new Date(time) <= answeredAt
  return isNow || !effect ? undefined : `expected a time from ${sentAt.toISOString()} to ${answeredAt.toISOString()}`
}
