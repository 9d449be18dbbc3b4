/**
 * The simulated network between the parties. It carries the real signed bytes and has the faults of
 * real networks.
 *
 * - It loses a message before or after the message has its effect.
 * - It delivers a message twice, after the caller's time-out of 5 s, or a minute late, and so in
 *   another order.
 * - It cuts an answer, or replaces an answer by a proxy's error.
 * - A partition loses every message for a time.
 */

import { type ConnectionPool, network } from '@purser/protocol/client/network/wallet-connection'
import { OPERATIONS } from '@purser/protocol/operation'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import type { Random } from '@purser/runtime/seeded-random'
import type { Dispatcher } from 'undici'
import type { PartyName } from '../actors/party-names.ts'
import { parseCode } from '../actors/reply-parsing.ts'
import type { PaceWatch } from '../oracle/pace-watch.ts'
import type { RollbackReasonWatch } from '../oracle/rollback-reason-watch.ts'
import type { Choices, MessageFault } from '../run-choices.ts'
import type { Trace } from '../trace.ts'
import { drawMessageFault, NO_FAULT, PARTITIONED } from './network-faults.ts'
import type { VirtualEnvironment } from './virtual-environment.ts'

export interface NetworkRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface NetworkAnswer {
  readonly status: number
  readonly body: Buffer
}

/** False if no process listens. */
export type Host = (request: NetworkRequest, answer: (answer: NetworkAnswer) => void) => boolean

export interface SimulatedNetwork {
  listen(origin: string, host: Host | undefined): void
  /** The connections from now on belong to the party's new process. */
  callsFrom(party: PartyName): void
  /** The connections of a dead process are closed. */
  cutOff(party: PartyName): void
  calm(): void
  /** The number of messages in transit. */
  onTheirWay(): number
  /** Every message is lost for these milliseconds. */
  partition(milliseconds: number): void
  /** Restores the real network. */
  end(): void
}

interface Deps {
  readonly world: VirtualEnvironment
  readonly random: Random
  readonly choices: Pick<Choices, 'messageFault'>
  readonly trace: Trace
  readonly draw?: typeof drawMessageFault
  /** The request as the story shows it. */
  describe(request: NetworkRequest): string
  /** Only the operation and its bet. */
  subject(request: NetworkRequest): string
  /** A message has reached a host. The returned function receives the answer, if one follows. */
  arrives(origin: string, request: NetworkRequest): (answer: NetworkAnswer) => void
  hears(request: NetworkRequest, answer: NetworkAnswer): void
  callerOf(origin: string): PartyName
  readonly pace: Pick<PaceWatch, 'leaves' | 'received'>
  readonly reasons?: RollbackReasonWatch
  readonly ear: CallerFault | undefined
}

/** A planted fault in a caller's reading of answers. */
export interface CallerFault {
  readonly answer?: (request: NetworkRequest, answer: NetworkAnswer) => NetworkAnswer
  /** Undefined: the connection breaks. */
  readonly broken?: (request: NetworkRequest) => NetworkAnswer | undefined
}

interface Route {
  readonly origin: string
  readonly caller: PartyName
  readonly life: { readonly isCut: boolean }
}

export function simulateNetwork(deps: Deps): SimulatedNetwork {
  const { world, random, choices, trace, draw = drawMessageFault } = deps
  const hosts = new Map<string, Host>()
  const counted = createCounter()
  let isCalm = false
  const lives = new Map<PartyName, { isCut: boolean }>()
  let [cutUntil, messages, onTheirWay] = [0, 0, 0]
  const before = network.open

  const send = ({ origin, caller, life }: Route, request: NetworkRequest, handler: Dispatcher.DispatchHandler) => {
    const number = ++messages
    const isOfPlatform = caller === 'platform'
    const hop = isOfPlatform ? '' : 'onward '
    const drawn = () => choices.messageFault(counted(`${hop}${deps.subject(request)}`), () => draw(random))
    const fault = isCalm ? NO_FAULT : world.elapsed() < cutUntil ? PARTITIONED : drawn()
    const text = `${number} ${hop}${deps.describe(request)}`
    noteFault(trace, text, fault)
    const filter = isOfPlatform ? createPlatformFilter(deps, request) : createGatewayFilter(deps, request)
    const toCaller = createCaller(handler, life, filter)
    if (isOfPlatform) deps.pace.leaves({ request, isOver: toCaller.isOver })
    if (isOfPlatform) noteSent(deps, request)
    onTheirWay += fault.arrivals.length
    const deliver = (copy: number) => {
      onTheirWay -= 1
      const host = hosts.get(origin)
      const onAnswer = host && deps.arrives(origin, request)
      const isThere = host?.(request, (answer) => {
        trace.note(`  ${text}${copy > 0 ? ', its copy' : ''}: ${answer.status} ${formatCode(answer)}`)
        onAnswer?.(answer)
        if (copy === 0 && fault.answerAfter !== undefined)
          world.after(fault.answerAfter, () => toCaller.answer(fault.isCut === true ? truncateAnswer(answer) : answer))
      })
      if (isThere) return
      trace.note(`  ${text}: nobody listens`)
      if (copy === 0) world.after(1, () => toCaller.broken())
    }
    for (const [copy, after] of fault.arrivals.entries()) world.after(after, () => deliver(copy))
    const { breaks } = fault
    if (breaks !== undefined)
      world.after(breaks.after, () => (breaks.proxy ? toCaller.answer(PROXY[breaks.status ?? 502]) : toCaller.broken()))
  }

  network.open = (origin) => {
    const caller = deps.callerOf(origin)
    const life = lives.get(caller) ?? { isCut: true }
    return createConnections(origin, (request, handler) => {
      if (!life.isCut) send({ origin, caller, life }, request, handler)
    })
  }
  return {
    listen(origin, host) {
      if (host === undefined) hosts.delete(origin)
      else hosts.set(origin, host)
    },
    callsFrom: (party) => void lives.set(party, { isCut: false }),
    cutOff: (party) => void Object.assign(lives.get(party) ?? {}, { isCut: true }),
    calm() {
      isCalm = true
    },
    onTheirWay: () => onTheirWay,
    partition(milliseconds) {
      cutUntil = Math.max(cutUntil, world.elapsed() + milliseconds)
    },
    end() {
      network.open = before
    },
  }
}

