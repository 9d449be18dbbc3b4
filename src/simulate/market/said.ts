/** What the body of an answer of the wire says, as far as it can be read: it may have been cut. */
import { replyCode } from '../../protocol/codes.ts'
import { objectIn } from '../../protocol/json.ts'
import type { Answer, Request } from './network.ts'

export type Said = Readonly<Record<string, unknown>>

/** What a call of the wire says, or an answer that is whole. */
export function saidIn({ body }: Pick<Request | Answer, 'body'>): Said {
  return JSON.parse(body.toString('utf8')) as Said
}

/** Whatever its status is. */
export function codeIn({ body }: Pick<Answer, 'body'>): number | undefined {
  const code = objectIn(body.toString('utf8'))?.code
  return typeof code === 'number' ? code : undefined
}

/** The code of a 400. */
export function refusalOf(answer: Answer): number | undefined {
  return answer.status === 400 ? codeIn(answer) : undefined
}

/** R-4, in the form that a Place bet's failure has. */
export function isSystemError(answer: Answer): boolean {
  return refusalOf(answer) === replyCode('system_error')
}
