/**
 * Which of a partner's secrets signs a call (C-13). The first one does; while the secrets rotate the partner may know only
 * another one. A wallet verifies before it reads (S-2), so 400 with code 1 says that nothing was done, and the same bytes may
 * go out again under the next secret: should the wallet have done it after all, they are a repeat of the same call (I-2).
 */

import { environment } from '../../runtime/environment.ts'
import { REPLY_CODES } from '../reply-codes.ts'
import { parseJsonObject } from '../values/exact-json.ts'

export interface SecretRotation {
  /** The secrets in the order in which a call tries them, each once. */
  order(): readonly string[]
  /** The partner did not refuse this signature: it goes first for a while. */
  markAccepted(secret: string): void
}

/** Milliseconds for which another secret than the first goes before it. */
export const PREFERRED_MS = 60_000

/** `now` is monotonic, in milliseconds. */
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
