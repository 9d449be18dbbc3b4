/** The HTTP side of the partner wire reads each form of a call, and answers in order. */
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { WireReply } from '@purser/protocol/wire-reply'
import { describe, expect, test } from 'vitest'
import { closeApp, createHttpApp } from '../../src/core/http/http-app.ts'
import { registerWire } from '../../src/core/partner-wire/partner-wire.ts'
import type { Finishing } from '../support/fault-scene.ts'

interface HandledCall {
  readonly reply: WireReply
}

/** A request at `handle`, which the test answers. */
interface ReceivedRequest {
  readonly body: string
  reply(status: number, body: string): void
}

async function openServer({ onTestFinished }: Finishing, byItself?: WireReply) {
  const http = createHttpApp()
  const { app } = http
  const asked: ReceivedRequest[] = []
  const arrivals: number[] = []
  const totals: number[] = []
  await registerWire<HandledCall>(http, {
    handle: (_endpoint, { body, arrivedAt }) =>
      new Promise((resolve) => {
        arrivals.push(arrivedAt)
        const reply = (status: number, text: string) => resolve({ reply: { status, body: text } })
        asked.push({ body: body.toString(), reply })
        if (byItself !== undefined) resolve({ reply: byItself })
      }),
    handleUnreadable: (detail) => ({ reply: { status: 400, body: JSON.stringify({ detail }) } }),
    handleError: () => ({ reply: { status: 500, body: '{}' } }),
    onFailure() {},
    onAnswered: (_handled, { totalMs }) => void totals.push(totalMs),
  })
  app.get('/healthz', async () => ({ status: 'ok' }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = app.server.address() as { port: number }
  const askedFor = async (count: number) => {
    while (asked.length < count) await nextTurn()
    return asked
  }
  return { app, port, askedFor, arrivals, totals }
}

/** A connection with its received bytes. */
function openCaller(port: number, { onTestFinished }: Finishing) {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  let text = ''
  let onText = () => {}
  socket.on('data', (chunk) => {
    text += chunk
    onText()
  })
  const has = (wanted: RegExp) =>
    new Promise<string>((resolve) => {
      onText = () => wanted.test(text) && resolve(text)
      onText()
    })
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return { socket, write: (more: string) => void socket.write(more), has, text: () => text, ended }
}

const head = (lines: string, path = '/payment/bet') => `POST ${path} HTTP/1.1\r\nhost: a\r\n${lines}\r\n`
const call = (body: string) => `${head(`content-length: ${body.length}\r\n`)}${body}`
const chunked = (body: string) =>
  `${head('transfer-encoding: chunked\r\n')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

test('a reply has the length of its bytes, and no body if its status has none', async (context) => {
  const { port, askedFor } = await openServer(context)
  const caller = openCaller(port, context)
  for (const [i, [status, body, head]] of (
    [
      [200, '{"yes":"ü"}', 'content-length: 12'],
      [500, '', 'content-length: 0'],
      [204, '', 'cache-control: no-store'],
      [299, '{}', 'content-length: 2'],
    ] as const
  ).entries()) {
    const before = caller.text().length
    caller.write(call('{"a":1}'))
    ;(await askedFor(i + 1)).at(-1)?.reply(status, body)
    const sent = Buffer.from(body).toString('latin1')
    await caller.has(new RegExp(`HTTP/1.1 ${status} (?:(?!HTTP)[\\s\\S])*\\r\\n\\r\\n${sent}$`))
    expect(caller.text().slice(before)).toContain(`\r\n${head}\r\n`)
  }
  expect(caller.text()).not.toMatch(/ 204 [^\r]*\r\n(?:(?!HTTP)[\s\S])*content-length/)
})

test('answers are sent in the order of the requests of a connection, for any order of completion', async (context) => {
  const { port, askedFor } = await openServer(context)
  const caller = openCaller(port, context)
  const health = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
  caller.write(call('"1"') + call('"2"') + health + call('"3"') + chunked('"4"'))
  const asked = await askedFor(2)
  asked[1]?.reply(200, '"two"')
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  expect(caller.text()).toBe('')
  asked[0]?.reply(200, '"one"')
  await askedFor(4)
  expect(asked.map(({ body }) => body)).toEqual(['"1"', '"2"', '"3"', '"4"'])
  asked[3]?.reply(200, '"four"')
  asked[2]?.reply(200, '"three"')
  const text = await caller.has(/"four"/)
  expect(text.match(/"(one|two|ok|three|four)"/g)).toEqual(['"one"', '"two"', '"ok"', '"three"', '"four"'])
})

test('a call that waits unread while the event loop is blocked counts as arrived before, and lasts from its read', async (context) => {
  const { port, askedFor, arrivals, totals } = await openServer(context, { status: 200, body: '{"yes":1}' })
  const caller = openCaller(port, context)
  caller.write(call('"1"'))
  await caller.has(/"yes"/)
  caller.write(call('"2"'))
  const sentAt = performance.now()
  while (performance.now() < sentAt + 300); // blocks, like a large report
  const readAt = performance.now()
  await askedFor(2)
  expect(arrivals[1]).toBeLessThanOrEqual(sentAt)
  await caller.has(/"yes".*"yes"/s)
  expect(totals[1]).toBeLessThan(performance.now() - readAt)
})

test('a body in pieces is read whole, and the connection continues', async (context) => {
  const { port, askedFor } = await openServer(context, { status: 200, body: '{"yes":1}' })
  const caller = openCaller(port, context)
  const body = JSON.stringify({ long: 'x'.repeat(200_000) })
  const whole = call(body)
  for (const [from, to] of [
    [0, 40],
    [40, 100],
    [100, 100_000],
    [100_000, whole.length],
  ] as const) {
    caller.write(whole.slice(from, to))
    await nextTurn()
  }
  await caller.has(/"yes"/)
  caller.write(call('"next"'))
  await caller.has(/"yes"[\s\S]*"yes"/)
  expect((await askedFor(2)).map(({ body }) => body)).toEqual([body, '"next"'])
})

describe('an unusual request is answered if it has', () => {
  test.for([
    ['no host', 'POST /payment/bet HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}', / 400 Bad Request/],
    ['an Expect header', head('content-length: 2\r\nexpect: 100-continue\r\n'), / 100 Continue/],
    ['too long a body', head(`content-length: ${256 * 1024 + 1}\r\n`), /larger than 262144 bytes/],
    ['a query', `${head('content-length: 2\r\n', '/payment/bet?a=1')}{}`, / 200 /],
    ['no body', head(''), / 200 /],
    [
      'a Connection: close header',
      `${head('content-length: 2\r\nconnection: close\r\n')}{}`,
      / 200 [\s\S]*connection: close/i,
    ],
    ['another path', `${head('content-length: 2\r\n', '/payment/no')}{}`, / 404 /],
    ['another method', 'DELETE /payment/bet HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}', / 404 /],
  ] as const)('%s', async ([, text, answer], context) => {
    const { port } = await openServer(context, { status: 200, body: '{"yes":1}' })
    const caller = openCaller(port, context)
    caller.write(text)
    expect(await caller.has(answer)).toMatch(answer)
  })

  test('a header for another protocol, which is ignored as by Node', async (context) => {
    const { port } = await openServer(context, { status: 200, body: '{"yes":1}' })
    const caller = openCaller(port, context)
    caller.write(`${head('content-length: 2\r\nconnection: upgrade, keep-alive\r\nupgrade: h2c\r\n')}{}`)
    await caller.has(/ 200 [\s\S]*"yes"/)
  })
})

test('a header for another protocol after a call is ignored, and the connection ends normally', async (context) => {
  const { app, port, askedFor } = await openServer(context)
  const caller = openCaller(port, context)
  caller.write(`${call('{}')}GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade, keep-alive\r\nupgrade: x\r\n\r\n`)
  const [first] = await askedFor(1)
  first?.reply(200, '{"one":1}')
  await caller.has(/"one"[\s\S]*"status":"ok"/)
  caller.socket.end()
  await expect.poll(() => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))).toBe(0)
})

test('a connection whose answers are not read is not read either', async (context) => {
  const { port, askedFor } = await openServer(context, { status: 200, body: JSON.stringify('x'.repeat(20_000)) })
  const caller = openCaller(port, context)
  caller.socket.pause()
  const sent = 20_000
  caller.write(call('{"a":1}').repeat(sent))
  const asked = await askedFor(1)
  for (let seen = -1; seen !== asked.length; ) {
    seen = asked.length
    for (let turn = 0; turn < 200; turn++) await nextTurn()
  }
  expect(asked.length).toBeLessThan(sent / 2)
  caller.socket.resume()
  await askedFor(asked.length + 1)
})

test('a server that stops answers the calls in flight, and then closes the connection', async (context) => {
  const { app, port, askedFor } = await openServer(context)
  const [caller, idle] = [openCaller(port, context), openCaller(port, context)]
  idle.write(call('"idle"'))
  ;(await askedFor(1))[0]?.reply(200, '"idle"')
  await idle.has(/"idle"/)
  caller.write(call('"1"') + call('"2"'))
  const asked = await askedFor(3)
  const closed = closeApp(app)
  for (let turn = 0; turn < 50; turn++) await nextTurn()
  asked[2]?.reply(200, '"two"')
  asked[1]?.reply(200, '"one"')
  await Promise.all([caller.ended, idle.ended, closed])
  expect(caller.text()).toMatch(/keep-alive[\s\S]*"one"[\s\S]*connection: close[\s\S]*"two"$/)
})

test('a client that disconnects before the answer has no effect on others', async (context) => {
  const { port, askedFor } = await openServer(context)
  const [gone, other] = [openCaller(port, context), openCaller(port, context)]
  gone.write(`${call('"1"')}${call('"2"')}${head('content-length: 9\r\n')}"half`)
  const asked = await askedFor(2)
  gone.socket.destroy()
  await gone.ended
  asked[1]?.reply(200, '"two"')
  asked[0]?.reply(200, '"one"')
  other.write(call('"3"'))
  ;(await askedFor(3))[2]?.reply(200, '"three"')
  await other.has(/"three"/)
})
