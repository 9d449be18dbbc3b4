/**
 * The load shedder of the partner wire leaves calls unread while the server is busy, and answers
 * them as failed before their deadline.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { BODY, CALL, openCaller, openServer, post, SHORT } from './load-shedder-scene.ts'

test('an overloaded server fails a call unread: a Place bet is rolled back, and other calls are repeated', async (context) => {
  const { url, loadShedder, setRoom, bodies } = await openServer(context, SHORT)
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
  expect(loadShedder.shedCalls).toBe(5)
  expect(bodies()).toBe(0)
})

test('a connection waits unread while the queue is full, and its calls are accepted afterwards', async (context) => {
  const { url, loadShedder, setRoom } = await openServer(context)
  const caller = await openCaller(url)
  caller.send(1)
  await caller.answered(1)
  setRoom(0)
  caller.send(1) // this call is read before the overload is known; later calls wait
  await caller.answered(2)
  caller.send(3)
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  expect(caller.statuses).toHaveLength(2)
  setRoom(100)
  expect(await caller.answered(5)).toEqual(Array(5).fill('200'))
  expect(loadShedder.shedCalls).toBe(0)
})

test('all calls of a connection fail if the queue stays full until the deadline', async (context) => {
  const { url, loadShedder, setRoom } = await openServer(context, SHORT)
  const caller = await openCaller(url)
  setRoom(0)
  caller.send(1)
  await caller.answered(1)
  caller.send(50)
  expect(await caller.answered(51)).toEqual(['200', ...Array(50).fill('400')])
  expect(loadShedder.shedCalls).toBe(50)
  setRoom(100)
  // On a busy machine a call's short time can pass before its connection is checked.
  for (let sent = 52; caller.statuses.at(-1) !== '200'; sent++) {
    caller.send(1)
    await caller.answered(sent)
  }
})

test('under load a connection waits unread until there is downstream capacity, which is only checked if there is room', async (context) => {
  const { url, loadShedder, setRoom, setDownstreamCapacity, checks } = await openServer(context)
  const caller = await openCaller(url)
  setDownstreamCapacity(0)
  caller.send(1)
  await caller.answered(1) // capacity is free, so no call waits
  setRoom(0)
  caller.send(1)
  await caller.answered(2)
  setRoom(100)
  caller.send(3)
  for (const before = checks(); checks() < before + 5; ) await nextTurn()
  expect(caller.statuses).toHaveLength(2)
  setDownstreamCapacity(10)
  expect(await caller.answered(5)).toEqual(Array(5).fill('200'))
  expect(loadShedder.shedCalls).toBe(0)
})

test('health checks and our own APIs are answered under load', async (context) => {
  const { url, setRoom } = await openServer(context)
  const caller = await openCaller(url)
  setRoom(0)
  caller.send(1)
  await caller.answered(1)
  caller.send(1)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  expect(caller.statuses).toHaveLength(1)
})

describe('a connection that closes', () => {
  test('leaves the queue at once, with any deadline', async (context) => {
    const { url, loadShedder, setRoom, app, closed } = await openServer(context)
    const caller = await openCaller(url)
    setRoom(0)
    caller.send(1)
    await caller.answered(1)
    expect(loadShedder.queuedConnections()).toBe(1)
    // a paused connection is not read, so only the server can close it here
    app.server.closeAllConnections()
    await closed(1)
    expect(loadShedder.queuedConnections()).toBe(0)
  })

  test('does not take part in the next overload', async (context) => {
    const { url, loadShedder, setRoom, closed } = await openServer(context)
    const [gone, caller] = [await openCaller(url), await openCaller(url)]
    for (const { send, answered } of [gone, caller]) {
      send(1)
      await answered(1)
    }
    gone.end()
    await closed(1)
    setRoom(0)
    caller.send(1)
    await caller.answered(2)
    expect(loadShedder.queuedConnections()).toBe(1)
  })
})

test('under load a connection receives every answer in the order of its calls, with or without room', async (context) => {
  const { url, setRoom, loadShedder } = await openServer(context, SHORT)
  const callers = await Promise.all(Array.from({ length: 50 }, () => openCaller(url)))
  for (let round = 1; round <= 6; round++) {
    setRoom(round % 2 === 0 ? 0 : 64)
    for (const { send } of callers) send(16)
    for (const { answered } of callers) await answered(16 * round)
  }
  for (const { statuses } of callers) expect(statuses).toHaveLength(6 * 16)
  expect(new Set(callers.flatMap(({ statuses }) => statuses))).toEqual(new Set(['200', '400']))
  expect(loadShedder.shedCalls).toBe(
    callers.flatMap(({ statuses }) => statuses).filter((status) => status === '400').length,
  )
})

test('a connection that sends calls under load joins the queue, because waiting calls may need its capacity', async (context) => {
  const { url, setRoom, setDownstreamCapacity } = await openServer(context)
  const [first, beside] = [await openCaller(url), await openCaller(url)]
  setDownstreamCapacity(0)
  setRoom(0)
  first.send(1) // the overload begins
  await first.answered(1)
  first.send(1)
  setRoom(100)
  const late = await openCaller(url)
  late.send(1)
  await late.answered(1)
  late.send(1)
  beside.send(1)
  for (let turn = 0; turn < 100; turn++) await nextTurn()
  expect([first, beside, late].map(({ statuses }) => statuses.length)).toEqual([1, 0, 1])
  setDownstreamCapacity(100)
  await Promise.all([first.answered(2), beside.answered(1), late.answered(2)])
})

test('an overload ends when no connection waits for long, and connections are then read as they send', async (context) => {
  const { url, setRoom, checks } = await openServer(context)
  const caller = await openCaller(url)
  setRoom(0)
  caller.send(1)
  await caller.answered(1)
  setRoom(100)
  const sendOn = async (count: number) => {
    for (let i = 0; i < count; i++) {
      caller.send(1)
      await caller.answered(caller.statuses.length + 1)
    }
  }
  for (let seen = -1; seen !== checks(); ) {
    seen = checks()
    await sendOn(10)
  }
  expect(caller.statuses).not.toContain('400')
})

/** The calls of this connection fail from now on, for lack of capacity. */
async function openUnheard(url: string, setRoom: (calls: number) => void) {
  const caller = await openCaller(url)
  setRoom(1)
  caller.send(1)
  await caller.answered(1)
  setRoom(0)
  caller.send(1)
  await caller.answered(2)
  return caller
}