function noteFault(trace: Trace, text: string, { name, arrivals }: MessageFault): void {
  trace.note(`→ ${text}${name === '' ? '' : ` (${name})`}`)
  if (name !== '') trace.mark(`network: ${name}`)
  if (arrivals.some((after) => after > MINUTE_MS)) trace.mark('network: past a minute')
}

type Send = (request: NetworkRequest, handler: Dispatcher.DispatchHandler) => void

function createConnections(origin: string, send: Send): ConnectionPool {
  return {
    dispatch({ method, path, headers, body }, handler) {
      const bytes = Buffer.from(body as Uint8Array)
      const sent = { ...(headers as Record<string, string>), host: origin, 'content-length': `${bytes.length}` }
      send({ method, path, headers: sent, body: bytes }, handler)
      return true
    },
    close: async () => {},
  }
}

/** Each message ends once for its caller. */
function createCaller(handler: Dispatcher.DispatchHandler, life: { readonly isCut: boolean }, ear: AnswerFilter) {
  let isOver = false
  const controller = { abort: () => void end() } as unknown as Dispatcher.DispatchController
  const end = () => {
    const wasOver = isOver || life.isCut
    isOver = true
    return !wasOver
  }
  handler.onRequestStart?.(controller, {})
  const answer = (given: NetworkAnswer) => {
    if (!end()) return
    const { status, body } = ear.answer(given)
    handler.onResponseStart?.(controller, status, {}, '')
    handler.onResponseData?.(controller, body)
    handler.onResponseEnd?.(controller, {})
  }
  return {
    isOver: () => isOver || life.isCut,
    answer,
    broken() {
      const received = ear.broken(isOver || life.isCut)
      if (received !== undefined) answer(received)
      else if (end()) handler.onResponseError?.(controller, new Error('the connection was closed'))
    },
  }
}

interface AnswerFilter {
  answer(answer: NetworkAnswer): NetworkAnswer
  /** `isOver`: the caller no longer waits. */
  broken(isOver: boolean): NetworkAnswer | undefined
}

function createPlatformFilter({ pace, reasons, ear, trace }: Deps, request: NetworkRequest): AnswerFilter {
  return {
    answer(answer) {
      const received = ear?.answer?.(request, answer) ?? answer
      pace.received(request, received.status)
      reasons?.received(request, received)
      if (received.status === 200 && isPlace(request)) trace.mark('the platform hears that a bet is taken')
      return received
    },
    broken(isOver) {
      const received = ear?.broken?.(request)
      if (received === undefined && !isOver) reasons?.received(request, 'broken')
      return received
    },
  }
}

function noteSent({ reasons, trace }: Deps, request: NetworkRequest): void {
  reasons?.leaves(request)
  if (isPlace(request)) trace.mark('a Place bet is sent')
}

function isPlace({ method, path }: NetworkRequest): boolean {
  return method === OPERATIONS.place.method && path === OPERATIONS.place.path
}

function createGatewayFilter({ hears }: Deps, request: NetworkRequest): AnswerFilter {
  return {
    answer(answer) {
      hears(request, answer)
      return answer
    },
    broken: () => undefined,
  }
}

const MINUTE_MS = 60_000

/** A proxy's failure, and a rejected signature as from a server with another secret. */
const PROXY: Readonly<Record<400 | 502, NetworkAnswer>> = {
  502: { status: 502, body: Buffer.from('<html>Bad Gateway</html>') },
  400: { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.bad_signature)) },
}
/** "settle bet 3 #2" is the second settle of bet 3. */
export function createCounter(): (subject: string) => string {
  const counts = new Map<string, number>()
  return (subject) => {
    const count = (counts.get(subject) ?? 0) + 1
    counts.set(subject, count)
    return `${subject} #${count}`
  }
}

/** The connection breaks in the middle of the body. */
function truncateAnswer({ status, body }: NetworkAnswer): NetworkAnswer {
  return { status, body: body.subarray(0, Math.floor(body.length / 2)) }
}

function formatCode(answer: NetworkAnswer): string {
  const code = answer.status === 200 ? undefined : parseCode(answer)
  return code === undefined ? '' : `/${code}`
}
