/** Verdict on the form of an answer: the rules of answer-lint.ts, and answers of other servers. */
import type { Exchange } from '../http-exchange.ts'
import { findFormFaults } from '../wallet/play/answer-lint.ts'
import { findHttpFault } from './faults/http-fault.ts'
import { describeCaseFault, findFormCase, isAdviceCase } from './faults/live-fault.ts'
import type { CallToWallet } from './live-call.ts'
import type { Verdict } from './live-verdict.ts'
import { buildFaultVerdict, formatCallTitle } from './verdict-text.ts'

export interface FormContext {
  readonly call: CallToWallet
  readonly exchange: Exchange
  /** Failures of the server in a row, with this answer. */
  readonly failures: number
  readonly bet?: { readonly accepted: ReadonlySet<CallToWallet['operation']> }
}

/** A server that fails so often does not recover by itself. */
const MAX_FAILURES = 9

/** `isDefined`: the interface defines the answer to the call. */
export function judgeForm(given: FormContext, isDefined: boolean): Verdict | undefined {
  const { call, exchange, failures } = given
  const http = findHttpFault(exchange)
  const title = formatCallTitle(call)
  if (http !== undefined && isDefined) {
    const kind = http.mayPass && failures <= MAX_FAILURES ? 'undecided' : 'wrong'
    return buildFaultVerdict(http.cause, { call, sentence: `${title}: ${http.sentence}`, kind })
  }
  const faults = findFormFaults(exchange, isDefined).filter(({ rule }) => !(rule === 'time is now' && isRepeat(given)))
  const found = faults.map(({ rule, why }) => ({ rule, why, caseId: findFormCase(rule) }))
  const worst = found.find(({ caseId }) => !isAdviceCase(caseId)) ?? found[0]
  if (worst === undefined) return undefined
  const kind = isAdviceCase(worst.caseId) ? 'advice' : 'wrong'
  const facts = describeCaseFault(`form of the answer: ${worst.rule}`, worst.caseId, { operation: call.operation })
  return { call: call.number, kind, sentence: `${title}: ${worst.why}`, ...facts }
}

/** A repeat is answered with the time of the first answer. */
function isRepeat({ bet, call }: FormContext): boolean {
  return bet?.accepted.has(call.operation) ?? false
}
