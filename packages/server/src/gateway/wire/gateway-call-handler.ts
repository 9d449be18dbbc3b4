/**
 * Handler of the platform's calls: verify, parse, route, rewrite, send to the operator, and forward
 * the answer.
 */

import { UNKNOWN_REASONS } from '@purser/protocol/client/answer-classification'
import { findCallerRefusal } from '@purser/protocol/client/caller-refusals'
import { OPERATIONS, type Operation } from '@purser/protocol/operation'
import { type CallIds, catchMalformed, extractCallIds, MalformedCall } from '@purser/protocol/request-body'
import { findSigner, SIGNATURE_HEADER } from '@purser/protocol/signature'
import { startDeadline } from '@purser/protocol/wire-limits'
import { createFailure, createRefusal, type WireReply } from '@purser/protocol/wire-reply'
import { chain, type MaybePromise } from '@purser/runtime/async/maybe-promise'
import { withTimeout } from '@purser/runtime/async/timeouts'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Span } from '@purser/runtime/tracing'
import type { Endpoint, WireRequest } from '../../core/partner-wire/partner-wire.ts'
import type { OperatorCall, OperatorCallResult, OperatorClient } from '../operators/operator-client.ts'
import type { Operators, OperatorTrafficClass } from '../operators/operators.ts'
import { isOwnUserId } from '../players/gateway-user-id.ts'
import type { PlayerDirectory, PlayerRoute } from '../players/player-directory.ts'
import { rewriteForOperator, rewriteForPlatform, WrongPlayerError } from './call-rewriting.ts'
import { type GatewayCall, parseGatewayCall } from './gateway-call.ts'
import { answerUnknownPlayer } from './unknown-player.ts'

export interface GatewayCallDeps {
  /** The platform's secrets, several during a rotation (S-3). */
  readonly secrets: readonly string[]
  readonly directory: PlayerDirectory
  readonly operators: Operators
  readonly clock: Clock
  /** Called for internal errors. */
  onFailure(error: unknown): void
}

