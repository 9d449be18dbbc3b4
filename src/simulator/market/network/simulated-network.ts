/**
 * The network between the parties. It carries the real bytes, signed by the one and verified by the other, and does with them by
 * seed what networks do: loses a message before or behind its effect, delivers it twice, late (behind the caller's 5 s, or by more than a
 * minute) and so in another order, cuts an answer, or has a proxy say something of its own. A partition loses everything for a time.
 */
import type { Dispatcher } from 'undici'
import { type ConnectionPool, network } from '../../../protocol/client/network/network.ts'
import { OPERATIONS } from '../../../protocol/operation.ts'
import { REPLY_CODES } from '../../../protocol/reply-codes.ts'
import type { Random } from '../../../runtime/seeded-random.ts'
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

/** Undefined: nobody listens there now. */
export type Host = (request: NetworkRequest, answer: (answer: NetworkAnswer) => void) => boolean

export interface SimulatedNetwork {
  /** `origin`: as callers write it. */
  listen(origin: string, host: Host | undefined): void
  /** It lives anew: connections that it opens from here on are this life's. */
  callsFrom(party: PartyName): void
  /** Those of a process that died are gone. */
  cutOff(party: PartyName): void
  /** From here on nothing goes wrong. */
  calm(): void
  /** Messages that will still come. */
  onTheirWay(): number
  /** Nothing passes for so many milliseconds. */
  partition(milliseconds: number): void
  /** Gives the real network back. */
  end(): void
}

interface Deps {
  readonly world: VirtualEnvironment
  readonly random: Random
  readonly choices: Pick<Choices, 'messageFault'>
  readonly trace: Trace
  /** What becomes of a message. */
  readonly draw?: typeof drawMessageFault
  /** Of a request, as the story names it. */
  describe(request: NetworkRequest): string
  /** The same in few words: what is asked for, and of which bet. */
  subject(request: NetworkRequest): string
  /** A message has reached a host; told its answer, if there is one. */
  arrives(origin: string, request: NetworkRequest): (answer: NetworkAnswer) => void
  /** What the gateway is answered. */
  hears(request: NetworkRequest, answer: NetworkAnswer): void
  /** Who calls this address. */
  callerOf(origin: string): PartyName
  /** Of what leaves the platform, and what it hears. */
  readonly pace: Pick<PaceWatch, 'leaves' | 'received'>
  readonly reasons?: RollbackReasonWatch
  readonly ear: CallerFault | undefined
}

/** A fault that is planted in a caller: it hears something else. */
export interface CallerFault {
  readonly answer?: (request: NetworkRequest, answer: NetworkAnswer) => NetworkAnswer
  /** In the place of a connection that breaks; undefined: it breaks. */
  readonly broken?: (request: NetworkRequest) => NetworkAnswer | undefined
}

/** From whom to where. */
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
  /** Of each party the one that it lives now. */
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
        if (copy === 0 && fault.back !== undefined)
          world.after(fault.back, () => toCaller.answer(fault.isCut === true ? truncateAnswer(answer) : answer))
      })
      if (isThere) return
      trace.note(`  ${text}: nobody listens`)
      if (copy === 0) world.after(1, () => toCaller.broken())
    }
    for (const [copy, after] of fault.arrivals.entries()) world.after(after, () => deliver(copy))
    const { breaks } = fault
    if (breaks !== undefined)
      world.after(breaks.after, () => (breaks.proxy ? toCaller.answer(PROXY[breaks.says ?? 502]) : toCaller.broken()))
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

/** What the caller of one message hears, once. */
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
  /** Told whether the caller has stopped listening. */
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

/** By status: a proxy's own, and that of one that has another secret. */
const PROXY: Readonly<Record<400 | 502, NetworkAnswer>> = {
  502: { status: 502, body: Buffer.from('<html>Bad Gateway</html>') },
  400: { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.bad_signature)) },
}
/** "settle bet 3 #2" is the second one of its kind. */
export function createCounter(): (subject: string) => string {
  const counts = new Map<string, number>()
  return (subject) => {
    const count = (counts.get(subject) ?? 0) + 1
    counts.set(subject, count)
    return `${subject} #${count}`
  }
}

/** Its length says more than there is; what the caller reads is a beginning. */
function truncateAnswer({ status, body }: NetworkAnswer): NetworkAnswer {
  return { status, body: body.subarray(0, Math.floor(body.length / 2)) }
}

/** The code of a refusal. */
function formatCode(answer: NetworkAnswer): string {
  const code = answer.status === 200 ? undefined : parseCode(answer)
  return code === undefined ? '' : `/${code}`
}
