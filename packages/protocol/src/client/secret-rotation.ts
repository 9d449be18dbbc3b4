/**
 * Choice of the secret that signs a call during a rotation (C-13).
 *
 * The first secret signs, but the partner may know only another secret. A wallet verifies the
 * signature before it reads the call (S-2), so code 1 means that the call had no effect. Then the
 * same bytes are sent with the next secret. If the wallet has applied the call after all, the next
 * try is a repeat (I-2).
 */

import { environment } from '@purser/runtime/environment'
import { REPLY_CODES } from '../reply-codes.ts'
import { parseJsonObject } from '../values/exact-json.ts'

export interface SecretRotation {
  /** A call tries the secrets in this order, each once. */
  order(): readonly string[]
  /** The partner has not rejected this secret, so the secret goes first for PREFERRED_MS. */
  markAccepted(secret: string): void
}

/** Milliseconds. */
export const PREFERRED_MS = 60_000

/** `now`: monotonic milliseconds. */
export function createSecretRotation(
  secrets: readonly string[],
  now: () => number = () => environment.monotonicNow(),
): SecretRotation {
  let order = secrets
  let until = Number.NEGATIVE_INFINITY
  return {
    order: () => (now() < until ? order : secrets),
    markAccepted(secret) {
      if (secret === order[0] && now() < until) return
      order = [secret, ...secrets.filter((other) => other !== secret)]
      until = secret === secrets[0] ? Number.NEGATIVE_INFINITY : now() + PREFERRED_MS
    },
  }
}

const BAD_REQUEST = 400

export function isBadSignature({ status, body }: { readonly status: number; readonly body: Buffer }): boolean {
  return status === BAD_REQUEST && parseJsonObject(body.toString('utf8'))?.code === REPLY_CODES.bad_signature.code
}