/** Status of the operator's answer, or the reason for an answer of the gateway. */
export const GATEWAY_OUTCOMES = [
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
export type GatewayOutcome = (typeof GATEWAY_OUTCOMES)[number]

/** Reply, and data of the call for logs and metrics. */
export interface GatewayCallResult {
  readonly reply: WireReply
  readonly outcome: GatewayOutcome
  readonly call?: GatewayCall
  /** Ids of a malformed call. */
  readonly callIds?: CallIds
  readonly operatorId?: string
  /** Index of the secret that signed the call; undefined without a valid signature. */
  readonly signer?: number
  /** Reason for an answer of the gateway. */
  readonly detail?: string | undefined
  /** Times of `environment.monotonicNow()`; undefined if the call was not sent. */
  readonly sentAt?: number | undefined
  readonly endedAt?: number | undefined
}

/** Neither throws nor rejects. */
export function handleGatewayCall(
  deps: GatewayCallDeps,
  endpoint: Endpoint,
  request: WireRequest,
): MaybePromise<GatewayCallResult> {
  const { method, headers, body, arrivedAt } = request
  const signer = findSigner(headers[SIGNATURE_HEADER], body, deps.secrets)
  if (signer === undefined) return BAD_SIGNATURE
  const call = catchMalformed(() => parseGatewayCall(endpoint, method, body))
  if (call instanceof MalformedCall)
    return {
      reply: createRefusal('invalid_request', call.message),
      outcome: 'invalid_request',
      signer,
      callIds: extractCallIds(body),
    }
  const broken = (error: unknown): GatewayCallResult => {
    deps.onFailure(error)
    return { call, signer, reply: createFailure(call.operation), outcome: 'failed' }
  }
  try {
    const handled = chain(findDestinationInTime(deps, call, arrivedAt), (destination) =>
      forwardCall(deps, { call, signer }, destination, request),
    )
    return handled instanceof Promise ? handled.catch(broken) : handled
  } catch (error) {
    return broken(error)
  }
}

const BAD_SIGNATURE: GatewayCallResult = { reply: createRefusal('bad_signature'), outcome: 'bad_signature' }

function forwardCall(
  { clock }: GatewayCallDeps,
  known: Required<Pick<GatewayCallResult, 'call' | 'signer'>>,
  destination: Destination | undefined,
  request: WireRequest,
): MaybePromise<GatewayCallResult> {
  const { call } = known
  if (destination === undefined) return { ...known, ...handleUnknownPlayer(call, clock) }
  return chain(sendToOperator(destination, call, request), (result) => {
    const { reply, outcome, detail } = toGatewayAnswer(call, destination.route, result)
    const { operatorId } = destination.route.player
    const [sentAt, endedAt] = result.kind === 'not_sent' ? NOT_SENT_TIMES : [result.sentAt, environment.monotonicNow()]
    // Written out: spreading an object costs more than the directory.
    return { call, signer: known.signer, operatorId, reply, outcome, detail, sentAt, endedAt }
  })
}

const NOT_SENT_TIMES = [undefined, undefined] as const

/**
 * An unknown id in the gateway's own format may mean a wrong database, so it has its own outcome
 * (G-3).
 */
function handleUnknownPlayer(call: GatewayCall, clock: Clock): Pick<GatewayCallResult, 'reply' | 'outcome'> {
  const isLost = call.userId !== undefined && isOwnUserId(call.userId)
  return { reply: answerUnknownPlayer(call, clock), outcome: isLost ? 'lost_player' : 'stranger' }
}

const TRAFFIC_CLASSES: Readonly<Record<Operation, OperatorTrafficClass>> = {
  place: 'users',
  profile: 'users',
  balance: 'users',
  check: 'users',
  settle: 'deliveries',
  unsettle: 'deliveries',
  rollback: 'deliveries',
}

interface Destination {
  readonly route: PlayerRoute
  /** Undefined if the operator does not exist. */
  readonly client: OperatorClient | undefined
}

/**
 * Up to three reads, each of which can be late. Nothing has been sent, so the call can be abandoned
 * (G-6).
 */
function findDestinationInTime(
  deps: GatewayCallDeps,
  call: GatewayCall,
  arrivedAt: number,
): MaybePromise<Destination | undefined> {
  const destination = findDestination(deps, call)
  return destination instanceof Promise
    ? withRoutingDeadline(destination, startDeadline(arrivedAt) - environment.monotonicNow())
    : destination
}

async function withRoutingDeadline(
  found: Promise<Destination | undefined>,
  leftMs: number,
): Promise<Destination | undefined> {
  const destination = await withTimeout<Destination | undefined | 'late'>(found, leftMs, () => 'late')
  if (destination === 'late') throw new Error('the call could not be routed in time')
  return destination
}

function findDestination(
  { directory, operators }: GatewayCallDeps,
  call: GatewayCall,
): MaybePromise<Destination | undefined> {
  const withClient = (route: PlayerRoute) =>
    chain(operators.findClient(route.player.operatorId, TRAFFIC_CLASSES[call.operation]), (client) => ({
      route,
      client,
    }))
  return chain(directory.findRoute(call), (route) => route && withClient(route))
}

function sendToOperator(
  { route, client }: Destination,
  call: GatewayCall,
  { arrivedAt, span }: WireRequest,
): MaybePromise<OperatorCallResult> {
  if (client === undefined) return { kind: 'not_sent', detail: 'the operator does not exist' }
  const { method, path } = OPERATIONS[call.operation]
  const message = { method, path, body: rewriteForOperator(call, route), arrivedAt, trace: undefined }
  return span === undefined ? client.send(message) : sendWithSpan(span, call, client, message)
}

async function sendWithSpan(
  span: Span,
  { operation }: GatewayCall,
  client: OperatorClient,
  message: OperatorCall,
): Promise<OperatorCallResult> {
  const attempt = span.child(`call ${operation}`, { kind: 'client', attributes: { 'purser.operation': operation } })
  const result = await client.send({ ...message, trace: attempt.headers() })
  const status = result.kind === 'sent' && result.exchange.kind === 'answered' ? result.exchange.status : undefined
  attempt.end({ attributes: { 'http.response.status_code': status }, failed: status === undefined })
  return result
}

/** HTTP has no higher status, and our server sends none. */
const MAX_STATUS = 599

/**
 * The operator's answer is forwarded, and never invented. An answer about the gateway's own
 * call is not forwarded, because its code 1 would end a Rollback (D-7).
 */
function toGatewayAnswer(
  call: GatewayCall,
  route: PlayerRoute,
  result: OperatorCallResult,
): Pick<GatewayCallResult, 'reply' | 'outcome' | 'detail'> {
  if (result.kind === 'not_sent')
    return { reply: createFailure(call.operation), outcome: 'not_sent', detail: result.detail }
  const { exchange } = result
  if (exchange.kind === 'failed')
    return { reply: createFailure(call.operation), outcome: exchange.reason, detail: exchange.detail }
  const { status } = exchange
  if (status > MAX_STATUS)
    return { reply: createFailure(call.operation), outcome: 'status', detail: `HTTP status ${status}` }
  const refusal = findCallerRefusal(exchange)
  if (refusal !== undefined)
    return { reply: createFailure(call.operation), outcome: 'gateway_refused', detail: refusal }
  try {
    const outcome = status === 200 ? 'answered_200' : status === 400 ? 'answered_400' : 'answered_other'
    return { reply: { status, body: rewriteForPlatform(call, route, exchange) }, outcome }
  } catch (error) {
    if (!(error instanceof WrongPlayerError)) throw error
    const detail = 'the operator answered for another player'
    return { reply: createFailure(call.operation), outcome: 'wrong_player', detail }
  }
}
