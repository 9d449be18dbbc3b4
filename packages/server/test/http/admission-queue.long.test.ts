/**
 * Calls wait in the admission queue of the partner wire while the server is full, and are answered
 * as failed before their deadline.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { BODY, CALL, openCaller, openServer, post, SHORT } from './admission-scene.ts'

const someTurns = async () => {
  for (let turn = 0; turn < 100; turn++) await nextTurn()
}

test('a full server fails a call without starting it: a Place bet is rolled back, and other calls are repeated', async (context) => {
  const { url, admission, setRoom, started } = await openServer(context, SHORT)
  setRoom(Number.NEGATIVE_INFINITY)
  for (const [method, path, status] of [
    ['POST', '/payment/bet', 400],
    ['PUT', '/payment/bet', 500],
    ['POST', '/user/profile', 500],
    ['POST', '/user/balance', 500],
    ['POST', '/payment/check', 500],
  ] as const) {
    const answer = await post(url, path, method)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await answer.json()).toEqual({ code: 100, message: 'System error' })
  }
  expect(admission.shedCalls).toBe(5)
  expect(started()).toBe(0)
})

test('calls wait while the server is full, and start when it has capacity', async (context) => {
  const { url, admission, setRoom, started } = await openServer(context)
  const caller = await openCaller(url)
  setRoom(0)
  caller.send(3)
  await expect.poll(() => admission.size).toBe(1)
  await someTurns()
  expect(started()).toBe(0)
  setRoom(100)
  expect(await caller.answered(3)).toEqual(Array(3).fill('200'))
  expect(admission.shedCalls).toBe(0)
})

test('every waiting call fails if the server stays full until the deadline, and later calls start', async (context) => {
  const { url, admission, setRoom } = await openServer(context, SHORT)
  const caller = await openCaller(url)
  setRoom(0)
  caller.send(50)
  expect(await caller.answered(50)).toEqual(Array(50).fill('400'))
  expect(admission.shedCalls).toBe(50)
  setRoom(100)
  caller.send(1)
  expect((await caller.answered(51)).at(-1)).toBe('200')
})

test('waiting calls start only with downstream capacity, which does not matter while no call waits', async (context) => {
  const { url, admission, setRoom, setDownstreamCapacity, checks } = await openServer(context)
  const [caller, other] = [await openCaller(url), await openCaller(url)]
  setDownstreamCapacity(0)
  caller.send(1)
  await caller.answered(1)
  setRoom(0)
  caller.send(3)
  await expect.poll(() => admission.size).toBe(1)
  setRoom(100)
  other.send(1) // waits like all others
  await expect.poll(() => admission.size).toBe(2)
  for (const before = checks(); checks() < before + 5; ) await nextTurn()
  expect([...caller.statuses, ...other.statuses]).toHaveLength(1)
  setDownstreamCapacity(10)
  expect(await caller.answered(4)).toEqual(Array(4).fill('200'))
  expect(await other.answered(1)).toEqual(['200'])
})

test('health checks and our own APIs are answered while calls wait', async (context) => {
  const { url, admission, setRoom } = await openServer(context)
  const caller = await openCaller(url)
  setRoom(0)
  caller.send(1)
  await expect.poll(() => admission.size).toBe(1)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(caller.statuses).toHaveLength(0)
})

test('a waiting call of a closed connection never starts', async (context) => {
  const { url, admission, setRoom, app, closed, started } = await openServer(context)
  const [gone, caller] = [await openCaller(url), await openCaller(url)]
  setRoom(0)
  gone.send(2)
  await expect.poll(() => admission.size).toBe(1)
  app.server.closeAllConnections()
  await Promise.all([closed(2), caller.ended])
  setRoom(100)
  const next = await openCaller(url)
  next.send(1)
  await next.answered(1)
  expect([admission.size, started()]).toEqual([0, 1])
})

test('a caller that ends its side of the connection while its call waits does not end the process', async (context) => {
  const { url, admission, setRoom, closed, app } = await openServer(context)
  const caller = await openCaller(url)
  const errors: unknown[] = []
  app.server.on('clientError', (error, socket) => {
    errors.push(error)
    socket.destroy()
  })
  setRoom(0)
  caller.send(1)
  await expect.poll(() => admission.size).toBe(1)
  caller.end()
  await someTurns()
  setRoom(100)
  await closed(1)
  expect(errors).toEqual([])
})

test('a connection receives every answer in the order of its calls, with or without capacity', async (context) => {
  const { url, setRoom, admission } = await openServer(context, SHORT)
  const callers = await Promise.all(Array.from({ length: 50 }, () => openCaller(url)))
  for (let round = 1; round <= 6; round++) {
    setRoom(round % 2 === 0 ? 0 : 64)
    for (const { send } of callers) send(16)
    for (const { answered } of callers) await answered(16 * round)
  }
  for (const { statuses } of callers) expect(statuses).toHaveLength(6 * 16)
  const all = callers.flatMap(({ statuses }) => statuses)
  expect(new Set(all)).toEqual(new Set(['200', '400']))
  expect(admission.shedCalls).toBe(all.filter((status) => status === '400').length)
})

describe('a call that fails in the queue', () => {
  test('keeps its position among other calls of its connection, with its body whole, in pieces or in chunks', async (context) => {
    const { url, setRoom, admission } = await openServer(context, SHORT)
    const caller = await openCaller(url)
    setRoom(0)
    const head = (method: string) => `${method} /payment/bet HTTP/1.1\r\nhost: a\r\n`
    const chunked = `${head('PUT')}transfer-encoding: chunked\r\n\r\n7\r\n${BODY}\r\n0\r\n\r\n`
    caller.write(`${CALL}${chunked}GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n${CALL}`)
    expect(await caller.answered(4)).toEqual(['400', '500', '200', '400'])
    caller.write(`${head('PUT')}content-length: ${BODY.length}\r\n\r\n${BODY.slice(0, 3)}`)
    await someTurns()
    caller.write(`${BODY.slice(3)}${CALL}`)
    expect((await caller.answered(6)).slice(4)).toEqual(['500', '400'])
    expect(admission.shedCalls).toBe(5)
  })

  test('gets 100 Continue on request, and ends the connection if it requests that', async (context) => {
    const { url, setRoom } = await openServer(context, SHORT)
    const caller = await openCaller(url)
    setRoom(0)
    const head = `POST /payment/bet HTTP/1.1\r\nhost: a\r\ncontent-length: ${BODY.length}\r\n`
    caller.write(`${head}Expect: 100-continue\r\n\r\n${BODY}`)
    await caller.answered(1)
    expect(caller.all()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400/)
    caller.write(`${head}Connection: close\r\n\r\n${BODY}`)
    expect((await caller.answered(2)).at(-1)).toBe('400')
    await caller.ended
  })
})
