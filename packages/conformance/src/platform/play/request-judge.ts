/**
 * Judges each request of a platform when it comes in, with the request rules of the platform kit
 * (request-rules.ts). The judge of a wallet is verdict/live-judge.ts.
 */
import { CLAUSES, isInterfaceClause, splitClauses } from '../../clauses.ts'
import type { SentRequest } from '../../http-exchange.ts'
import { findRemedy } from '../../remedies/remedy.ts'
import type { LiveJudge, Verdict } from '../../verdict/live-verdict.ts'
import { createVerdictTally } from '../../verdict/verdict-tally.ts'
import { describeAnswer, interpretAnswer } from '../../wallet/play/answer-meaning.ts'
import { PLATFORM_CASES } from '../platform-cases.ts'
import { classifyRequest, type KitPartner, parseRequestBody, type RecordedRequest } from './request-log.ts'
import { findRequestFaults, type RequestFault } from './request-rules.ts'

/** Calls with which a later call is compared. */
const MAX_CALLS = 2_000

export function createRequestJudge(partner: KitPartner): Pick<LiveJudge, 'begin' | 'end' | 'sum'> {
  const calls: RecordedRequest[] = []
  const faults = new Map<number, readonly RequestFault[]>()
  const tally = createVerdictTally()
  let count = 0
  return {
    begin(request, at) {
      count += 1
      const call = toRecordedRequest(request, at, partner)
      calls.push(call)
      if (calls.length > MAX_CALLS) calls.shift()
      faults.set(count, findRequestFaults(call, calls))
      return count
    },
    end(number, exchange) {
      const found = faults.get(number) ?? []
      faults.delete(number)
      const answer = describeAnswer(interpretAnswer(exchange))
      const verdict = buildRequestVerdict(number, found, answer)
      tally.record(verdict)
      return [verdict]
    },
    sum: () => tally.sum(),
  }
}

function toRecordedRequest(request: SentRequest, at: Date, partner: KitPartner): RecordedRequest {
  const { method, url, headers, body: text } = request
  const bytes = Buffer.from(text)
  const body = parseRequestBody(bytes)
  const { pathname: path } = new URL(url)
  return {
    call: classifyRequest(method, path, body.type),
    partner,
    method,
    path,
    headers,
    bytes,
    body,
    at: at.getTime(),
  }
}

function buildRequestVerdict(call: number, faults: readonly RequestFault[], answer: string): Verdict {
  const [first] = faults
  if (first === undefined)
    return { call, kind: 'right', sentence: `The call follows the interface; the wallet: ${answer}.` }
  const sentence = `The call breaks a rule: ${faults.map(({ fault }) => fault).join('; ')}. The wallet: ${answer}.`
  const broken = PLATFORM_CASES.find((one) => one.kind === 'form' && one.rule === first.rule)
  if (broken === undefined) return { call, kind: 'wrong', sentence, cause: first.rule }
  const [clause = ''] = splitClauses(broken.clause)
  const { change } = findRemedy(broken.id) ?? {}
  return {
    ...{ call, kind: 'wrong', sentence, cause: broken.sentence, caseId: broken.id, clause, loses: broken.loses },
    ...(isInterfaceClause(clause) && { clauseWords: CLAUSES[clause] }),
    ...(change !== undefined && { remedy: change }),
  }
}
