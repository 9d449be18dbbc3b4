/**
 * The kit waits for the calls of a platform until enough calls have arrived, or until a time limit.
 */

import { OPERATIONS } from '@purser/protocol/operation'
import { describe, expect, test } from 'vitest'
import {
  classifyRequest,
  createRequestLog,
  type ReceivedCallKind,
  type RecordedRequest,
  type RequestLog,
} from '../src/platform/play/request-log.ts'

/** Milliseconds that no wait of these tests reaches. */
const LONG_MS = 600_000

function receive(log: RequestLog, call: ReceivedCallKind, transactionId = 'bet-1'): void {
  const partner = { partnerId: 'partner', baseUrl: 'http://127.0.0.1', secret: 'secret', players: new Map() }
  const request = { method: 'POST', path: OPERATIONS.place.path, headers: {}, bytes: Buffer.from(''), at: 0 }
  log.add({ ...request, call, partner, body: { transactionId } } satisfies RecordedRequest)
}

describe('the log of requests waits', () => {
  const { signal } = new AbortController()
  const waitForTwo = (log: RequestLog) => log.waitFor('place', 2, { idleTimeoutMs: LONG_MS })

  test('past the first call and calls of other kinds until enough calls have arrived', async () => {
    const log = createRequestLog(signal)
    let isOver = false
    const waiting = waitForTwo(log).finally(() => {
      isOver = true
    })
    receive(log, 'place')
    await Promise.resolve().then(() => receive(log, 'rollback'))
    await new Promise(setImmediate)
    expect(isOver).toBe(false)
    receive(log, 'place')
    expect(await waiting).toBe(true)
  })

  test('not at all when enough calls have arrived already', async () => {
    const log = createRequestLog(signal)
    receive(log, 'place')
    receive(log, 'place')
    expect(await waitForTwo(log)).toBe(true)
  })

  test('until no call has arrived for the idle time, or for the whole time', async () => {
    const log = createRequestLog(signal)
    receive(log, 'place')
    expect(await log.waitFor('place', 2, { idleTimeoutMs: 1 })).toBe(false)
    expect(await log.waitFor('place', 2, { idleTimeoutMs: LONG_MS, withinMs: 1 })).toBe(false)
    expect(await log.waitFor('place', 2, { idleTimeoutMs: LONG_MS, withinMs: 0 })).toBe(false)
  })

  test('until the run ends', async () => {
    const run = new AbortController()
    const log = createRequestLog(run.signal)
    const waiting = waitForTwo(log)
    run.abort()
    expect(await waiting).toBe(false)
    expect(await waitForTwo(log)).toBe(false)
  })
})

test('the log of requests names each bet once, in the order of the Place bets', () => {
  const log = createRequestLog(new AbortController().signal)
  for (const bet of ['bet-2', 'bet-1', 'bet-2']) receive(log, 'place', bet)
  receive(log, 'settle', 'bet-3')
  expect(log.bets()).toEqual(['bet-2', 'bet-1'])
})

test.each([
  ['POST', OPERATIONS.profile.path, undefined, 'profile'],
  ['GET', OPERATIONS.profile.path, undefined, 'other'],
  ['POST', OPERATIONS.place.path, 1, 'place'],
  ['POST', OPERATIONS.place.path, 9, 'other'],
  ['POST', '/another/path', 1, 'other'],
])('a request %s %s of type %s is of kind %s', (method, path, type, kind) => {
  expect(classifyRequest(method, path, type)).toBe(kind)
})
