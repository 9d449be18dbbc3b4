/**
 * A partner that answers exactly as the test scripts it: a real HTTP server on loopback with a
 * queue of answers for each operation.
 *
 * It checks every request against the interface and records each violation as a fault. stop()
 * throws the recorded faults.
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '@purser/runtime/clock'
import { faultsOf, isSigned } from './caller-faults.ts'
import type { JsonObject } from './wire.ts'

export type ScriptedOperation = 'place' | 'settle' | 'unsettle' | 'rollback' | 'profile'

/** One answer; an empty script is 200 with the standard body of the operation. */
export interface Script {
  status?: number
  /** A text is sent unchanged. */
  body?: string | object | ((request: ReceivedCall) => string | object)
  headers?: Record<string, string>
  /** Real milliseconds before the answer begins. */
  delayMs?: number
  /** Real milliseconds between the headers, which are sent at once, and the body. */
  bodyDelayMs?: number
  /** The answer begins only after this promise resolves. */
  hold?: Promise<unknown>
  /**
   * `hang` sends nothing and `reset` breaks the connection. `_in_body` does so after the headers,
   * or after half of the body.
   */
  fault?: 'hang' | 'hang_in_body' | 'reset' | 'reset_in_body'
}

export interface ReceivedCall {
  readonly operation: ScriptedOperation | 'other'
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly body: JsonObject
  /** On the test's clock. */
  readonly at: Date
  /** On the real clock, in milliseconds. */
  readonly realAt: number
  /** The number of its connection, from 1. */
  readonly connection: number
}

export interface ScriptedWallet {
  readonly url: string
  readonly secret: string
  /**
   * If set, a call with any other secret is answered 400 code 1. It is neither in `requests` nor a
   * fault.
   */
  accepts: readonly string[] | undefined
  /** Calls with a secret that `accepts` does not contain. */
  readonly turnedAway: readonly ReceivedCall[]
  readonly requests: readonly ReceivedCall[]
  /** Harmless calls that test an address and its secrets. No other list has them. */
  readonly tries: readonly ReceivedCall[]
  readonly faults: string[]
  /** Queues answers, each for one use. */
  next(operation: ReceivedCall['operation'], ...scripts: Script[]): void
  /** The answer when the queue is empty. */
  always(operation: ScriptedOperation, script: Script): void
  of(operation: ScriptedOperation, betId?: string): ReceivedCall[]
  /** Waits until this number of requests has arrived. */
  seen(operation: ScriptedOperation, count: number): Promise<ReceivedCall[]>
  /** Calls that deliver a decision and have no answer yet. */
  openCalls(): number
  /** The open calls whose answer waits for the test or for real time. */
  heldCalls(): number
  /** The highest number of unanswered calls. */
  mostAtOnce(): number
  /** Members that replace the standard ones of the profile. */
  profile: Record<string, unknown>
  stop(): Promise<void>
}

export const refusal = (code: number, message = 'no'): Script => ({ status: 400, body: { code, message } })
export const status = (code: number): Script => ({ status: code, body: { code: 100, message: 'broken' } })
export const hang: Script = { fault: 'hang' }
export const hangInBody: Script = { fault: 'hang_in_body' }
export const reset: Script = { fault: 'reset' }

interface State {
  readonly secret: string
  accepts: readonly string[] | undefined
  readonly turnedAway: ReceivedCall[]
  readonly clock: Clock
  readonly requests: ReceivedCall[]
  readonly tries: ReceivedCall[]
  readonly faults: string[]
  readonly queues: Map<string, Script[]>
  readonly standing: Map<string, Script>
  readonly open: Set<ReceivedCall>
  readonly held: Set<ReceivedCall>
  connections: number
  mostAtOnce: number
  profile: Record<string, unknown>
}

export interface ScriptedOptions {
  clock?: Clock
  secret?: string
  port?: number
}

const SEEN_TIMEOUT_MS = 30_000

export async function startScriptedWallet(options: ScriptedOptions = {}): Promise<ScriptedWallet> {
  const { clock = systemClock, secret = 'the-secret-of-the-scripted-partner', port = 0 } = options
  const state: State = {
    ...{ secret, clock, requests: [], tries: [], faults: [], queues: new Map(), standing: new Map(), open: new Set() },
    held: new Set(),
    ...{ connections: 0, mostAtOnce: 0, profile: {}, accepts: undefined, turnedAway: [] },
  }
  const server = listen(state)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the scripted wallet has no port')
  return walletOn(state, server, `http://127.0.0.1:${address.port}`)
}

