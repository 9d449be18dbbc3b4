/**
 * The proxy passes the bytes of calls and of every answer unchanged, and injects requested faults.
 */
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom } from '@purser/runtime/seeded-random'
import { afterEach, describe, expect, test } from 'vitest'
import { type InjectedFault, type ProxyEvent, startFaultProxy } from '../../../src/sandbox/wire/fault-proxy.ts'

interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function startWallet(answer: (response: ServerResponse) => void, path = '') {
  const received: ReceivedRequest[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ method: request.method, url: request.url, headers: request.headers, body })
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const close = () => new Promise((resolve) => server.close(resolve))
  closers.push(close)
  return { received, url }
}

async function startProxy(walletUrl: string, fault?: InjectedFault, headers = {}) {
  const proxy = await startFaultProxy({ walletUrl, fraction: 0, random: createRandom(1, 'proxy'), headers })
  closers.push(() => proxy.close())
  const events: ProxyEvent[] = []
  proxy.setInterceptor({ intercept: () => ({ fault, notify: (event) => void events.push(event) }) })
  return { proxy, events }
}

const BODY = '{ "amount" : 10.0, "type": 1 }'
const call = (url: string) =>
  fetch(`${url}/payment/bet`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sign-jws': 'a..b' },
    body: BODY,
    redirect: 'manual',
  })

describe('the proxy', () => {
  test('adds the path of the wallet and given headers to a call, and changes no byte of its body', async () => {
    const wallet = await startWallet((response) => response.end('{}'), '/api/v1/')
    const { proxy } = await startProxy(wallet.url, undefined, { authorization: 'Basic eA==' })
    await call(proxy.url)
    expect(wallet.received).toMatchObject([
      {
        method: 'POST',
        url: '/api/v1/payment/bet',
        body: BODY,
        headers: { 'x-sign-jws': 'a..b', authorization: 'Basic eA==', 'content-type': 'application/json' },
      },
    ])
  })

  test.each([
    [200, 'application/json', '{"transactionId":"x"}'],
    [404, 'text/html', '<!doctype html><h1>Cannot POST /payment/bet</h1>'],
    [500, 'text/plain', ''],
  ])('passes an answer %i of type %s on unchanged', async (status, type, body) => {
    const wallet = await startWallet((response) => response.writeHead(status, { 'content-type': type }).end(body))
    const { proxy, events } = await startProxy(wallet.url)
    const answer = await call(proxy.url)
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([status, type, body])
    await proxy.idle()
    expect(events).toMatchObject([
      { kind: 'sent', request: { url: `${wallet.url}/payment/bet`, body: BODY } },
      { kind: 'answered', exchange: { what: 'Place bet', answer: { kind: 'some', status, body } } },
      { kind: 'over' },
    ])
  })

  test('does not follow a redirect', async () => {
    const wallet = await startWallet((response) => response.writeHead(302, { location: '/login' }).end())
    const { proxy } = await startProxy(wallet.url)
    const answer = await call(proxy.url)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/login'])
    expect(wallet.received).toHaveLength(1)
  })

  test('reports a wallet that accepts no connection, and closes the caller’s connection', async () => {
    const { proxy, events } = await startProxy('http://127.0.0.1:1')
    await expect(call(proxy.url)).rejects.toThrow()
    expect(events).toEqual([{ kind: 'unreachable', isAgain: false, why: 'connection refused' }, { kind: 'over' }])
  })

  test('reports a wallet that closes the connection without an answer as a call without answer', async () => {
    const wallet = await startWallet((response) => response.destroy())
    const { proxy, events } = await startProxy(wallet.url)
    await expect(call(proxy.url)).rejects.toThrow()
    expect(events).toMatchObject([{ kind: 'sent' }, { kind: 'answered', exchange: { answer: { kind: 'none' } } }, {}])
  })

  test('sends a call two times at the same moment', async () => {
    const waiting: ServerResponse[] = []
    const wallet = await startWallet((response) => {
      waiting.push(response)
      if (waiting.length === 2) for (const one of waiting) one.end('{}')
    })
    const { proxy, events } = await startProxy(wallet.url, 'twice at once')
    await call(proxy.url)
    await proxy.idle()
    expect(wallet.received.map(({ body }) => body)).toEqual([BODY, BODY])
    expect(events.filter(({ kind }) => kind === 'answered')).toHaveLength(2)
  })

  test('keeps dots and doubled slashes of a path', async () => {
    const wallet = await startWallet((response) => response.end('{}'))
    const { proxy } = await startProxy(wallet.url)
    const { port } = new URL(proxy.url)
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: '//a/../payment/bet' }).end('{}')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    expect(wallet.received[0]?.url).toBe('//a/../payment/bet')
  })
})
