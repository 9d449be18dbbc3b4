/** The signature of a call, over the bytes as received, before anything else is looked at (S-2, R-6). */

import { findSigner, SIGNATURE_HEADER } from '../../../protocol/signature.ts'
import type { WireRequest } from '../../core/partner-wire/partner-wire.ts'

/** The place of the partner's secret that signed exactly this body (S-3); undefined when none did. */
export function findCallSigner(request: WireRequest, secrets: readonly string[]): number | undefined {
  return findSigner(request.headers[SIGNATURE_HEADER], request.body, secrets)
}
