/** Handler of wire calls: verify → decode → queue → apply → reply, within the deadline. */

import type { Operation } from '@purser/protocol/operation'
import { catchMalformed, MalformedCall } from '@purser/protocol/request-body'
import { findSigner, SIGNATURE_HEADER } from '@purser/protocol/signature'
import { answerDeadline } from '@purser/protocol/wire-limits'
import type { MaybePromise } from '@purser/runtime/async/maybe-promise'
import { withTimeout } from '@purser/runtime/async/timeouts'
import { environment } from '@purser/runtime/environment'
import type { WireRequest } from '../../core/partner-wire/partner-wire.ts'
import type { BatchTimes } from '../queue/batch-times.ts'
import type { CallQueue, QueuedCallResult } from '../queue/call-queue.ts'
import {
  type CallSettings,
  type DecodeSettings,
  decodeBetCall,
  decodeUserCall,
  identifyMalformedCall,
} from './call-decoder.ts'
import { answerBalance, answerCheck, answerProfile, type QueryIds, type UserQueryDeps } from './user-queries.ts'
import { failedReply, refusedReply, toReply, type WalletReply } from './wallet-reply.ts'

export interface WalletCallDeps extends UserQueryDeps {
  readonly secrets: readonly string[]
  /** Platform names by the index of their secret (W-43). */
  readonly platforms: readonly string[]
  readonly settings: DecodeSettings
  /** Decoder settings by the index of the secret. */
  readonly platformSettings: readonly CallSettings[]
  readonly callQueue: CallQueue
  /** Reports failures of the wallet itself. */
  onFailure(error: unknown): void
}

export interface WalletCallResult {
  readonly reply: WalletReply
  readonly operation: Operation | 'unknown'
  readonly call?: Readonly<QueryIds>
  /** Index of the secret that signed the call; absent if no secret did. */
  readonly signer?: number
  /** Batch of a bet call, if it was in one. */
  readonly batch?: BatchTimes | undefined
  /** Begin and end of a query in the database; a query has no batch. */
  readonly executed?: Pick<BatchTimes, 'beganAt' | 'endedAt'>
}

/** Handles a call to /payment/bet; never rejects. */
export function handleBetCall(deps: WalletCallDeps, request: WireRequest): MaybePromise<WalletCallResult> {
  const signer = findCallSigner(request, deps.secrets)
  if (signer === undefined) return { reply: refusedReply('bad_signature'), operation: 'unknown' }
  const call = catchMalformed(() =>
    decodeBetCall(request.method, request.body, deps.platformSettings[signer] as CallSettings),
  )
  if (call instanceof MalformedCall) return { ...refuseMalformed(deps, request, call), operation: 'unknown', signer }
  const { kind: operation } = call
  const toResult = ({ outcome, batch }: QueuedCallResult): WalletCallResult => ({
    reply: toReply(operation, outcome),
    operation,
    call,
    signer,
    batch,
  })
  const toFailure = (error: unknown): WalletCallResult => {
    deps.onFailure(error) // a defect of this program; the signer and the call are still recorded
    return { reply: failedReply(operation), operation, call, signer }
  }
  try {
    return deps.callQueue.submit(call, request.arrivedAt, request.span).then(toResult).catch(toFailure)
  } catch (error) {
    return toFailure(error)
  }
}

function refuseMalformed({ settings }: WalletCallDeps, { body }: WireRequest, { message }: MalformedCall) {
  return { reply: refusedReply('invalid_request', message), call: identifyMalformedCall(body, settings) }
}

export async function handleUserCall(
  deps: WalletCallDeps,
  operation: 'profile' | 'balance' | 'check',
  request: WireRequest,
): Promise<WalletCallResult> {
  const signer = findCallSigner(request, deps.secrets)
  if (signer === undefined) return { reply: refusedReply('bad_signature'), operation }
  const late = () => {
    deps.onFailure(new Error('no answer in time'))
    return failedReply(operation)
  }
  const leftMs = answerDeadline(request.arrivedAt) - environment.monotonicNow()
  if (leftMs <= 0) return { reply: late(), operation, call: identifyMalformedCall(request.body, deps.settings), signer }
  const call: QueryIds = {}
  const platform = deps.platforms[signer] ?? ''
  const beganAt = environment.monotonicNow()
  try {
    const reply = await withTimeout(QUERY_HANDLERS[operation](deps, request.body, call, platform), leftMs, late)
    return { reply, operation, call, signer, executed: { beganAt, endedAt: environment.monotonicNow() } }
  } catch (error) {
    if (error instanceof MalformedCall) return { ...refuseMalformed(deps, request, error), operation, signer }
    deps.onFailure(error)
    return { reply: failedReply(operation), operation, call, signer }
  }
}

/**
 * Index of the partner's secret that signed this body (S-3); undefined if no secret did. The
 * signature covers the received bytes, and is verified before any other check (S-2, R-6).
 */
function findCallSigner(request: WireRequest, secrets: readonly string[]): number | undefined {
  return findSigner(request.headers[SIGNATURE_HEADER], request.body, secrets)
}

const QUERY_HANDLERS = {
  profile: async (deps: WalletCallDeps, body: Buffer, call: QueryIds) =>
    answerProfile(deps, decodeUserCall.profile(body), call),
  balance: async (deps: WalletCallDeps, body: Buffer, call: QueryIds) =>
    answerBalance(deps, decodeUserCall.balance(body), call),
  check: async (deps: WalletCallDeps, body: Buffer, call: QueryIds, platform: string) =>
    answerCheck(deps, decodeUserCall.check(body), call, platform),
}
