/**
 * The log of the demo frame shows the calls about its player, and adds the faults that a visitor
 * requests.
 */

import { OPERATIONS } from '@purser/protocol/operation'
import { describe, expect, test } from 'vitest'
import { createLiveCallLog } from '../../../src/sandbox/wire/live-call-log.ts'

const ROBIN = 'robin'
const call = (method: string, type: number, more: object = {}) => ({
  ...{ method, path: OPERATIONS.place.path },
  body: Buffer.from(JSON.stringify({ userId: ROBIN, transactionId: 'bet-1', type, amount: 10, ...more })),
})
const place = (more: object = {}) => call('POST', OPERATIONS.place.type, more)
const rollback = () => call(OPERATIONS.rollback.method, OPERATIONS.rollback.type)
const answer = (code?: number) => ({ status: code === undefined ? 200 : 400, text: JSON.stringify({ code }) })

describe('the log of the demo frame', () => {
  test('has the bet operations of its player, and no other call', () => {
    const log = createLiveCallLog(ROBIN)
    expect(log.intercept(place())).toBeDefined()
    expect(log.intercept(place({ userId: 'alice' }))).toBeUndefined()
    expect(log.intercept(call('POST', 99))).toBeUndefined()
    expect(log.intercept({ ...place(), path: OPERATIONS.profile.path })).toBeUndefined()
    expect(log.intercept({ ...place(), body: Buffer.from('no JSON') })).toBeUndefined()
    expect(log.since(0).calls).toMatchObject([{ number: 1, operation: 'place', betId: 'bet-1', amount: '10' }])
  })

  test('adds a requested fault to the next Place bet of its player, once', () => {
    const log = createLiveCallLog(ROBIN)
    log.injectFault('lost call')
    expect(log.intercept(place({ userId: 'alice' }))).toBeUndefined()
    expect(log.intercept(rollback())).toMatchObject({ fault: undefined })
    expect(log.intercept(place())).toMatchObject({ fault: 'lost call' })
    expect(log.intercept(place())).toMatchObject({ fault: undefined })
  })

  test('returns the calls that changed, with status and code', () => {
    const log = createLiveCallLog(ROBIN)
    const [first, second] = [log.intercept(place()), log.intercept(place({ transactionId: 'bet-2' }))]
    const { calls, next } = log.since(0)
    expect(calls).toHaveLength(2)
    expect(log.since(next).calls).toEqual([])
    second?.notify({ kind: 'answered', ...answer(7) })
    expect(log.since(next).calls).toMatchObject([{ betId: 'bet-2', status: 400, code: 7, isLost: false }])
    first?.notify({ kind: 'lost' })
    expect(log.since(next).calls).toMatchObject([{ betId: 'bet-1', isLost: true }, { betId: 'bet-2' }])
  })

  test('shows a call that is sent again as a call of its own', () => {
    const log = createLiveCallLog(ROBIN)
    const twice = log.intercept(place())
    twice?.notify({ kind: 'answered', ...answer() })
    twice?.notify({ kind: 'again', ...answer() })
    expect(log.since(0).calls).toMatchObject([{ isAgain: false }, { isAgain: true, status: 200 }])
  })

  test('releases a late Place bet when the Rollback of its bet has an answer', async () => {
    const log = createLiveCallLog(ROBIN)
    log.injectFault('late call')
    let isReleased = false
    void log.intercept(place())?.overtaken?.then(() => {
      isReleased = true
    })
    const overtaking = log.intercept(rollback())
    await new Promise(setImmediate)
    expect(isReleased).toBe(false)
    overtaking?.notify({ kind: 'answered', ...answer() })
    await new Promise(setImmediate)
    expect(isReleased).toBe(true)
  })

  test('drops the oldest calls after 300', () => {
    const log = createLiveCallLog(ROBIN)
    for (let i = 0; i < 301; i++) log.intercept(place())
    const numbers = log.since(0).calls.map(({ number }) => number)
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([300, 2, 301])
  })
})
