/**
 * The network in front of a wallet, seen from a platform: a real HTTP server that hands each call on to the real wallet
 * and can hold, drop, delay or falsify the request or the answer. It writes down when each call began and ended, so
 * that a test can see whether two were ever on their way at once.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Pool } from 'undici'

export type BetOperation = 'place' | 'settle' | 'unsettle' | 'rollback'

export interface WireCall {
  readonly operation: BetOperation | 'other'
  /** Of a call about a bet. */
  readonly betId: string
  readonly requestId: string
  /** As performance.now() gives it. */
  readonly startedAt: number
  /** When the answer was out, or the connection was gone; undefined while the caller waits. */
  endedAt: number | undefined
  end: 'answered' | 'dropped' | 'left' | undefined
}

export interface Reply {
  readonly status: number
  readonly body: string
}

/** One call, in the hands of a behaviour. */
export interface Exchange {
  readonly call: WireCall
  /** Lets the wallet have the call, once however often it is asked for. */
  forward(): Promise<Reply>
  answer(reply: Reply): void
  /** Sends the status line and half of the body. */
  answerHalf(reply: Reply): void
  /** Cuts the connection. */
  drop(): void
  /** Does nothing more until the caller has gone. */
  untilLeft(): Promise<void>
}

export type Behaviour = (exchange: Exchange) => Promise<void>

export interface FaultyWallet {
  readonly url: string
  /** Every call about a bet, in the order of arrival. */
  readonly calls: WireCall[]
  /** What is done with a call; honest at first. Calls that are not about a bet are always handed on. */
  behave: (call: WireCall) => Behaviour
  /** Calls that are being worked on; those whose caller must wait until he leaves are not. */
  busy(): number
  /** Calls whose caller must wait until he leaves. */
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

/** The wallet never hears of the call. */
export const dropBefore: Behaviour = async ({ drop }) => drop()

/** The wallet applies the call, and nobody is told. */
export const dropAfter: Behaviour = async ({ forward, drop }) => {
  await forward()
  drop()
}

/** The wallet never hears of the call. */
export const answerWith =
  (status: number, body = '{}'): Behaviour =>
  async ({ answer }) =>
    answer({ status, body })

/** The wallet applies the call, and what it says is replaced. */
export const falsify =
  (change: (reply: Reply) => Reply): Behaviour =>
  async ({ forward, answer }) =>
    answer(change(await forward()))

/** The wallet applies the call; the caller waits until it gives up. */
export const neverAnswer: Behaviour = async ({ forward, untilLeft }) => {
  await forward()
  await untilLeft()
}

/** The wallet applies the call; the status arrives, the rest of the body never does. */
export const neverFinish: Behaviour = async ({ forward, answerHalf, untilLeft }) => {
  answerHalf(await forward())
  await untilLeft()
}

/** The caller gives up waiting; only then does the wallet get the call. */
export const arriveLate: Behaviour = async ({ forward, untilLeft }) => {
  await untilLeft()
  await forward()
}

/** Milliseconds in which a caller that hangs up and calls again at once may be heard in the other order. */
const HANG_UP_MS = 50

/** Pairs of calls that were on their way at once although they were the same delivery's, or the same bet's. */
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
