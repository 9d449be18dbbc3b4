/**
 * An answer by its meaning, read leniently.
 *
 * The form of the interface is judged once for all answers (answer-lint.ts), so that one wrong form does not
 * fail every case. An answer whose outcome the platform cannot know is lost here too (C-2, D-5), or a
 * MUST about its form fails.
 */

import { hasRefusalCode } from '../../../protocol/client/answer-classification.ts'
import { OPERATIONS } from '../../../protocol/operation.ts'
import { REPLY_CODES } from '../../../protocol/reply-codes.ts'
import { parseJson, parseJsonObject } from '../../../protocol/values/exact-json.ts'
import type { Exchange, SentRequest } from '../../http-exchange.ts'

export type AnswerMeaning =
  | { readonly kind: 'accepted'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly status: number; readonly code: number | undefined }
  /** No answer, or one that says nothing about what was done. */
  | { readonly kind: 'lost'; readonly why: string }

export function interpretAnswer({ request, answer }: Exchange): AnswerMeaning {
  if (answer.kind === 'none') return { kind: 'lost', why: answer.why }
  const body = parseObject(answer.body)
  if (answer.status >= 200 && answer.status < 300) {
    if (answer.isNotUtf8 && isAboutPlayer(request))
      return { kind: 'lost', why: `HTTP status ${answer.status} with a body that is not UTF-8` }
    return interpretSuccess(answer.status, body)
  }
  if (answer.status >= 400 && answer.status < 500)
    return { kind: 'refused', status: answer.status, code: parseCode(body) }
  return { kind: 'lost', why: `HTTP status ${answer.status}` }
}

function isAboutPlayer({ url }: SentRequest): boolean {
  return PLAYER_PATHS.some((path) => url.endsWith(path))
}

const PLAYER_PATHS = [OPERATIONS.profile.path, OPERATIONS.balance.path]

/** A yes to a bet that also has the code of a refusal contradicts itself (D-5). */
function interpretSuccess(status: number, body: Readonly<Record<string, unknown>> = {}): AnswerMeaning {
  if (!('code' in body)) return { kind: 'accepted', body }
  if (!('transactionId' in body)) return { kind: 'refused', status, code: parseCode(body) }
  return hasRefusalCode(body)
    ? { kind: 'lost', why: `HTTP status ${status} with a transactionId and the code of a refusal` }
    : { kind: 'accepted', body }
}

/** 400 with 100: the wallet itself failed. */
export function isSystemErrorAnswer(answer: AnswerMeaning): boolean {
  return answer.kind === 'refused' && answer.code === REPLY_CODES.system_error.code
}

/** Of a Rollback: it is done. What has another status is tried again, whatever its code is. */
export function isAlreadyDone(answer: AnswerMeaning): boolean {
  return answer.kind === 'refused' && isFinalStatus(answer) && answer.code === REPLY_CODES.already_processed.code
}

/** A status after which the service does not try again: whether 200 is right for a refusal is a matter of form. */
export function isFinalStatus({ status }: { readonly status: number }): boolean {
  return status === 200 || status === 400
}

/** The body as a JSON object; undefined when it is none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  return parseJsonObject(text, parseJson)
}

function parseCode(body: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const code = body?.code
  if (typeof code === 'number') return code
  return typeof code === 'string' && /^\d{1,4}$/.test(code) ? JSON.parse(code) : undefined
}

export function describeAnswer(answer: AnswerMeaning): string {
  switch (answer.kind) {
    case 'accepted':
      return 'accepted'
    case 'refused':
      return describeRefusal(answer)
    case 'lost':
      return answer.why
    default:
      return answer satisfies never
  }
}

function describeRefusal({ status, code }: AnswerMeaning & { kind: 'refused' }): string {
  const text = code === undefined ? 'refused without a code' : `refused with code ${code}`
  return status === 400 ? text : `${text} and HTTP status ${status}`
}
