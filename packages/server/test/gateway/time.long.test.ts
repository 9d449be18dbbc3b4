/**
 * The platform waits 5 s for an answer, and the gateway gives the operator most of this time. The
 * gateway answers for a silent operator, which delays no other call.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBoundedSemaphore } from '../../src/gateway/operators/bounded-semaphore.ts'
import { OPERATOR_CALL_LIMITS } from '../../src/gateway/operators/operator-client.ts'
import { lateMs } from '../support/fault-scene.ts'
import { newToken } from '../support/platform.ts'
import { hang, reset, type Script } from '../support/scripted-wallet.ts'
import { placeMessage, rollbackMessage, settleMessage, unsettleMessage, type WireReply } from '../support/wire.ts'
import { type GatewayPlayer, type GatewayScene, newGatewayScene, newPlayer } from './scene.ts'

let scene: GatewayScene
let ann: GatewayPlayer
let ben: GatewayPlayer
beforeAll(async () => {
  scene = await newGatewayScene()
  ann = await newPlayer(scene, 0)
  ben = await newPlayer(scene, 1)
})
afterAll(() => scene.stop())

const OPERATIONS = {
  place: ['POST', placeMessage],
  settle: ['PUT', settleMessage],
  unsettle: ['PUT', unsettleMessage],
  rollback: ['PUT', rollbackMessage],
} as const
type Operation = keyof typeof OPERATIONS

/** 4.75 s after the call's arrival, plus sending and receiving on a busy machine. */
const GIVEN_UP_MS = 5_500

/** Less than twice 4.75 s, because a wait for a slot does not extend the call's time. */
const WAITED_TWICE_MS = 8_500

/** The answer, with its duration in milliseconds. */
async function send(player: GatewayPlayer, operation: Operation): Promise<WireReply & { ms: number }> {
  const [method, message] = OPERATIONS[operation]
  const names = { userId: player.userId, ...(operation in { place: 1, rollback: 1 } && { token: player.token }) }
  const startedAt = performance.now()
  const reply = await scene.gateway.wire.call(method, '/payment/bet', message(names))
  return { ...reply, ms: performance.now() - startedAt }
}

/** The platform rolls a Place bet back and repeats any other call (C-2, C-4, C-5, R-4). */
function expectFailed({ status, body }: WireReply, operation: Operation): void {
  expect({ status, body }).toEqual({
    status: operation === 'place' ? 400 : 500,
    body: { code: 100, message: 'System error' },
  })
}

/** Per operator, from the metrics. */
async function callsUnderWay(): Promise<number[]> {
  const text = await (await fetch(`${scene.gateway.url}/metrics`)).text()
  return [...text.matchAll(/^gateway_calls_in_flight\{.*\} (\d+)$/gm)].map(([, depth]) => Number(depth))
}

const SILENCES: [string, Script][] = [
  ['silent', hang],
  ['later than the 5 s', { delayMs: 5_200 }],
  ['out with the headers, and silent about the body', { bodyDelayMs: 5_200 }],
]
test('the gateway times out a silent or late operator just before the platform times out', async () => {
  const replies = SILENCES.flatMap(([, script]) =>
    (Object.keys(OPERATIONS) as Operation[]).map((operation) => {
      ann.operator.wallet.next(operation, script)
      return { operation, reply: send(ann, operation) }
    }),
  )
  for (const { operation, reply } of replies) {
    expectFailed(await reply, operation)
    const { ms } = await reply
    expect(ms).toBeGreaterThan(4_500)
    expect(ms).toBeLessThan(GIVEN_UP_MS + lateMs())
  }
})

test('the gateway times out an operator that does not answer a token exchange', async () => {
  const { operatorId, wallet } = ann.operator
  wallet.next('profile', hang)
  const reply = await scene.gateway.api.request('POST', `/operators/${operatorId}/sessions`, { token: newToken() })
  expect(reply).toMatchObject({ status: 502, body: { code: 'operator_failed' } })
})

test.each([
  ['resets', reset],
  ['resets in the body', { fault: 'reset_in_body' }],
  ['says more than any wallet says', { body: 'x'.repeat(64 * 1024 + 1) }],
] as [string, Script][])('the gateway invents no answer for an operator that %s', async (_what, script) => {
  for (const operation of Object.keys(OPERATIONS) as Operation[]) {
    ann.operator.wallet.next(operation, script)
    expectFailed(await send(ann, operation), operation)
  }
})

test('while an operator’s Place bets hang, its results and the calls of other operators are answered at once', async () => {
  const { inside, waiting } = OPERATOR_CALL_LIMITS
  ann.operator.wallet.always('place', hang)
  let over = 0
  const load = Array.from({ length: inside + waiting }, async () => {
    const reply = await send(ann, 'place')
    over += 1
    return reply
  })
  while (!(await callsUnderWay()).includes(inside + waiting)) {
    expect(over, 'answered before all of them were under way').toBe(0)
    await sleep(20)
  }
  const others = [send(ben, 'place'), send(ben, 'settle'), send(ann, 'settle'), send(ann, 'rollback')]
  expectFailed(await send(ann, 'place'), 'place')
  for (const reply of await Promise.all(others)) expect(reply.status).toBe(200)
  expect(over, 'calls of the load that were answered before the others').toBe(0)
  for (const reply of await Promise.all(load)) {
    expectFailed(reply, 'place')
    expect(reply.ms).toBeLessThan(WAITED_TWICE_MS + lateMs())
  }
  ann.operator.wallet.always('place', {})
  expect(ann.operator.wallet.mostAtOnce()).toBeLessThanOrEqual(2 * inside)
  expect(await send(ann, 'place')).toMatchObject({ status: 200 })
})

describe('the bounded semaphore', () => {
  const inOneSecond = () => performance.now() + 1_000

  test('admits up to its limit, and the next callers in order as permits are released', async () => {
    const semaphore = createBoundedSemaphore({ inside: 1, waiting: 2 })
    expect(semaphore.acquire(inOneSecond())).toBe(true)
    const order: number[] = []
    const others = [1, 2].map(async (number) => {
      expect(await semaphore.acquire(inOneSecond())).toBe(true)
      order.push(number)
      semaphore.release()
    })
    expect(semaphore.acquire(inOneSecond())).toBe(false)
    semaphore.release()
    await Promise.all(others)
    expect(order).toEqual([1, 2])
    expect(semaphore.depth()).toBe(0)
  })

  test('rejects a caller whose wait timed out, without releasing the permit twice', async () => {
    const semaphore = createBoundedSemaphore({ inside: 1, waiting: 2 })
    expect(semaphore.acquire(inOneSecond())).toBe(true)
    expect(await semaphore.acquire(performance.now() + 20)).toBe(false)
    semaphore.release()
    expect(semaphore.depth()).toBe(0)
    expect(semaphore.acquire(inOneSecond())).toBe(true)
  })
})
