/**
 * Proxy in front of a sandbox wallet that injects network faults: it loses calls and answers,
 * delays them past the platform's 5 s, or answers 500.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Random } from '@purser/runtime/seeded-random'

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

/** Percentages. Late faults are rare, because each holds a bet for 5 s. */
const WEIGHTS: Readonly<Record<ProxyFault, number>> = {
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

/** A requested fault; `twice` sends the same bytes again after the first answer. */
export type InjectedFault = ProxyFault | 'twice'

export interface ProxiedCall {
  readonly method: string
  readonly path: string
  readonly body: Buffer
}

export interface FaultDecision {
  readonly fault: InjectedFault | undefined
  /** For a late call: resolves when the call that overtakes it has its answer. */
  readonly overtaken?: Promise<void> | undefined
  notify(what: ProxyEvent): void
}

/** Decides about the calls of one player, which get only requested faults. */
export interface CallInterceptor {
  /** Undefined for a call of another player. */
  intercept(call: ProxiedCall): FaultDecision | undefined
}

/** `answered` and `again` have the wallet's answer; `lost` means that the platform got none. */
export type ProxyEvent =
  | { readonly kind: 'answered' | 'again'; readonly status: number; readonly text: string }
  | { readonly kind: 'lost' | 'over' }

export interface FaultProxy {
  /** Address of the wallet through the proxy. */
  readonly url: string
  /** From now on the interceptor decides first. */
  setInterceptor(interceptor: CallInterceptor): void
  /** Injected faults so far. */
  readonly counts: ReadonlyMap<ProxyFault, number>
  disableFaults(): void
  /** Resolves when every call was answered or dropped, late ones included. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** `fraction` of the bet operations fail; the loading of the frame never does. */
export async function startFaultProxy(walletUrl: string, fraction: number, random: Random): Promise<FaultProxy> {
  const counts = new Map<ProxyFault, number>()
  const inProgress = new Set<Promise<void>>()
  let share = fraction
  let interceptor: CallInterceptor | undefined
  const choose = (path: string): ProxyFault | undefined => {
    if (!path.startsWith('/payment/bet') || !random.chance(share)) return undefined
    const fault = drawFault(random)
    counts.set(fault, (counts.get(fault) ?? 0) + 1)
    return fault
  }
  const server = createServer((request, response) => {
    const work: Promise<void> = proxyCall(walletUrl, request, response, (call) => {
      const decision = interceptor?.intercept(call)
      return decision ?? { fault: choose(call.path), notify() {} }
    }).finally(() => inProgress.delete(work))
    inProgress.add(work)
  }).listen(0, '127.0.0.1')
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
      const sums = new Map<ProxyFault, number>()
      for (const { counts } of networks)
        for (const [fault, count] of counts) sums.set(fault, (sums.get(fault) ?? 0) + count)
      return sums
    },
    disableFaults: () => networks.forEach((network) => void network.disableFaults()),
    idle: () => all((network) => network.idle()),
    close: () => all((network) => network.close()),
  }
}

function drawFault(random: Random): ProxyFault {
  let rest = random.below(100)
  for (const fault of PROXY_FAULTS) {
    rest -= WEIGHTS[fault]
    if (rest < 0) return fault
  }
  return 'lost call'
}

type Intercept = (call: ProxiedCall) => FaultDecision

async function proxyCall(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  intercept: Intercept,
): Promise<void> {
  let notify: (what: ProxyEvent) => void = () => {}
  try {
    const body = await readAll(request)
    const decision = intercept({ method: request.method ?? 'POST', path: request.url ?? '', body })
    notify = decision.notify
    await proxyWithFault(url, request, response, body, decision)
  } catch {
    response.destroy() // the wallet is down, or the platform has closed the connection
  }
  notify({ kind: 'over' })
}

async function proxyWithFault(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  { fault, overtaken, notify }: FaultDecision,
): Promise<void> {
  const lose = () => {
    notify({ kind: 'lost' })
    response.destroy()
  }
  if (fault === 'lost call') return lose()
  if (fault === 'error 500') return answerError500(response)
  if (fault === 'late call')
    await (overtaken === undefined ? sleep(LATE_MS) : Promise.race([overtaken, sleep(MAX_LATE_MS)]))
  const answer = await forward(url, request, body)
  notify({ kind: 'answered', ...answer })
  if (fault === 'twice') notify({ kind: 'again', ...(await forward(url, request, body)) })
  if (fault === 'lost answer') return lose()
  if (fault === 'error 500 after') return answerError500(response)
  if (fault === 'late answer') await sleep(LATE_MS)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Forwards the received bytes, because the signature covers them (S-2). */
async function forward(url: string, { method, url: path, headers }: IncomingMessage, body: Buffer) {
  const signature = headers['x-sign-jws']
  const response = await fetch(`${url}${path}`, {
    method: method ?? 'POST',
    headers: { 'content-type': 'application/json', ...(typeof signature === 'string' && { 'x-sign-jws': signature }) },
    body,
  })
  return { status: response.status, text: await response.text() }
}

function answerError500(response: ServerResponse): void {
  response.writeHead(500, { 'content-type': 'text/plain' }).end('the fault proxy made this answer')
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
