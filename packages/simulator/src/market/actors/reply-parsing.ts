/** Parses the bodies of calls and answers on the wire. A fault may have cut a body off. */

import { replyCode } from '@purser/protocol/reply-codes'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import type { NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'

export type MessageMembers = Readonly<Record<string, unknown>>

/** Throws if the body is incomplete. */
export function parseMessage({ body }: Pick<NetworkRequest | NetworkAnswer, 'body'>): MessageMembers {
  return JSON.parse(body.toString('utf8')) as MessageMembers
}

/** The code of any status; undefined if the body is cut or has none. */
export function parseCode({ body }: Pick<NetworkAnswer, 'body'>): number | undefined {
  const code = parseJsonObject(body.toString('utf8'))?.code
  return typeof code === 'number' ? code : undefined
}

export function parseRefusal(answer: NetworkAnswer): number | undefined {
  return answer.status === 400 ? parseCode(answer) : undefined
}

/** True for a failure of the wallet itself, as Place bet gets it: 400 code 100. */
export function isSystemErrorReply(answer: NetworkAnswer): boolean {
  return parseRefusal(answer) === replyCode('system_error')
}
