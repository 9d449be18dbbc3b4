/**
 * The network between the parties. It carries the real bytes, signed by the one and verified by the other, and does with them by
 * seed what networks do: loses a message before or behind its effect, delivers it twice, late (behind the caller's 5 s, or by more than a
 * minute) and so in another order, cuts an answer, or has a proxy say something of its own. A partition loses everything for a time.
 */
import type { Dispatcher } from 'undici'
import { REPLY_CODES } from '../../protocol/codes.ts'
import { OPERATIONS } from '../../protocol/operation.ts'
import type { Random } from '../../runtime/random.ts'
import { type Connections, network } from '../../wallet-client/network.ts'
import type { Choices, Fate } from './choices.ts'
import { drawFate, PARTITIONED, PLAIN } from './fates.ts'
import type { PaceWatch } from './pace.ts'
import type { ReasonWatch } from './reasons.ts'
import { codeIn } from './said.ts'
import type { Trace } from './trace.ts'
import type { VirtualWorld } from './virtual-world.ts'
import type { PartyName } from './who.ts'

export interface Request {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface Answer {
  readonly status: number
  readonly body: Buffer
}

/** Undefined: nobody listens there now. */
export type Host = (request: Request, answer: (answer: Answer) => void) => boolean

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
  readonly world: VirtualWorld
  readonly random: Random
  readonly choices: Pick<Choices, 'fate'>
  readonly trace: Trace
  /** What becomes of a message. */
  readonly draw?: typeof drawFate
  /** Of a request, as the story names it. */
  describe(request: Request): string
  /** The same in few words: what is asked for, and of which bet. */
  subject(request: Request): string
  /** A message has reached a host; told its answer, if there is one. */
  arrives(origin: string, request: Request): (answer: Answer) => void
  /** What the gateway is answered. */
  hears(request: Request, answer: Answer): void
  /** Who calls this address. */
  callerOf(origin: string): PartyName
  /** Of what leaves the platform, and what it hears. */
  readonly pace: Pick<PaceWatch, 'leaves' | 'heard'>
  readonly reasons?: ReasonWatch
  readonly ear: Ear | undefined
}

/** A fault that is planted in a caller: it hears something else. */
export interface Ear {
  readonly answer?: (request: Request, answer: Answer) => Answer
  /** In the place of a connection that breaks; undefined: it breaks. */
  readonly broken?: (request: Request) => Answer | undefined
}

/** From whom to where. */
interface Way {
  readonly origin: string
  readonly caller: PartyName
  readonly life: { readonly isCut: boolean }
}

