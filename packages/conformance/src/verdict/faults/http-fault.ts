/**
 * Explains answers that no handler of the interface has sent: web pages, redirects, unknown paths,
 * failures. They are no statement about money.
 */
import type { Exchange } from '../../http-exchange.ts'
import { parseObject } from '../../wallet/play/answer-meaning.ts'
import { readPath } from '../verdict-text.ts'
import type { FaultName } from './live-fault.ts'

export interface HttpFault {
  readonly cause: FaultName
  /** The received answer, and its likely cause. */
  readonly sentence: string
  /** A single failure of a server may pass. */
  readonly mayPass?: true
}

/** Undefined if the answer is a JSON object with status 200 or 400, or if there is no answer. */
export function findHttpFault({ request, answer }: Exchange): HttpFault | undefined {
  if (answer.kind === 'none') return undefined
  const { status, body, contentType } = answer
  const path = readPath(request.url)
  const isPage = /html/i.test(contentType) || /^\s*<(!doctype|html)/i.test(body)
  const page = isPage ? ', a web page' : ''
  if (status >= 300 && status < 400)
    return { cause: 'redirect', sentence: `HTTP ${status}${page}: a redirect is not followed; give the final address` }
  if (status >= 500)
    return {
      cause: 'server error',
      sentence: `HTTP ${status}${page}: the log of the wallet has the error`,
      mayPass: true,
    }
  const reply = parseObject(body)
  if (status >= 400 && Number.isInteger(reply?.code)) return undefined // a refusal with an unusual status
  const known = BY_STATUS[status]
  if (known !== undefined)
    return { cause: known.cause, sentence: `HTTP ${status}${page}${known.explain(path, request.method)}` }
  if (isPage)
    return {
      cause: 'web page instead of JSON',
      sentence: `HTTP ${status} with a web page instead of JSON: another server or a default page answers ${path}`,
    }
  const isEmpty = status === 200 && reply === undefined
  if (!isEmpty) return undefined
  const received = body.trim() === '' ? 'an empty body' : `a body that is no JSON object: ${body.trim().slice(0, 60)}`
  return { cause: 'answer without a JSON object', sentence: `HTTP 200 with ${received}` }
}

interface StatusFault {
  readonly cause: FaultName
  readonly explain: (path: string, method: string) => string
}

const BY_STATUS: Readonly<Record<number, StatusFault>> = {
  401: { cause: 'access denied', explain: () => ': does the wallet need a header of its own (--header)?' },
  403: { cause: 'access denied', explain: () => ': does the wallet need a header of its own (--header)?' },
  404: {
    cause: 'no such path',
    explain: (path) => `: the wallet does not serve ${path}. Is a path prefix missing in the address?`,
  },
  405: {
    cause: 'no such method',
    explain: (path, method) => `: the wallet does not serve ${method} ${path}. Bets use POST and PUT on one path`,
  },
  413: { cause: 'server error', explain: () => ': the body parser of the wallet has too small a limit' },
  415: { cause: 'server error', explain: () => ': the body parser of the wallet does not take application/json' },
}
