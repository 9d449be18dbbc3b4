/**
 * Signature of a call. It is verified over the received bytes, before any other check (S-2, R-6).
 */

import { findSigner, SIGNATURE_HEADER } from '@purser/protocol/signature'
import type { WireRequest } from '../../core/partner-wire/partner-wire.ts'

/** Index of the partner's secret that signed this body (S-3); undefined if no secret did. */
export function findCallSigner(request: WireRequest, secrets: readonly string[]): number | undefined {
  return findSigner(request.headers[SIGNATURE_HEADER], request.body, secrets)
}
