/**
 * Checks the first answer of the run. If the secret or a token is wrong, the run ends before every
 * case fails.
 */

import { toSecretError } from '@purser/protocol/client/signed-bytes'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Exchange } from '../../http-exchange.ts'
import { interpretAnswer } from './answer-meaning.ts'

/**
 * Some wallets reject a caller with these statuses, although the interface does not define them.
 */
const UNAUTHORIZED = [401, 403]

/**
 * Throws UsageError if the wallet rejects the signature. `sendWronglySigned` repeats the call with
 * another secret. If both answers are equal, the secret or the token may be the cause.
 */
export async function requireAcceptedSecret(
  first: Exchange,
  sendWronglySigned: () => Promise<Exchange>,
): Promise<void> {
  const answer = interpretAnswer(first)
  if (answer.kind !== 'refused') return
  const answered = `${answer.code === undefined ? `status ${answer.status}` : `code ${answer.code}`} to POST /user/profile`
  if (answer.code === REPLY_CODES.bad_signature.code) throw toSecretError(answered)
  if (!UNAUTHORIZED.includes(answer.status)) return
  const other = await sendWronglySigned()
  if (other.answer.kind === 'some' && other.answer.status === answer.status)
    throw new UsageError(
      `the wallet rejects the first call, ${answered}, and a call with a wrong secret in the same way: give the secret of the wallet, and a valid token`,
    )
}
