/**
 * The network between the parties. It carries the real bytes, signed by the one and verified by the other, and does with them by
 * seed what networks do: loses a message before or behind its effect, delivers it twice, late (behind the caller's 5 s, or by more than a
 * minute) and so in another order, cuts an answer, or has a proxy say something of its own. A partition loses everything for a time.
 */
import type { Dispatcher } from 'undici'
import type { Random } from '../../runtime/random.ts'
import { type Connections, network } from '../../wallet-client/network.ts'
import type { Choices, Fate } from './choices.ts'
import type { PaceWatch } from './pace.ts'
import type { Trace } from './trace.ts'
import type { VirtualWorld } from './virtual-world.ts'

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
  /** Connections that are opened from here on belong to this one. */
  callsFrom(party: string): void
  /** Those of a process that died are gone. */
  cutOff(party: string): void
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
  readonly choices: Choices
  readonly trace: Trace
  /** Of a request, as the story names it. */
  describe(request: Request): string
  /** The same in few words: what is asked for, and of which bet. */
  subject(request: Request): string
  /** A message has reached a host; told its answer, if there is one. */
  arrives(request: Request): (answer: Answer) => void
  /** Of what leaves a caller, and what it hears. */
  readonly pace: Pick<PaceWatch, 'leaves' | 'heard'>
  readonly ear: Ear | undefined
}

/** A fault that is planted in a caller: it hears something else. */
export interface Ear {
  readonly answer?: (request: Request, answer: Answer) => Answer
  /** In the place of a connection that breaks; undefined: it breaks. */
  readonly broken?: (request: Request) => Answer | undefined
}

export function simulateNetwork(deps: Deps): SimulatedNetwork {
  const { world, random, choices, trace } = deps
  const hosts = new Map<string, Host>()
  const counted = counter()
  let isCalm = false
  let cutUntil = 0
  /** Connections of one party's life. */
  let own = { isCut: false }
  const lives = new Map<string, { isCut: boolean }>()
  let messages = 0
  let onTheirWay = 0
  const before = network.open

  const send = (origin: string, life: { isCut: boolean }, request: Request, handler: Dispatcher.DispatchHandler) => {
    const number = ++messages
    const drawn = () => choices.fate(counted(deps.subject(request)), () => drawFate(random))
    const fate = isCalm ? PLAIN : world.elapsed() < cutUntil ? PARTITIONED : drawn()
    const text = `${number} ${deps.describe(request)}`
    noteFate(trace, text, fate.name)
    const toCaller = callerOf(handler, life, hearing(deps, request))
    deps.pace.leaves({ request, isOver: toCaller.isOver })
    onTheirWay += fate.arrivals.length
    const deliver = (copy: number) => {
      onTheirWay -= 1
      const host = hosts.get(origin)
      const tell = host && deps.arrives(request)
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
    const life = own
    return connections(origin, (request, handler) => {
      if (!life.isCut) send(origin, life, request, handler)
    })
  }
  return {
    listen(origin, host) {
      if (host === undefined) hosts.delete(origin)
      else hosts.set(origin, host)
    },
    callsFrom(party) {
      own = { isCut: false }
      lives.set(party, own)
    },
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

function noteFate(trace: Trace, text: string, fate: string): void {
  trace.note(`→ ${text}${fate === '' ? '' : ` (${fate})`}`)
  if (fate !== '') trace.mark(`network: ${fate}`)
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
      const heard = ear.broken()
      if (heard !== undefined) answer(heard)
      else if (end()) handler.onResponseError?.(controller, new Error('the connection was closed'))
    },
  }
}

interface Hearing {
  answer(answer: Answer): Answer
  broken(): Answer | undefined
}

function hearing({ pace, ear }: Deps, request: Request): Hearing {
  return {
    answer(answer) {
      const heard = ear?.answer?.(request, answer) ?? answer
      pace.heard(request, heard.status)
      return heard
    },
    broken: () => ear?.broken?.(request),
  }
}

/** By status: a proxy's own, and that of one that has another secret. */
const PROXY: Readonly<Record<400 | 502, Answer>> = {
  502: { status: 502, body: Buffer.from('<html>Bad Gateway</html>') },
  400: { status: 400, body: Buffer.from('{"code":1,"message":"bad signature"}') },
}
const PARTITIONED: Fate = { name: 'partition', arrivals: [] }
const PLAIN: Fate = { name: '', arrivals: [20], back: 20 }

/** "settle bet 3 #2" is the second one of its kind. */
function counter(): (subject: string) => string {
  const counts = new Map<string, number>()
  return (subject) => {
    const count = (counts.get(subject) ?? 0) + 1
    counts.set(subject, count)
    return `${subject} #${count}`
  }
}

/** Milliseconds: within the caller's patience, a little behind it, and far behind it. */
const soon = (random: Random) => random.between(1, 900)
const late = (random: Random) => random.between(4_500, 9_000)
const veryLate = (random: Random) => random.between(15_000, 90_000)

const FATES: readonly ((random: Random) => Fate)[] = [
  () => ({ name: 'lost', arrivals: [] }),
  (random) => ({ name: '400 without it', arrivals: [], breaks: { after: soon(random), proxy: true, says: 400 } }),
  (random) => ({ name: 'refused', arrivals: [], breaks: { after: soon(random), proxy: false } }),
  (random) => ({ name: 'its answer lost', arrivals: [soon(random)] }),
  (random) => ({
    name: 'broken behind its effect',
    arrivals: [soon(random)],
    back: undefined,
    breaks: { after: 1_000 + soon(random), proxy: false },
  }),
  (random) => ({ name: 'twice', arrivals: [soon(random), soon(random)], back: soon(random) }),
  (random) => ({ name: 'twice, once late', arrivals: [soon(random), veryLate(random)], back: soon(random) }),
  (random) => ({ name: 'late', arrivals: [late(random)], back: soon(random) }),
  (random) => ({ name: 'very late', arrivals: [veryLate(random)], back: soon(random) }),
  (random) => ({ name: 'its answer late', arrivals: [soon(random)], back: late(random) }),
  (random) => ({ name: 'its answer cut', arrivals: [soon(random)], back: soon(random), isCut: true }),
  (random) => ({ name: '502 without it', arrivals: [], breaks: { after: soon(random), proxy: true } }),
  (random) => ({
    name: '502 beside it',
    arrivals: [soon(random)],
    back: undefined,
    breaks: { after: soon(random), proxy: true },
  }),
]

const FAULTY = 0.45

function drawFate(random: Random): Fate {
  if (!random.chance(FAULTY)) return { name: '', arrivals: [soon(random)], back: soon(random) }
  return random.pick(FATES)(random)
}

/** Its length says more than there is; what the caller reads is a beginning. */
function cut({ status, body }: Answer): Answer {
  return { status, body: body.subarray(0, Math.floor(body.length / 2)) }
}

/** The code of a refusal. */
function shown({ status, body }: Answer): string {
  if (status === 200) return ''
  const said: unknown = parsed(body)
  return typeof said === 'object' && said !== null && 'code' in said ? `/${said.code}` : ''
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
