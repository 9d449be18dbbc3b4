/**
 * A network with faults between a platform and a wallet: a real HTTP server that forwards each call
 * to the real wallet.
 *
 * It can hold, drop, delay or falsify the request or the answer. It records the start and end of
 * each call, so that a test can detect overlapping calls.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Pool } from 'undici'

export type BetOperation = 'place' | 'settle' | 'unsettle' | 'rollback'

export interface WireCall {
  readonly operation: BetOperation | 'other'
  /** Empty in a call that is not about a bet. */
  readonly betId: string
  readonly requestId: string
  /** Value of performance.now(). */
  readonly startedAt: number
  /** When the answer was sent or the connection closed; undefined while the caller waits. */
  endedAt: number | undefined
  end: 'answered' | 'dropped' | 'left' | undefined
}

export interface Reply {
  readonly status: number
  readonly body: string
}

export interface Exchange {
  readonly call: WireCall
  /** Forwards the call to the wallet at most once. */
  forward(): Promise<Reply>
  answer(reply: Reply): void
  /** Sends the status line and half of the body. */
  answerHalf(reply: Reply): void
  drop(): void
  /** Waits until the caller has closed the connection. */
  untilLeft(): Promise<void>
}

export type Behaviour = (exchange: Exchange) => Promise<void>

export interface FaultyWallet {
  readonly url: string
  /** In the order of arrival. */
  readonly calls: WireCall[]
  /** At first `honest`. Calls that are not about a bet are always forwarded. */
  behave: (call: WireCall) => Behaviour
  /** Number of calls in progress, without calls that will never be answered. */
  busy(): number
  /** Number of calls that will never be answered; their callers wait until the time-out. */
  waiting(operation?: WireCall['operation']): number
  close(): Promise<void>
}

export const honest: Behaviour = async ({ forward, answer }) => answer(await forward())

export async function startFaultyWallet(walletUrl: string): Promise<FaultyWallet> {
  const wallet = new Pool(walletUrl, { connections: 128 })
  const calls: WireCall[] = []
  const waiting = new Set<WireCall>()
  let active = 0
  const server = createServer((request, response) => {
    active++
    serve(request, response)
      .catch(() => request.socket.destroy())
      .finally(() => active--)
  }).listen(0, '127.0.0.1')
  server.keepAliveTimeout = 60_000
  await once(server, 'listening')

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const call = readCall(request, body)
    if (call.operation !== 'other') calls.push(call)
    const exchange = exchangeOf(call, request, response, { forward: () => forward(wallet, request, body), waiting })
    await (call.operation === 'other' ? honest : faulty.behave(call))(exchange)
  }

  const faulty: FaultyWallet = {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    calls,
    behave: () => honest,
    busy: () => active - waiting.size,
    waiting: (operation) =>
      [...waiting].filter((call) => operation === undefined || call.operation === operation).length,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await wallet.destroy()
    },
  }
  return faulty
}

function readCall({ method, url }: IncomingMessage, body: Buffer): WireCall {
  const base = { startedAt: performance.now(), endedAt: undefined, end: undefined }
  if (url !== '/payment/bet') return { operation: 'other', betId: '', requestId: '', ...base }
  const { type, transactionId, requestId } = JSON.parse(body.toString()) as Record<string, string>
  const operation = method === 'POST' ? 'place' : (['unsettle', 'settle', 'rollback'] as const)[Number(type) - 1]
  return { operation: operation ?? 'other', betId: String(transactionId), requestId: String(requestId), ...base }
}

function exchangeOf(
  call: WireCall,
  request: IncomingMessage,
  response: ServerResponse,
  { forward, waiting }: { forward: () => Promise<Reply>; waiting: Set<WireCall> },
): Exchange {
  const end = (how: 'answered' | 'dropped' | 'left') => {
    call.end ??= how
    call.endedAt ??= performance.now()
  }
  const left = new Promise<void>((resolve) => {
    response.once('close', () => {
      end(response.writableFinished ? 'answered' : 'left')
      waiting.delete(call)
      resolve()
    })
  })
  let reply: Promise<Reply> | undefined
  return {
    call,
    untilLeft() {
      if (call.end === undefined) waiting.add(call)
      return left
    },
    forward() {
      reply ??= forward()
      return reply
    },
    answer({ status, body }) {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    },
    answerHalf({ status, body }) {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      response.write(body.slice(0, body.length / 2))
    },
    drop() {
      end('dropped')
      request.socket.destroy()
    },
  }
}

async function forward(wallet: Pool, request: IncomingMessage, body: Buffer): Promise<Reply> {
  const signature = String(request.headers['x-sign-jws'])
  const headers = { 'content-type': 'application/json', 'x-sign-jws': signature }
  const method = request.method === 'PUT' ? 'PUT' : 'POST'
  const reply = await wallet.request({ method, path: request.url ?? '', headers, body })
  return { status: reply.statusCode, body: await reply.body.text() }
}

/** The wallet never receives the call. */
export const dropBefore: Behaviour = async ({ drop }) => drop()

/** The wallet applies the call, and the caller gets no answer. */
export const dropAfter: Behaviour = async ({ forward, drop }) => {
  await forward()
  drop()
}

/** The wallet never receives the call. */
export const answerWith =
  (status: number, body = '{}'): Behaviour =>
  async ({ answer }) =>
    answer({ status, body })

/** The wallet applies the call, and its answer is replaced. */
export const falsify =
  (change: (reply: Reply) => Reply): Behaviour =>
  async ({ forward, answer }) =>
    answer(change(await forward()))

/** The wallet applies the call; the caller waits until its time-out. */
export const neverAnswer: Behaviour = async ({ forward, untilLeft }) => {
  await forward()
  await untilLeft()
}

/** The wallet applies the call; the status arrives, but the rest of the body never does. */
export const neverFinish: Behaviour = async ({ forward, answerHalf, untilLeft }) => {
  answerHalf(await forward())
  await untilLeft()
}

/** The wallet receives the call only after the caller has given up. */
export const arriveLate: Behaviour = async ({ forward, untilLeft }) => {
  await untilLeft()
  await forward()
}

/**
 * Milliseconds in which a disconnect and the next call of the same caller may be seen in the wrong
 * order.
 */
const HANG_UP_MS = 50

/** Pairs of calls of one bet or one delivery that were in progress at the same time. */
export function overlaps(calls: readonly WireCall[]): [WireCall, WireCall][] {
  const ofBet = new Map<string, WireCall[]>()
  for (const call of calls) ofBet.set(call.betId, [...(ofBet.get(call.betId) ?? []), call])
  return [...ofBet.values()].flatMap((mine) => {
    const ordered = mine.toSorted((a, b) => a.startedAt - b.startedAt)
    return ordered.flatMap((call, i): [WireCall, WireCall][] => {
      const next = ordered[i + 1]
      return next && next.startedAt < endOf(call) ? [[call, next]] : []
    })
  })
}

function endOf({ endedAt = Number.POSITIVE_INFINITY, end }: WireCall): number {
  return end === 'left' ? endedAt - HANG_UP_MS : endedAt
}
