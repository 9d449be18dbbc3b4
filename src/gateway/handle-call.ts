/** The way of a call, on one screen: verify → read → route → rewrite → send → pass on. */

import type { Endpoint, WireRequest } from '../http/wire.ts'
import { Malformed, orMalformed, type Said, saidIn } from '../protocol/body.ts'
import { startBefore } from '../protocol/limits.ts'
import { OPERATIONS, type Operation } from '../protocol/operation.ts'
import { failed, refused, type WireReply } from '../protocol/reply.ts'
import { SIGNATURE_HEADER, signerOf } from '../protocol/signature.ts'
import type { Clock } from '../runtime/clock.ts'
import { inTime } from '../runtime/in-time.ts'
import { type Soon, soon } from '../runtime/soon.ts'
import type { Span } from '../runtime/tracing.ts'
import { world } from '../runtime/world.ts'
import { refusalOfCaller } from '../wallet-client/caller-refused.ts'
import { UNKNOWN_REASONS } from '../wallet-client/classify.ts'
import { type Call, readCall } from './call.ts'
import type { Directory, Route } from './directory.ts'
import type { Link, LinkResult, OperatorCall } from './link.ts'
import type { Operators, Use } from './operators.ts'
import { toOperator, toPlatform, WrongPlayer } from './rewrite.ts'
import { answerStranger } from './stranger.ts'
import { isOwnUserId } from './user-id.ts'

export interface CallDeps {
  /** The platform's, several while rotating (S-3). */
  readonly secrets: readonly string[]
  readonly directory: Directory
  readonly operators: Operators
  readonly clock: Clock
  /** Told of what went wrong inside. */
  onFailure(error: unknown): void
}

