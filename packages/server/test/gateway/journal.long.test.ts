/**
 * The gateway's journal (W-30) records the platform's call, the answer to it, and the time that the
 * gateway and the operator took.
 */
import { randomUUID } from 'node:crypto'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CallListEntry } from '../../src/core/call-journal/journal-call-list.ts'
import { placeMessage, sign } from '../support/wire.ts'
import { type GatewayPlayer, type GatewayScene, newGatewayScene, newPlayer } from './scene.ts'

let scene: GatewayScene
let ann: GatewayPlayer
beforeAll(async () => {
  scene = await newGatewayScene(1, { PURSER_TRUSTED_PROXIES: '127.0.0.0/8' })
  ann = await newPlayer(scene)
})
afterAll(() => scene.stop())

/** Resolves to the call with this requestId when it is written. */
async function kept(requestId: string): Promise<CallListEntry> {
  let call: CallListEntry | undefined
  while (call === undefined) {
    await sleep(20)
    const { body } = await scene.gateway.api.request('GET', `/operators/calls?requestId=${requestId}`)
    call = (body as unknown as { data: CallListEntry[] }).data[0]
  }
  return call
}

test('a call through a trusted proxy has the source address that the proxy sends', async () => {
  const message = placeMessage({ userId: ann.userId, token: ann.token, requestId: randomUUID() })
  const headers = { 'x-forwarded-for': '10.1.1.1, 198.51.100.1' }
  await scene.gateway.wire.call('POST', '/payment/bet', message, { headers })
  expect(await kept(String(message.requestId))).toMatchObject({ source: '198.51.100.1' })
})

async function place(over: object = {}) {
  const message = placeMessage({ userId: ann.userId, token: ann.token, requestId: randomUUID(), ...over })
  const reply = await scene.gateway.wire.call('POST', '/payment/bet', message)
  return { reply, message, call: await kept(String(message.requestId)) }
}

/** Milliseconds; a timer can fire slightly early. */
const SLOW_MS = 60
const EARLY_MS = 5

test('a call that the operator answers is recorded with the ids, the answer and the operator’s time', async () => {
  ann.operator.wallet.next('place', { delayMs: SLOW_MS })
  const { reply, message, call } = await place()
  expect(call).toMatchObject({
    ...{ operation: 'place', outcome: 'answered_200', player: ann.userId, transactionId: message.transactionId },
    ...{ signature: 'verified with secret 1', answer: { status: 200, body: reply.text } },
  })
  expect(call.request.body).not.toContain(ann.token.slice(4))
  const { work, queue = -1, operator = 0, reply: rest = -1, database } = call.milliseconds
  expect(operator).toBeGreaterThan(SLOW_MS - EARLY_MS)
  expect([queue >= 0, rest >= 0, database]).toEqual([true, true, undefined])
  expect(queue + operator + rest).toBeCloseTo(work)
})

test('a call without an answer is recorded with the time until the gateway timed out', async () => {
  ann.operator.wallet.next('place', { fault: 'reset' })
  const { reply, call } = await place()
  expect([reply.status, call.outcome]).toEqual([400, 'network'])
  expect(call.milliseconds.operator).toBeGreaterThan(0)
})

test('a call that goes to no operator has no operator time', async () => {
  const { reply, call } = await place({ userId: 'a-stranger', token: randomUUID() })
  expect([reply.status, call.outcome]).toEqual([400, 'stranger'])
  expect(call.milliseconds).toEqual({ arrival: expect.any(Number), work: expect.any(Number) })
})

test('a call that fails inside the gateway is recorded as the platform’s call, with all known data', async () => {
  const sql = new pg.Client({ connectionString: scene.gateway.databaseUrl })
  await sql.connect()
  await sql.query('alter table gateway.session rename to broken')
  const { reply, message, call } = await place({ token: randomUUID() }).finally(async () => {
    await sql.query('alter table gateway.broken rename to session')
    await sql.end()
  })
  expect([reply.status, call.outcome]).toEqual([400, 'failed'])
  expect(call).toMatchObject({
    ...{ operation: 'place', player: ann.userId, transactionId: message.transactionId },
    ...{ signature: 'verified with secret 1', answer: { status: 400, code: 100 } },
  })
})

test('a malformed call is found by the ids that it contains', async () => {
  const { reply, message, call } = await place({ type: 99 })
  expect([reply.status, call.outcome]).toEqual([400, 'invalid_request'])
  expect(call).toMatchObject({
    ...{ operation: 'unknown', player: ann.userId, transactionId: message.transactionId },
    ...{ signature: 'verified with secret 1', answer: { code: 5 } },
  })
})

test('the code of an operator is found at any position in the answer', async () => {
  const answer = '{"message":"Not enough money","code":7}'
  ann.operator.wallet.next('place', { status: 400, body: answer })
  const { reply, message, call } = await place()
  expect([reply.text, call.answer.code]).toEqual([answer, 7])
  const found = await scene.gateway.api.request('GET', `/operators/calls?code=7&requestId=${message.requestId}`)
  expect(found.body).toMatchObject({ data: [{ requestId: message.requestId, answer: { code: 7 } }] })
})

test('a caller that disconnects before the answer is recorded with its address', async () => {
  const requestId = randomUUID()
  const body = JSON.stringify(placeMessage({ userId: ann.userId, token: ann.token, requestId }))
  ann.operator.wallet.next('place', { delayMs: SLOW_MS })
  const socket = net.connect(Number(new URL(scene.gateway.url).port), '127.0.0.1')
  const head = ['POST /payment/bet HTTP/1.1', 'host: gateway', `x-sign-jws: ${sign(body, scene.gateway.secret)}`]
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  await ann.operator.wallet.seen('place', ann.operator.wallet.of('place').length + 1)
  socket.resetAndDestroy()
  expect(await kept(requestId)).toMatchObject({ outcome: 'answered_200', source: '127.0.0.1' })
})