function walletOn(state: State, server: Server, url: string): ScriptedWallet {
  const of: ScriptedWallet['of'] = (operation, betId) =>
    state.requests.filter((r) => r.operation === operation && (betId === undefined || r.body.transactionId === betId))
  return {
    ...{ url, secret: state.secret, requests: state.requests, tries: state.tries, faults: state.faults, of },
    next: (operation, ...scripts) =>
      void state.queues.set(operation, [...(state.queues.get(operation) ?? []), ...scripts]),
    always: (operation, script) => void state.standing.set(operation, script),
    openCalls: () => decisionsIn(state.open),
    heldCalls: () => decisionsIn(state.held),
    mostAtOnce: () => state.mostAtOnce,
    turnedAway: state.turnedAway,
    get accepts() {
      return state.accepts
    },
    set accepts(secrets) {
      state.accepts = secrets
    },
    get profile() {
      return state.profile
    },
    set profile(members) {
      state.profile = members
    },
    async seen(operation, count) {
      const giveUpAt = performance.now() + SEEN_TIMEOUT_MS
      while (of(operation).length < count) {
        if (performance.now() > giveUpAt) throw new Error(`${of(operation).length} ${operation} came, not ${count}`)
        await sleep(5)
      }
      return of(operation)
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      if (state.faults.length > 0)
        throw new Error(`the caller broke the interface:\n${[...new Set(state.faults)].join('\n')}`)
    },
  }
}

const decisionsIn = (calls: ReadonlySet<ReceivedCall>) =>
  [...calls].filter(({ operation }) => operation !== 'place' && operation !== 'profile').length

function listen(state: State): Server {
  const numbers = new WeakMap<object, number>()
  const server = createServer((request, response) => {
    void readAll(request).then((text) => {
      const received = receive(state, request, text, numbers.get(request.socket) ?? 0)
      state.open.add(received)
      state.mostAtOnce = Math.max(state.mostAtOnce, state.open.size)
      const isOver = () => {
        state.open.delete(received)
        state.held.delete(received)
      }
      response.once('close', isOver)
      response.once('finish', isOver)
      return answer(received, scriptFor(state, received), state, response)
    })
  })
  server.keepAliveTimeout = 60_000
  return server.on('connection', (socket) => {
    state.connections += 1
    numbers.set(socket, state.connections)
    socket.on('error', () => {})
  })
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function receive(state: State, request: IncomingMessage, text: string, connection: number): ReceivedCall {
  const { method = '', url: path = '', headers } = request
  const body = parse(text)
  const moment = { at: state.clock.now(), realAt: performance.now(), connection }
  const received = { operation: operationOf(method, path, body.type), method, path, headers, text, body, ...moment }
  if (!isAccepted(state, received)) {
    state.turnedAway.push(received)
    return received
  }
  if (isTry(received)) {
    state.tries.push(received) // with any secret
    return received
  }
  state.faults.push(
    ...faultsOf({ ...state, secrets: state.accepts ?? [state.secret] }, received).map(
      (fault) => `${received.operation}: ${fault} in ${text}`,
    ),
  )
  state.requests.push(received)
  return received
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function operationOf(method: string, path: string, type: unknown): ReceivedCall['operation'] {
  if (method === 'POST' && path.endsWith('/user/profile')) return 'profile'
  if (!path.endsWith('/payment/bet')) return 'other'
  if (method === 'POST') return type === 1 ? 'place' : 'other'
  if (method !== 'PUT') return 'other'
  return type === 1 ? 'unsettle' : type === 2 ? 'settle' : type === 3 ? 'rollback' : 'other'
}

/** Such a call has a token that does not exist (secret-probe.ts). */
function isTry({ operation, body }: ReceivedCall): boolean {
  return operation === 'profile' && String(body.token).startsWith('nobody-')
}

function isAccepted({ accepts }: State, received: ReceivedCall): boolean {
  return accepts === undefined || accepts.some((secret) => isSigned(received, secret))
}

function scriptFor(state: State, received: ReceivedCall): Script {
  const { operation } = received
  if (!isAccepted(state, received)) return refusal(1, 'Bad signature')
  return state.queues.get(operation)?.shift() ?? state.standing.get(operation) ?? {}
}

async function answer(request: ReceivedCall, script: Script, state: State, response: ServerResponse): Promise<void> {
  const { status = 200, headers = {}, delayMs = 0, bodyDelayMs, hold, fault } = script
  if (fault === 'hang') return void state.held.add(request)
  if (delayMs > 0 || hold !== undefined) {
    state.held.add(request)
    await Promise.all([sleep(delayMs), hold])
    state.held.delete(request)
  }
  if (fault === 'reset') return void response.socket?.resetAndDestroy()
  const given = typeof script.body === 'function' ? script.body(request) : script.body
  const body = given ?? (request.operation === 'profile' ? profileOf(state, request) : betReply(request, state))
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  if (fault === 'reset_in_body') {
    response.write(text.slice(0, text.length / 2), () => response.socket?.resetAndDestroy())
    return
  }
  if (fault === 'hang_in_body' || bodyDelayMs !== undefined) {
    response.flushHeaders()
    state.held.add(request)
    if (bodyDelayMs === undefined) return
    await sleep(bodyDelayMs)
    state.held.delete(request)
  }
  response.end(text)
}

function betReply({ body }: ReceivedCall, { clock }: State): object {
  return { transactionId: body.transactionId, transactionTime: clock.now().toISOString() }
}

function profileOf(state: State, { body }: ReceivedCall): object {
  const userId = `user-${createHmac('sha256', 'user').update(String(body.token)).digest('hex').slice(0, 16)}`
  return { userId, currency: 'EUR', currencies: ['EUR', 'USD'], ...state.profile }
}
