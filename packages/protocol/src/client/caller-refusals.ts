/**
 * Record of answers by which a wallet rejects its caller, not the player's call (D-7).
 *
 * A wallet answers so if it does not know the caller's secret, denies access, or redirects the
 * call. Only an operator can repair the cause. So the record is shown, and logged at most once a
 * minute per wallet.
 */

import { environment } from '@purser/runtime/environment'
import type { Logger } from '@purser/runtime/logger'
import { REPLY_CODES } from '../reply-codes.ts'
import type { CallOutcome } from './answer-classification.ts'
import { isBadSignature } from './secret-rotation.ts'

export const UNKNOWN_SECRET = 'code 1: it knows none of the secrets that it was called with'

/** A wallet that rejects the signature has not read the call (S-2). */
export function isSignatureRefused({ outcome }: { readonly outcome: CallOutcome }): boolean {
  return outcome.kind === 'refused' && outcome.code === REPLY_CODES.bad_signature.code
}

/** Undefined if the answer concerns the player's call. */
export function findCallerRefusal(answer: { readonly status: number; readonly body: Buffer }): string | undefined {
  const { status } = answer
  if (isBadSignature(answer)) return UNKNOWN_SECRET
  if (status === 401 || status === 403) return `HTTP status ${status}: it does not let the caller in`
  return status >= 300 && status < 400 ? `HTTP status ${status}: a redirect, which no caller follows` : undefined
}

export interface CallerRefusals {
  add(id: string, refusal: string, at: Date): void
  /** Undefined if the wallet has sent no such answer since the process started. */
  last(id: string): { readonly at: Date; readonly refusal: string } | undefined
}

const LOG_EVERY_MS = 60_000

/** `kind`: the role of the wallets for the caller. */
export function createCallerRefusals(log: Logger, kind: 'operator' | 'partner'): CallerRefusals {
  const known = new Map<string, { readonly at: Date; readonly refusal: string; readonly loggedAt: number }>()
  return {
    add(id, refusal, at) {
      const now = environment.monotonicNow()
      const before = known.get(id)
      const isLogged = before !== undefined && now - before.loggedAt < LOG_EVERY_MS
      known.set(id, { at, refusal, loggedAt: isLogged ? before.loggedAt : now })
      if (isLogged) return
      log.error({ [kind]: id, refusal }, `the ${kind} refuses our own calls; compare the secret and the address`)
    },
    last: (id) => known.get(id),
  }
}
