/** The way of a call, on one screen: verify → read → route → rewrite → send → pass on. */

import type { Endpoint, WireRequest } from '../http/wire.ts'
import { Malformed, orMalformed } from '../protocol/body.ts'
import { LIMITS } from '../protocol/limits.ts'
import { OPERATIONS, type Operation } from '../protocol/operation.ts'
import { failed, refused, type WireReply } from '../protocol/reply.ts'
import { SIGNATURE_HEADER, verify } from '../protocol/signature.ts'
import type { Clock } from '../runtime/clock.ts'
import { inTime } from '../runtime/in-time.ts'
import type { UnknownReason } from '../wallet-client/classify.ts'
import { type Call, readCall } from './call.ts'
import type { Directory, Route } from './directory.ts'
import type { Link, LinkResult } from './link.ts'
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
export type Outcome =
  | 'answered_200'
  | 'answered_400'
  | 'answered_other'
  | 'bad_signature'
  | 'invalid_request'
  | 'stranger'
  | 'lost_player'
  | 'failed'
  | 'not_sent'
  | 'wrong_player'
  | UnknownReason

/** A reply, and what is known of the call for logs and metrics. */
export interface Handled {
  readonly reply: WireReply
  readonly outcome: Outcome
  readonly call?: Call
  readonly operatorId?: string
  /** Why there is no answer of the operator's. */
  readonly detail?: string
}

/** Never rejects. */
export async function handleCall(
  deps: CallDeps,
  endpoint: Endpoint,
  { method, headers, body, arrivedAt }: WireRequest,
): Promise<Handled> {
  if (!verify(headers[SIGNATURE_HEADER], body, deps.secrets))
    return { reply: refused('bad_signature'), outcome: 'bad_signature' }
  const call = orMalformed(() => readCall(endpoint, method, body))
  if (call instanceof Malformed) return { reply: refused('invalid_request', call.message), outcome: 'invalid_request' }
  try {
    const leftMs = arrivedAt + LIMITS.startMs - performance.now()
    const way = await inTime<Way | undefined | 'late'>(findWay(deps, call), leftMs, () => 'late')
    if (way === 'late') throw new Error('the call could not be routed in time')
    if (way === undefined) return { call, ...handleStranger(call, deps.clock) }
    const { operatorId } = way.route.player
    const result = await send(way, call, arrivedAt)
    return { call, operatorId, ...toHandled(call, way.route, result) }
  } catch (error) {
    deps.onFailure(error)
    return { call, reply: failed(call.operation), outcome: 'failed' }
  }
}

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
async function findWay({ directory, operators }: CallDeps, call: Call): Promise<Way | undefined> {
  const route = await directory.routeOf(call)
  return route && { route, link: await operators.link(route.player.operatorId, USES[call.operation]) }
}

async function send({ route, link }: Way, call: Call, arrivedAt: number): Promise<LinkResult> {
  if (link === undefined) return { kind: 'not_sent', detail: 'the operator does not exist' }
  const { method, path } = OPERATIONS[call.operation]
  return link.send({ method, path, body: toOperator(call, route), arrivedAt })
}

/** HTTP has none above, and our server sends none. */
const MAX_STATUS = 599

/** The operator's answer goes on as it is. If there is none, none is made up. */
function toHandled(call: Call, route: Route, result: LinkResult): Pick<Handled, 'reply' | 'outcome' | 'detail'> {
  if (result.kind === 'not_sent') return { reply: failed(call.operation), outcome: 'not_sent', detail: result.detail }
  if (result.kind === 'failed') return { reply: failed(call.operation), outcome: result.reason, detail: result.detail }
  const { status } = result
  if (status > MAX_STATUS) return { reply: failed(call.operation), outcome: 'status', detail: `HTTP status ${status}` }
  try {
    const outcome = status === 200 ? 'answered_200' : status === 400 ? 'answered_400' : 'answered_other'
    return { reply: { status, body: toPlatform(call, route, result) }, outcome }
  } catch (error) {
    if (!(error instanceof WrongPlayer)) throw error
    const detail = 'the operator answers for another player'
    return { reply: failed(call.operation), outcome: 'wrong_player', detail }
  }
}
