/**
 * Meaning of an answer, read leniently.
 *
 * answer-lint.ts judges the form separately, so that one wrong form does not fail every case. A
 * platform cannot know the outcome of some answers (C-2, D-5). Such an answer counts as lost, or
 * fails the MUST case about its form.
 */

import { hasRefusalCode } from '@purser/protocol/client/answer-classification'
import { OPERATIONS } from '@purser/protocol/operation'
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { parseJson, parseJsonObject } from '@purser/protocol/values/exact-json'
import type { Exchange, SentRequest } from '../../http-exchange.ts'

export type AnswerMeaning =
  | { readonly kind: 'accepted'; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'refused'; readonly status: number; readonly code: number | undefined }
  /** No answer, or an answer with an unknown outcome. */
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

/** The success of a bet call with a rejection code contradicts itself (D-5). */
function interpretSuccess(status: number, body: Readonly<Record<string, unknown>> = {}): AnswerMeaning {
  if (!('code' in body)) return { kind: 'accepted', body }
  if (!('transactionId' in body)) return { kind: 'refused', status, code: parseCode(body) }
  return hasRefusalCode(body)
    ? { kind: 'lost', why: `HTTP status ${status} with a transactionId and the code of a refusal` }
    : { kind: 'accepted', body }
}

/** 400 with code 100: the wallet itself failed. */
export function isSystemErrorAnswer(answer: AnswerMeaning): boolean {
  return answer.kind === 'refused' && answer.code === REPLY_CODES.system_error.code
}

/** Code 8 ends a Rollback as done. An answer with another status is retried. */
export function isAlreadyDone(answer: AnswerMeaning): boolean {
  return answer.kind === 'refused' && isFinalStatus(answer) && answer.code === REPLY_CODES.already_processed.code
}

/** The service does not retry after this status. A 200 for a rejection is a fault of form. */
export function isFinalStatus({ status }: { readonly status: number }): boolean {
  return status === 200 || status === 400
}

/** Undefined if the text is not a JSON object. */
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
