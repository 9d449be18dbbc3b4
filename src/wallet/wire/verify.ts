/** The signature of a call, over the bytes as received, before anything else is looked at (S-2, R-6). */
import type { WireRequest } from '../../http/wire.ts'
import { SIGNATURE_HEADER, verify } from '../../protocol/signature.ts'

/** True if one of the partner's secrets signed exactly this body (S-3). */
export function isSigned(request: WireRequest, secrets: readonly string[]): boolean {
  return verify(request.headers[SIGNATURE_HEADER], request.body, secrets)
}
