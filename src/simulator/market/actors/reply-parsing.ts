/** What the body of an answer of the wire says, as far as it can be read: it may have been cut. */

import { replyCode } from '../../../protocol/reply-codes.ts'
import { parseJsonObject } from '../../../protocol/values/exact-json.ts'
import type { NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'

export type MessageMembers = Readonly<Record<string, unknown>>

/** What a call of the wire says, or an answer that is whole. */
export function parseMessage({ body }: Pick<NetworkRequest | NetworkAnswer, 'body'>): MessageMembers {
  return JSON.parse(body.toString('utf8')) as MessageMembers
}

/** Whatever its status is. */
export function parseCode({ body }: Pick<NetworkAnswer, 'body'>): number | undefined {
  const code = parseJsonObject(body.toString('utf8'))?.code
  return typeof code === 'number' ? code : undefined
}

/** The code of a 400. */
export function parseRefusal(answer: NetworkAnswer): number | undefined {
  return answer.status === 400 ? parseCode(answer) : undefined
}

/** R-4, in the form that a Place bet's failure has. */
export function isSystemErrorReply(answer: NetworkAnswer): boolean {
  return parseRefusal(answer) === replyCode('system_error')
}
