/** A bad network in front of the wallet: it loses calls and answers, delays them past the platform's 5 s, or breaks them. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Random } from '../../runtime/seeded-random.ts'

/** What can happen to a call; the wallet has applied it in `lost answer`, `late answer` and half of the 500s. */
export const PROXY_FAULTS = [
  'lost call',
  'lost answer',
  'late call',
  'late answer',
  'error 500',
  'error 500 after',
] as const
export type ProxyFault = (typeof PROXY_FAULTS)[number]

/** Of 100 faults. Late ones hold a bet for 5 s each, so they are few. */
const WEIGHTS: Readonly<Record<ProxyFault, number>> = {
  'lost call': 32,
  'lost answer': 32,
  'late call': 7,
  'late answer': 7,
  'error 500': 11,
  'error 500 after': 11,
}
/** Milliseconds, past the platform's 5 s. */
const LATE_MS = 5_600
/** Milliseconds that a call waits to be overtaken, on a busy machine too. */
const MAX_LATE_MS = 30_000

/** What somebody asked to go wrong; `twice`: the same bytes are sent again behind the first answer. */
export type InjectedFault = ProxyFault | 'twice'

/** A call as the network sees it. */
export interface ProxiedCall {
  readonly method: string
  readonly path: string
  readonly body: Buffer
}

export interface FaultDecision {
  readonly trouble: InjectedFault | undefined
  /** Of a late call: when the one that overtakes it has been answered. */
  readonly overtaken?: Promise<void> | undefined
  notify(what: ProxyEvent): void
}

/** Looks at the calls of one player, who has no faults but those that are chosen. */
export interface CallInterceptor {
  /** Undefined: not one of that player's. */
  intercept(call: ProxiedCall): FaultDecision | undefined
}

/** `came`: to the wallet, which answered this; null when nobody was answered. */
export type ProxyEvent =
  | { readonly kind: 'answered' | 'again'; readonly status: number; readonly text: string }
  | { readonly kind: 'lost' | 'over' }

export interface FaultProxy {
  /** The address of the wallet, by way of this network. */
  readonly url: string
  /** From now on somebody looks at the calls of a player. */
  setInterceptor(interceptor: CallInterceptor): void
  /** Faults so far. */
  readonly counts: ReadonlyMap<ProxyFault, number>
  /** From now on nothing goes wrong. */
  disableFaults(): void
  /** Resolves when every call that came in has been answered or dropped, the late ones too. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** `fraction` of the bet operations go wrong; loading the frame never does. */
export async function startFaultProxy(walletUrl: string, fraction: number, random: Random): Promise<FaultProxy> {
  const counts = new Map<ProxyFault, number>()
  const under = new Set<Promise<void>>()
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
      return decision ?? { trouble: choose(call.path), notify() {} }
    }).finally(() => under.delete(work))
    under.add(work)
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
      while (under.size > 0) await Promise.all(under)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Several networks as one; `url` is the first one's. */
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
    response.destroy() // the wallet is gone, or the platform has hung up
  }
  notify({ kind: 'over' })
}

async function proxyWithFault(
  url: string,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  { trouble, overtaken, notify }: FaultDecision,
): Promise<void> {
  const lose = () => {
    notify({ kind: 'lost' })
    response.destroy()
  }
  if (trouble === 'lost call') return lose()
  if (trouble === 'error 500') return answerError500(response)
  if (trouble === 'late call')
    await (overtaken === undefined ? sleep(LATE_MS) : Promise.race([overtaken, sleep(MAX_LATE_MS)]))
  const answer = await forward(url, request, body)
  notify({ kind: 'answered', ...answer })
  if (trouble === 'twice') notify({ kind: 'again', ...(await forward(url, request, body)) })
  if (trouble === 'lost answer') return lose()
  if (trouble === 'error 500 after') return answerError500(response)
  if (trouble === 'late answer') await sleep(LATE_MS)
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text)
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The bytes as they came: the signature is over them (S-2). */
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
