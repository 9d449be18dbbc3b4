/** The first answer of a judged wallet: a wrong secret or token ends the run before it fails every case. */
import { REPLY_CODES } from '../../../protocol/codes.ts'
import { WrongUse } from '../../../runtime/wrong-use.ts'
import { refusedSecret } from '../../../wallet-client/signed-bytes.ts'
import type { Exchange } from '../../exchange.ts'
import { readAnswer } from './answer.ts'

/** Statuses by which wallets refuse a caller, where the interface shows no answer. */
const UNAUTHORIZED = [401, 403]

/**
 * Throws WrongUse when the wallet refuses the signature. `askSignedWrongly` sends the same call with
 * another secret: a wallet that answers both alike may refuse for the secret or for the token.
 */
export async function requireSecret(first: Exchange, askSignedWrongly: () => Promise<Exchange>): Promise<void> {
  const answer = readAnswer(first)
  if (answer.kind !== 'refused') return
  const seen = `${answer.code === undefined ? `status ${answer.status}` : `code ${answer.code}`} to POST /user/profile`
  if (answer.code === REPLY_CODES.bad_signature.code) throw refusedSecret(seen)
  if (!UNAUTHORIZED.includes(answer.status)) return
  const other = await askSignedWrongly()
  if (other.answer.kind === 'some' && other.answer.status === answer.status)
    throw new WrongUse(
      `the wallet refuses the first call, ${seen}, and one that is signed with another secret in the same way: give the secret of the wallet, and a token that is valid`,
    )
}