export function simulateNetwork(deps: Deps): SimulatedNetwork {
  const { world, random, choices, trace, draw = drawFate } = deps
  const hosts = new Map<string, Host>()
  const counted = counter()
  let isCalm = false
  let cutUntil = 0
  /** Of each party the one that it lives now. */
  const lives = new Map<PartyName, { isCut: boolean }>()
  let messages = 0
  let onTheirWay = 0
  const before = network.open

  const send = ({ origin, caller, life }: Way, request: Request, handler: Dispatcher.DispatchHandler) => {
    const number = ++messages
    const isOfPlatform = caller === 'platform'
    const hop = isOfPlatform ? '' : 'onward '
    const drawn = () => choices.fate(counted(`${hop}${deps.subject(request)}`), () => draw(random))
    const fate = isCalm ? PLAIN : world.elapsed() < cutUntil ? PARTITIONED : drawn()
    const text = `${number} ${hop}${deps.describe(request)}`
    noteFate(trace, text, fate)
    const toCaller = callerOf(handler, life, isOfPlatform ? hearing(deps, request) : listening(deps, request))
    if (isOfPlatform) deps.pace.leaves({ request, isOver: toCaller.isOver })
    if (isOfPlatform) noteSent(deps, request)
    onTheirWay += fate.arrivals.length
    const deliver = (copy: number) => {
      onTheirWay -= 1
      const host = hosts.get(origin)
      const tell = host && deps.arrives(origin, request)
      const isThere = host?.(request, (answer) => {
        trace.note(`  ${text}${copy > 0 ? ', its copy' : ''}: ${answer.status} ${shown(answer)}`)
        tell?.(answer)
        if (copy === 0 && fate.back !== undefined)
          world.after(fate.back, () => toCaller.answer(fate.isCut === true ? cut(answer) : answer))
      })
      if (isThere) return
      trace.note(`  ${text}: nobody listens`)
      if (copy === 0) world.after(1, () => toCaller.broken())
    }
    for (const [copy, after] of fate.arrivals.entries()) world.after(after, () => deliver(copy))
    const { breaks } = fate
    if (breaks !== undefined)
      world.after(breaks.after, () => (breaks.proxy ? toCaller.answer(PROXY[breaks.says ?? 502]) : toCaller.broken()))
  }

  network.open = (origin) => {
    const caller = deps.callerOf(origin)
    const life = lives.get(caller) ?? { isCut: true }
    return connections(origin, (request, handler) => {
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

function noteFate(trace: Trace, text: string, { name, arrivals }: Fate): void {
  trace.note(`→ ${text}${name === '' ? '' : ` (${name})`}`)
  if (name !== '') trace.mark(`network: ${name}`)
  if (arrivals.some((after) => after > MINUTE_MS)) trace.mark('network: past a minute')
}

type Send = (request: Request, handler: Dispatcher.DispatchHandler) => void

function connections(origin: string, send: Send): Connections {
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
function callerOf(handler: Dispatcher.DispatchHandler, life: { readonly isCut: boolean }, ear: Hearing) {
  let isOver = false
  const controller = { abort: () => void end() } as unknown as Dispatcher.DispatchController
  const end = () => {
    const wasOver = isOver || life.isCut
    isOver = true
    return !wasOver
  }
  handler.onRequestStart?.(controller, {})
  const answer = (given: Answer) => {
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
      const heard = ear.broken(isOver || life.isCut)
      if (heard !== undefined) answer(heard)
      else if (end()) handler.onResponseError?.(controller, new Error('the connection was closed'))
    },
  }
}

interface Hearing {
  answer(answer: Answer): Answer
  /** Told whether the caller has stopped listening. */
  broken(isOver: boolean): Answer | undefined
}

function hearing({ pace, reasons, ear, trace }: Deps, request: Request): Hearing {
  return {
    answer(answer) {
      const heard = ear?.answer?.(request, answer) ?? answer
      pace.heard(request, heard.status)
      reasons?.heard(request, heard)
      if (heard.status === 200 && isPlace(request)) trace.mark('the platform hears that a bet is taken')
      return heard
    },
    broken(isOver) {
      const heard = ear?.broken?.(request)
      if (heard === undefined && !isOver) reasons?.heard(request, 'broken')
      return heard
    },
  }
}

function noteSent({ reasons, trace }: Deps, request: Request): void {
  reasons?.leaves(request)
  if (isPlace(request)) trace.mark('a Place bet is sent')
}

function isPlace({ method, path }: Request): boolean {
  return method === OPERATIONS.place.method && path === OPERATIONS.place.path
}

function listening({ hears }: Deps, request: Request): Hearing {
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
const PROXY: Readonly<Record<400 | 502, Answer>> = {
  502: { status: 502, body: Buffer.from('<html>Bad Gateway</html>') },
  400: { status: 400, body: Buffer.from(JSON.stringify(REPLY_CODES.bad_signature)) },
}
/** "settle bet 3 #2" is the second one of its kind. */
export function counter(): (subject: string) => string {
  const counts = new Map<string, number>()
  return (subject) => {
    const count = (counts.get(subject) ?? 0) + 1
    counts.set(subject, count)
    return `${subject} #${count}`
  }
}

/** Its length says more than there is; what the caller reads is a beginning. */
function cut({ status, body }: Answer): Answer {
  return { status, body: body.subarray(0, Math.floor(body.length / 2)) }
}

/** The code of a refusal. */
function shown(answer: Answer): string {
  const code = answer.status === 200 ? undefined : codeIn(answer)
  return code === undefined ? '' : `/${code}`
}
