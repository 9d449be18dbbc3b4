/** The first answer of a judged wallet: a wrong secret or token ends the run before it fails every case. */

import { toSecretError } from '../../../protocol/client/signed-bytes.ts'
import { REPLY_CODES } from '../../../protocol/reply-codes.ts'
import { UsageError } from '../../../runtime/errors/cli-errors.ts'
import type { Exchange } from '../../http-exchange.ts'
import { interpretAnswer } from './answer-meaning.ts'

/** Statuses by which wallets refuse a caller, where the interface shows no answer. */
const UNAUTHORIZED = [401, 403]

/**
 * Throws UsageError when the wallet refuses the signature. `askSignedWrongly` sends the same call with
 * another secret: a wallet that answers both alike may refuse for the secret or for the token.
 */
export async function requireAcceptedSecret(first: Exchange, askSignedWrongly: () => Promise<Exchange>): Promise<void> {
  const answer = interpretAnswer(first)
  if (answer.kind !== 'refused') return
  const answered = `${answer.code === undefined ? `status ${answer.status}` : `code ${answer.code}`} to POST /user/profile`
  if (answer.code === REPLY_CODES.bad_signature.code) throw toSecretError(answered)
  if (!UNAUTHORIZED.includes(answer.status)) return
  const other = await askSignedWrongly()
  if (other.answer.kind === 'some' && other.answer.status === answer.status)
    throw new UsageError(
      `the wallet rejects the first call, ${answered}, and a call with a wrong secret in the same way: give the secret of the wallet, and a valid token`,
    )
}