/** An operator's answer, by its status; or why the gateway gave its own. */
export const OUTCOMES = [
  'answered_200',
  'answered_400',
  'answered_other',
  'gateway_refused',
  'bad_signature',
  'invalid_request',
  'stranger',
  'lost_player',
  'failed',
  'not_sent',
  'wrong_player',
  ...UNKNOWN_REASONS,
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** A reply, and what is known of the call for logs and metrics. */
export interface Handled {
  readonly reply: WireReply
  readonly outcome: Outcome
  readonly call?: Call
  /** What one that is malformed says of itself. */
  readonly said?: Said
  readonly operatorId?: string
  /** The place of the secret that signed the call; absent when none did. */
  readonly signer?: number
  /** Why there is no answer of the operator's. */
  readonly detail?: string | undefined
  /** When it went out to the operator, and when that was over, as world.elapsed() gives it; absent when it did not. */
  readonly sentAt?: number | undefined
  readonly endedAt?: number | undefined
}

/** Neither throws nor rejects. */
export function handleCall(deps: CallDeps, endpoint: Endpoint, request: WireRequest): Soon<Handled> {
  const { method, headers, body, arrivedAt } = request
  const signer = signerOf(headers[SIGNATURE_HEADER], body, deps.secrets)
  if (signer === undefined) return BAD_SIGNATURE
  const call = orMalformed(() => readCall(endpoint, method, body))
  if (call instanceof Malformed)
    return { reply: refused('invalid_request', call.message), outcome: 'invalid_request', signer, said: saidIn(body) }
  const broken = (error: unknown): Handled => {
    deps.onFailure(error)
    return { call, signer, reply: failed(call.operation), outcome: 'failed' }
  }
  try {
    const handled = soon(wayInTime(deps, call, arrivedAt), (way) => passOn(deps, { call, signer }, way, request))
    return handled instanceof Promise ? handled.catch(broken) : handled
  } catch (error) {
    return broken(error)
  }
}

const BAD_SIGNATURE: Handled = { reply: refused('bad_signature'), outcome: 'bad_signature' }

function passOn(
  { clock }: CallDeps,
  known: Required<Pick<Handled, 'call' | 'signer'>>,
  way: Way | undefined,
  request: WireRequest,
): Soon<Handled> {
  const { call } = known
  if (way === undefined) return { ...known, ...handleStranger(call, clock) }
  return soon(send(way, call, request), (result) => {
    const { reply, outcome, detail } = toAnswer(call, way.route, result)
    const { operatorId } = way.route.player
    const [sentAt, endedAt] = result.kind === 'not_sent' ? NEVER : [result.sentAt, world.elapsed()]
    // Written out: an object that is spread costs a call more than its way through the directory.
    return { call, signer: known.signer, operatorId, reply, outcome, detail, sentAt, endedAt }
  })
}

const NEVER = [undefined, undefined] as const

/** Strangers come and go; an id of the gateway's own that it does not know is somebody's business (G-3). */
function handleStranger(call: Call, clock: Clock): Pick<Handled, 'reply' | 'outcome'> {
  const isLost = call.userId !== undefined && isOwnUserId(call.userId)
  return { reply: answerStranger(call, clock), outcome: isLost ? 'lost_player' : 'stranger' }
}

/** Calls that a user waits for; the others come from the platform's deliveries. */
const USES: Readonly<Record<Operation, Use>> = {
  place: 'users',
  profile: 'users',
  balance: 'users',
  check: 'users',
  settle: 'deliveries',
  unsettle: 'deliveries',
  rollback: 'deliveries',
}

interface Way {
  readonly route: Route
  /** Undefined when the operator does not exist. */
  readonly link: Link | undefined
}

/** Up to three reads, each of which can be late; nothing is sent here, so that it can be given up (G-6). */
function wayInTime(deps: CallDeps, call: Call, arrivedAt: number): Soon<Way | undefined> {
  const way = findWay(deps, call)
  return way instanceof Promise ? orLate(way, startBefore(arrivedAt) - world.elapsed()) : way
}

async function orLate(found: Promise<Way | undefined>, leftMs: number): Promise<Way | undefined> {
  const way = await inTime<Way | undefined | 'late'>(found, leftMs, () => 'late')
  if (way === 'late') throw new Error('the call could not be routed in time')
  return way
}

function findWay({ directory, operators }: CallDeps, call: Call): Soon<Way | undefined> {
  const withLink = (route: Route) =>
    soon(operators.link(route.player.operatorId, USES[call.operation]), (link) => ({ route, link }))
  return soon(directory.routeOf(call), (route) => route && withLink(route))
}

function send({ route, link }: Way, call: Call, { arrivedAt, span }: WireRequest): Soon<LinkResult> {
  if (link === undefined) return { kind: 'not_sent', detail: 'the operator does not exist' }
  const { method, path } = OPERATIONS[call.operation]
  const message = { method, path, body: toOperator(call, route), arrivedAt, trace: undefined }
  return span === undefined ? link.send(message) : sendBelow(span, call, link, message)
}

async function sendBelow(span: Span, { operation }: Call, link: Link, message: OperatorCall): Promise<LinkResult> {
  const attempt = span.child(`call ${operation}`, { kind: 'client', attributes: { 'purser.operation': operation } })
  const result = await link.send({ ...message, trace: attempt.headers() })
  const status = result.kind === 'sent' && result.heard.kind === 'answered' ? result.heard.status : undefined
  attempt.end({ attributes: { 'http.response.status_code': status }, failed: status === undefined })
  return result
}

/** HTTP has none above, and our server sends none. */
const MAX_STATUS = 599

/**
 * The operator's answer goes on as it is. If there is none, none is made up. An answer about the gateway's own call is none to the
 * platform's: there code 1 would end a Rollback for good (D-7).
 */
function toAnswer(call: Call, route: Route, result: LinkResult): Pick<Handled, 'reply' | 'outcome' | 'detail'> {
  if (result.kind === 'not_sent') return { reply: failed(call.operation), outcome: 'not_sent', detail: result.detail }
  const { heard } = result
  if (heard.kind === 'failed') return { reply: failed(call.operation), outcome: heard.reason, detail: heard.detail }
  const { status } = heard
  if (status > MAX_STATUS) return { reply: failed(call.operation), outcome: 'status', detail: `HTTP status ${status}` }
  const refusal = refusalOfCaller(heard)
  if (refusal !== undefined) return { reply: failed(call.operation), outcome: 'gateway_refused', detail: refusal }
  try {
    const outcome = status === 200 ? 'answered_200' : status === 400 ? 'answered_400' : 'answered_other'
    return { reply: { status, body: toPlatform(call, route, heard) }, outcome }
  } catch (error) {
    if (!(error instanceof WrongPlayer)) throw error
    const detail = 'the operator answers for another player'
    return { reply: failed(call.operation), outcome: 'wrong_player', detail }
  }
}
