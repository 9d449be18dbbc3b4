import { describe, expect, test } from 'vitest'
import type { NetworkAnswer, NetworkRequest } from '../src/market/network/simulated-network.ts'
import { watchRollbackReasons } from '../src/market/oracle/rollback-reason-watch.ts'

const request = (method: string, said: object): NetworkRequest => ({
  ...{ method, path: '/payment/bet', headers: {} },
  body: Buffer.from(JSON.stringify({ transactionId: 'bet', ...said })),
})
const PLACE = request('POST', { type: 1 })
const YES: NetworkAnswer = { status: 200, body: Buffer.from('{"transactionId":"bet"}') }
const CUT: NetworkAnswer = { status: 200, body: Buffer.from('{"transac') }
const FAILED: NetworkAnswer = { status: 502, body: Buffer.from('') }

function complaints(heard: NetworkAnswer | 'broken' | undefined, errorCode: number) {
  const watch = watchRollbackReasons((betId) => betId)
  watch.leaves(PLACE)
  if (heard !== undefined) watch.received(PLACE, heard)
  watch.leaves(request('PUT', { type: 3, errorCode }))
  return watch.complaints()
}

describe('the check of Rollback reasons', () => {
  test.each([
    ['a time-out', undefined, 10],
    ['a broken connection', 'broken', 52],
    ['another status', FAILED, 52],
    ['an answer that was cut', CUT, 52],
    ['a yes, and the event is over', YES, 9],
    ['a yes, and the event is withdrawn', YES, 32],
    ['a process that died', undefined, 50],
  ] as const)('accepts the reason of %s', (_, heard, errorCode) => {
    expect(complaints(heard, errorCode)).toEqual([])
  })

  test.each([
    ['a time-out', undefined, 52],
    ['another status', FAILED, 10],
    ['a broken connection', 'broken', 10],
    ['a yes', YES, 52],
    ['a yes', YES, 10],
    ['a failure', FAILED, 32],
  ] as const)('reports another reason for %s (C-2)', (_, heard, errorCode) => {
    expect(complaints(heard, errorCode)).toHaveLength(1)
  })
})
