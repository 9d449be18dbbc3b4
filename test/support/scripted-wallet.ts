/**
 * A partner that answers exactly as the test says: a real HTTP server on loopback with a queue of answers per operation.
 * Every request is kept and held against the interface; what breaks it is a fault, and stop() throws the faults.
 */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { faultsOf, isSigned } from './caller-faults.ts'
import type { JsonObject } from './wire.ts'

export type ScriptedOperation = 'place' | 'settle' | 'unsettle' | 'rollback' | 'profile'

/** One answer. Without anything said: 200 with the standard body of the operation. */
export interface Script {
  status?: number
  /** A text is sent as it is. */
  body?: string | object | ((request: Received) => string | object)
  headers?: Record<string, string>
  /** Real milliseconds before anything is sent. */
  delayMs?: number
  /** Real milliseconds between the headers, which go out at once, and the body. */
  bodyDelayMs?: number
  /** Nothing is sent before this resolves. */
  hold?: Promise<unknown>
  /** hang: nothing is ever sent; hang_in_body: nothing but the headers; reset: the connection breaks; reset_in_body: it breaks after half of the body. */
  fault?: 'hang' | 'hang_in_body' | 'reset' | 'reset_in_body'
}

export interface Received {
  readonly operation: ScriptedOperation | 'other'
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as it came. */
  readonly text: string
  readonly body: JsonObject
  /** By the clock of the test. */
  readonly at: Date
  /** By the real clock, in milliseconds. */
  readonly realAt: number
  /** Which connection it came by, from 1. */
  readonly connection: number
}

export interface ScriptedWallet {
  readonly url: string
  readonly secret: string
  /** Secrets that it accepts, if the test says so: a call with any other one is answered 400 code 1, is not among `requests`, and is no breach. */
  accepts: readonly string[] | undefined
  /** Calls answered so. */
  readonly turnedAway: readonly Received[]
  readonly requests: readonly Received[]
  /** Harmless calls by which an address and its secrets are tried; they are among no others. */
  readonly tries: readonly Received[]
  /** Breaches of the interface by the caller. */
  readonly faults: string[]
  /** Queues answers, used once each. */
  next(operation: Received['operation'], ...scripts: Script[]): void
  /** The answer when the queue is empty. */
  always(operation: ScriptedOperation, script: Script): void
  of(operation: ScriptedOperation, betId?: string): Received[]
  /** Waits until this many have come. */
  seen(operation: ScriptedOperation, count: number): Promise<Received[]>
  /** Calls that deliver a decision and have not been answered. */
  openCalls(): number
  /** Of these, those of which nothing is sent before the test does something, or before real time has passed. */
  heldCalls(): number
  /** The most calls that were unanswered at the same time. */
  mostAtOnce(): number
  /** Members of the profile, over the standard ones. */
  profile: Record<string, unknown>
  /** Throws when the caller broke the interface. */
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
  readonly turnedAway: Received[]
  readonly clock: Clock
  readonly requests: Received[]
  readonly tries: Received[]
  readonly faults: string[]
  readonly queues: Map<string, Script[]>
  readonly standing: Map<string, Script>
  readonly open: Set<Received>
  readonly held: Set<Received>
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

const decisionsIn = (calls: ReadonlySet<Received>) =>
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

function receive(state: State, request: IncomingMessage, text: string, connection: number): Received {
  const { method = '', url: path = '', headers } = request
  const body = parse(text)
  const moment = { at: state.clock.now(), realAt: performance.now(), connection }
  const received = { operation: operationOf(method, path, body.type), method, path, headers, text, body, ...moment }
  if (!isAccepted(state, received)) {
    state.turnedAway.push(received)
    return received
  }
  if (isTry(received)) {
    state.tries.push(received) // with whatever secret
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

function operationOf(method: string, path: string, type: unknown): Received['operation'] {
  if (method === 'POST' && path.endsWith('/user/profile')) return 'profile'
  if (!path.endsWith('/payment/bet')) return 'other'
  if (method === 'POST') return type === 1 ? 'place' : 'other'
  if (method !== 'PUT') return 'other'
  return type === 1 ? 'unsettle' : type === 2 ? 'settle' : type === 3 ? 'rollback' : 'other'
}

/** By a token that nobody has (secret-probe.ts). */
function isTry({ operation, body }: Received): boolean {
  return operation === 'profile' && String(body.token).startsWith('nobody-')
}

function isAccepted({ accepts }: State, received: Received): boolean {
  return accepts === undefined || accepts.some((secret) => isSigned(received, secret))
}

function scriptFor(state: State, received: Received): Script {
  const { operation } = received
  if (!isAccepted(state, received)) return refusal(1, 'Bad signature')
  return state.queues.get(operation)?.shift() ?? state.standing.get(operation) ?? {}
}

async function answer(request: Received, script: Script, state: State, response: ServerResponse): Promise<void> {
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

function betReply({ body }: Received, { clock }: State): object {
  return { transactionId: body.transactionId, transactionTime: clock.now().toISOString() }
}

function profileOf(state: State, { body }: Received): object {
  const userId = `user-${createHmac('sha256', 'user').update(String(body.token)).digest('hex').slice(0, 16)}`
  return { userId, currency: 'EUR', currencies: ['EUR', 'USD'], ...state.profile }
}