describe('a call that is failed unread', () => {
  const withoutTime = (text: string) => text.replace(/^Date: .*$/m, 'Date')

  test('gets the answer that Node would write, and Node creates no objects for it', async (context) => {
    const { url, setRoom, requests } = await openServer(context, SHORT)
    const caller = await openUnheard(url, setRoom)
    const before = { text: caller.all(), requests: requests() }
    caller.send(1)
    await caller.answered(3)
    expect(requests()).toBe(before.requests)
    setRoom(Number.NEGATIVE_INFINITY)
    const other = await openCaller(url)
    // this call takes Node's path
    other.write(`POST /payment/bet HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n7\r\n${BODY}\r\n0\r\n\r\n`)
    await other.answered(1)
    expect(requests()).toBe(before.requests + 1)
    expect(withoutTime(caller.all().slice(before.text.length))).toBe(withoutTime(other.all()))
  })

  test('keeps its position among other calls of its connection, and its body is discarded, whole, in pieces or in chunks', async (context) => {
    const { url, setRoom, loadShedder } = await openServer(context, SHORT)
    const caller = await openUnheard(url, setRoom)
    const head = (method: string) => `${method} /payment/bet HTTP/1.1\r\nhost: a\r\n`
    const chunked = `${head('PUT')}transfer-encoding: chunked\r\n\r\n7\r\n${BODY}\r\n0\r\n\r\n`
    caller.write(`${CALL}${chunked}GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n${CALL}`)
    expect((await caller.answered(6)).slice(2)).toEqual(['400', '500', '200', '400'])
    caller.write(`${head('PUT')}content-length: ${BODY.length}\r\n\r\n${BODY.slice(0, 3)}`)
    expect((await caller.answered(7)).at(-1)).toBe('500')
    caller.write(`${BODY.slice(3)}${CALL}`)
    expect((await caller.answered(8)).at(-1)).toBe('400')
    expect(loadShedder.shedCalls).toBe(5)
  })

  test('gets 100 Continue on request, and ends the connection if it requests that', async (context) => {
    const { url, setRoom } = await openServer(context, SHORT)
    const caller = await openUnheard(url, setRoom)
    const before = caller.all().length
    const head = `POST /payment/bet HTTP/1.1\r\nhost: a\r\ncontent-length: ${BODY.length}\r\n`
    caller.write(`${head}Expect: 100-continue\r\n\r\n`)
    await caller.answered(3)
    expect(caller.all().slice(before)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400/)
    caller.write(`${BODY}${head}Connection: close\r\n\r\n${BODY}`)
    expect((await caller.answered(4)).at(-1)).toBe('400')
    await caller.ended
  })
})
