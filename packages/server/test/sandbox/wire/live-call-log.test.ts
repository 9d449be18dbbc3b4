/**
 * The log of the demo frame shows the calls about its player, and adds the faults that a visitor
 * requests.
 */

import { createLiveJudge } from '@purser/conformance/verdict/live-judge'
import { OPERATIONS } from '@purser/protocol/operation'
import { describe, expect, test } from 'vitest'
import type { ProxyEvent } from '../../../src/sandbox/wire/fault-proxy.ts'
import {
  createLiveCallLog,
  type LiveCall,
  type LiveCallLogOptions,
  type LiveCallVerdict,
} from '../../../src/sandbox/wire/live-call-log.ts'

const ROBIN = 'robin'
const call = (method: string, type: number, more: object = {}) => ({
  ...{ method, path: OPERATIONS.place.path },
  headers: {},
  body: Buffer.from(JSON.stringify({ userId: ROBIN, transactionId: 'bet-1', type, amount: 10, ...more })),
})
const place = (more: object = {}) => call('POST', OPERATIONS.place.type, more)
const rollback = () => call(OPERATIONS.rollback.method, OPERATIONS.rollback.type)
const request = { method: 'POST', url: 'http://127.0.0.1/payment/bet', headers: {}, body: '' }
const answered = (code?: number, isAgain = false): ProxyEvent => {
  const status = code === undefined ? 200 : 400
  const answer = { kind: 'some', status, contentType: 'application/json', body: JSON.stringify({ code }) } as const
  return { kind: 'answered', isAgain, exchange: { what: '', request, answer, startedAt: new Date(), durationMs: 1 } }
}

const createLog = (options: Partial<LiveCallLogOptions> = {}) =>
  createLiveCallLog({ onlyBets: true, findPlayer: ({ userId }) => (userId === ROBIN ? ROBIN : undefined), ...options })
const noDraw = () => undefined

describe('the log of the demo frame', () => {
  test('has the bet operations of its player, and no other call', () => {
    const log = createLog()
    expect(log.intercept(place(), noDraw)).toBeDefined()
    expect(log.intercept(place({ userId: 'alice' }), noDraw)).toBeUndefined()
    expect(log.intercept(call('POST', 99), noDraw)).toBeUndefined()
    expect(log.intercept({ ...place(), path: OPERATIONS.profile.path }, noDraw)).toBeUndefined()
    expect(log.intercept({ ...place(), body: Buffer.from('no JSON') }, noDraw)).toBeUndefined()
    expect(log.since(0).calls).toMatchObject([{ number: 1, operation: 'place', betId: 'bet-1', amount: '10' }])
  })

  test('adds a requested fault to the next Place bet of its player, once', () => {
    const log = createLog()
    log.injectFault('lost call')
    expect(log.intercept(place({ userId: 'alice' }), noDraw)).toBeUndefined()
    expect(log.intercept(rollback(), noDraw)).toMatchObject({ fault: undefined })
    expect(log.intercept(place(), noDraw)).toMatchObject({ fault: 'lost call' })
    expect(log.intercept(place(), noDraw)).toMatchObject({ fault: undefined })
  })

  test('returns the calls that changed, with status and code', () => {
    const log = createLog()
    const [first, second] = [log.intercept(place(), noDraw), log.intercept(place({ transactionId: 'bet-2' }), noDraw)]
    const { calls, next } = log.since(0)
    expect(calls).toHaveLength(2)
    expect(log.since(next).calls).toEqual([])
    second?.notify(answered(7))
    expect(log.since(next).calls).toMatchObject([{ betId: 'bet-2', status: 400, code: 7, isLost: false }])
    first?.notify({ kind: 'lost' })
    expect(log.since(next).calls).toMatchObject([{ betId: 'bet-1', isLost: true }, { betId: 'bet-2' }])
  })

  test('shows a call that is sent again as a call of its own', () => {
    const log = createLog()
    const twice = log.intercept(place(), noDraw)
    twice?.notify(answered())
    twice?.notify(answered(undefined, true))
    expect(log.since(0).calls).toMatchObject([{ isAgain: false }, { isAgain: true, status: 200 }])
  })

  test('releases a late Place bet when the Rollback of its bet has an answer', async () => {
    const log = createLog()
    log.injectFault('late call')
    let isReleased = false
    void log.intercept(place(), noDraw)?.overtaken?.then(() => {
      isReleased = true
    })
    const overtaking = log.intercept(rollback(), noDraw)
    await new Promise(setImmediate)
    expect(isReleased).toBe(false)
    overtaking?.notify(answered())
    await new Promise(setImmediate)
    expect(isReleased).toBe(true)
  })

  test('drops the oldest calls after 300', () => {
    const log = createLog()
    for (let i = 0; i < 301; i++) log.intercept(place(), noDraw)
    const numbers = log.since(0).calls.map(({ number }) => number)
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([300, 2, 301])
  })

  test('attaches the verdict of the judge to a call, and a command that repeats it', () => {
    const judge = createLiveJudge({ secret: 'secret', players: [] })
    const endings: (string | undefined)[] = []
    const listener = {
      ended: (_call: LiveCall, verdicts: readonly LiveCallVerdict[]) => void endings.push(verdicts[0]?.verdict.kind),
    }
    const log = createLog({ judge, listener })
    const decision = log.intercept(place(), noDraw)
    decision?.notify({ kind: 'sent', isAgain: false, request, at: new Date() })
    decision?.notify(answered(100))
    const [call] = log.since(0).calls
    expect(endings).toEqual([call?.verdict?.kind])
    expect(call?.curl).toBe("curl -sS -i -X POST 'http://127.0.0.1/payment/bet'")
  })

  test('has the verdicts of the judge without a listener too', () => {
    const log = createLog({ judge: createLiveJudge({ secret: 'secret', players: [] }) })
    const decision = log.intercept(place(), noDraw)
    decision?.notify({ kind: 'sent', isAgain: false, request, at: new Date() })
    decision?.notify(answered(100))
    expect(log.since(0).calls[0]?.verdict).toBeDefined()
  })

  test('reports a call that did not reach the wallet without a verdict', () => {
    const endings: number[] = []
    const log = createLog({ listener: { ended: (_call, verdicts) => void endings.push(verdicts.length) } })
    log.intercept(place(), noDraw)?.notify({ kind: 'unreachable', isAgain: false, why: 'connection refused' })
    log.intercept(place(), noDraw)?.notify({ kind: 'lost' })
    expect(endings).toEqual([0, 0])
  })

  test('draws no fault for a player who is in the middle of a trouble', async () => {
    const log = createLog({ drawsFaults: true })
    const draw = () => 'lost call' as const
    await log.withoutDraws(ROBIN, async () => {
      expect(log.intercept(place(), draw)?.fault).toBeUndefined()
    })
    expect(log.intercept(place(), draw)?.fault).toBe('lost call')
  })
})
