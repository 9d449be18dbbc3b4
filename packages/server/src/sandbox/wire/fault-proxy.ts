/**
 * Proxy in front of a wallet that injects network faults: it loses calls and answers, delays them
 * past the platform's 5 s, repeats calls, or answers 500. All other bytes pass unchanged.
 */
import { once, setMaxListeners } from 'node:events'
import { type Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Exchange, SentRequest } from '@purser/conformance/http-exchange'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import type { Random } from '@purser/runtime/seeded-random'
import {
  type Forwarding,
  type ForwardingTarget,
  forwardCall,
  type ProxiedCall,
  type RawAnswer,
} from './wallet-forwarding.ts'

/** The wallet has applied the call in `lost answer`, `late answer` and `error 500 after`. */
export const PROXY_FAULTS = [
  'lost call',
  'lost answer',
  'late call',
  'late answer',
  'error 500',
  'error 500 after',
] as const
export type ProxyFault = (typeof PROXY_FAULTS)[number]

/**
 * A requested fault. `twice` sends the same bytes again after the first answer, `twice at once`
 * sends them two times at the same moment.
 */
export type InjectedFault = ProxyFault | 'twice' | 'twice at once'

/** Relative frequencies of faults. */
export type FaultWeights = Readonly<Partial<Record<InjectedFault, number>>>

/** Percentages. Late faults are rare, because each holds a bet for 5 s. */
const WEIGHTS: FaultWeights = {
  'lost call': 32,
  'lost answer': 32,
  'late call': 7,
  'late answer': 7,
  'error 500': 11,
  'error 500 after': 11,
}
/** Exceeds the platform's 5 s. */
const LATE_MS = 5_600
/** Longest wait of a late call for its Rollback, even on a busy machine. */
const MAX_LATE_MS = 30_000

export interface FaultDecision {
  readonly fault: InjectedFault | undefined
  /** For a late call: resolves when the call that overtakes it has its answer. */
  readonly overtaken?: Promise<void> | undefined
  notify(what: ProxyEvent): void
}

/** Decides about calls before they are forwarded, and observes them. */
export interface CallInterceptor {
  /**
   * Undefined for a call that the interceptor does not observe. `draw` draws a fault with the
   * proxy's probability.
   */
  intercept(call: ProxiedCall, draw: () => InjectedFault | undefined): FaultDecision | undefined
}

/**
 * Events of a call. `isAgain` marks the second copy of a repeated call.
 * - sent: the connection to the wallet is open.
 * - answered: the wallet's answer, or none after the call was sent.
 * - unreachable: the wallet accepts no connection, so it has not received the call.
 * - lost: the platform gets no answer.
 * - over: nothing more happens.
 */
export type ProxyEvent =
  | { readonly kind: 'sent'; readonly isAgain: boolean; readonly request: SentRequest; readonly at: Date }
  | { readonly kind: 'answered'; readonly isAgain: boolean; readonly exchange: Exchange }
  | { readonly kind: 'unreachable'; readonly isAgain: boolean; readonly why: string }
  | { readonly kind: 'lost' | 'over' }

export interface FaultProxy {
  /** Address of the wallet through the proxy. */
  readonly url: string
  /** From now on the interceptor decides first. */
  setInterceptor(interceptor: CallInterceptor): void
  /** Injected faults so far. */
  readonly counts: ReadonlyMap<InjectedFault, number>
  disableFaults(): void
  /** Resolves when every call was answered or dropped, late ones included. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface FaultProxyOptions {
  readonly walletUrl: string
  /** Fraction of the bet operations that fail; the loading of the frame never does. */
  readonly fraction: number
  readonly random: Random
  readonly weights?: FaultWeights
  /** Sent with each call. */
  readonly headers?: ExtraHeaders
  /** Keeps connections, for many calls a second. */
  readonly agent?: Agent
  /** Default: any free port. */
  readonly port?: number
}

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { walletUrl, fraction, random, weights = WEIGHTS, headers, agent, port = 0 } = options
  const counts = new Map<InjectedFault, number>()
  const inProgress = new Set<Promise<void>>()
  let share = fraction
  let interceptor: CallInterceptor | undefined
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const target = { url: walletUrl, headers, agent, signal: closing.signal }
  const draw = (path: string): InjectedFault | undefined => {
    if (!path.startsWith('/payment/bet') || !random.chance(share)) return undefined
    const fault = drawFault(random, weights)
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    return fault
  }
  const server = createServer((request, response) => {
    const work: Promise<void> = proxyCall(target, request, response, (call) => {
      const drawOnce = () => draw(call.path)
      return interceptor?.intercept(call, drawOnce) ?? { fault: drawOnce(), notify() {} }
    }).finally(() => inProgress.delete(work))
    inProgress.add(work)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the fault proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    setInterceptor(next) {
      interceptor = next
    },
    counts,
    disableFaults() {
      share = 0
    },
    async idle() {
      while (inProgress.size > 0) await Promise.all(inProgress)
    },
    async close() {
      closing.abort()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Several proxies as one; `url` is the first one's. */
export function joinFaultProxies(networks: readonly FaultProxy[]): FaultProxy {
  const all = async (what: (network: FaultProxy) => Promise<void>) => void (await Promise.all(networks.map(what)))
  return {
    url: networks[0]?.url ?? '',
    setInterceptor: (next) => networks[0]?.setInterceptor(next),
    get counts() {
      const sums = new Map<InjectedFault, number>()
      for (const { counts } of networks)
        for (const [fault, count] of counts) sums.set(fault, (sums.get(fault) ?? 0) + count)
      return sums
    },
    disableFaults: () => networks.forEach((network) => void network.disableFaults()),
    idle: () => all((network) => network.idle()),
    close: () => all((network) => network.close()),
  }
}

function drawFault(random: Random, weights: FaultWeights): InjectedFault {
  const entries = Object.entries(weights) as [InjectedFault, number][]
  let rest = random.below(entries.reduce((sum, [, weight]) => sum + weight, 0))
  for (const [fault, weight] of entries) {
    rest -= weight
    if (rest < 0) return fault
  }
  return 'lost call'
}

async function proxyCall(
  target: ForwardingTarget,
  request: IncomingMessage,
  response: ServerResponse,
  intercept: (call: ProxiedCall) => FaultDecision,
): Promise<void> {
  let notify: (what: ProxyEvent) => void = () => {}
  try {
    const { method = 'POST', url: path = '', headers } = request
    const call = { method, path, headers, body: await readAll(request) }
    const decision = intercept(call)
    notify = decision.notify
    await proxyWithFault(target, call, response, decision)
  } catch {
    response.destroy() // the platform has closed the connection
  }
  notify({ kind: 'over' })
}

async function proxyWithFault(
  target: ForwardingTarget,
  call: ProxiedCall,
  response: ServerResponse,
  { fault, overtaken, notify }: FaultDecision,
): Promise<void> {
  const lose = () => {
    notify({ kind: 'lost' })
    response.destroy()
  }
  const forward = (isAgain: boolean) => forwardObserved(target, call, isAgain, notify)
  if (fault === 'lost call') return lose()
  if (fault === 'error 500') return answerError500(response)
  if (fault === 'late call')
    await (overtaken === undefined ? sleep(LATE_MS) : Promise.race([overtaken, sleep(MAX_LATE_MS)]))
  const [forwarding] = await Promise.all([forward(false), fault === 'twice at once' ? forward(true) : undefined])
  if (fault === 'twice') await forward(true)
  if (fault === 'lost answer') return lose()
  if (fault === 'error 500 after') return answerError500(response)
  if (fault === 'late answer') await sleep(LATE_MS)
  if (forwarding.kind === 'answered') sendOn(response, forwarding.raw)
  else response.destroy()
}

async function forwardObserved(
  target: ForwardingTarget,
  call: ProxiedCall,
  isAgain: boolean,
  notify: FaultDecision['notify'],
): Promise<Forwarding> {
  const forwarding = await forwardCall(target, call, (request, at) => notify({ kind: 'sent', isAgain, request, at }))
  if (forwarding.kind === 'unreachable') notify({ kind: 'unreachable', isAgain, why: forwarding.why })
  else notify({ kind: 'answered', isAgain, exchange: forwarding.exchange })
  return forwarding
}

function sendOn(response: ServerResponse, { status, headers, body }: RawAnswer): void {
  response.writeHead(status, [...headers, 'content-length', String(body.length)]).end(body)
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function answerError500(response: ServerResponse): void {
  response.writeHead(500, { 'content-type': 'text/plain' }).end('the fault proxy made this answer')
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
