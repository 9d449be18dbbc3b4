/**
 * Copy of a report that is safe to print. No terminal or CI log receives a wallet's raw answers.
 */
import { printableLine } from '@purser/runtime/text/printable-text'
import type { Exchange } from '../http-exchange.ts'
import type { CaseResult, CaseVerdict, ConformanceReport } from './conformance-report.ts'

export function toPrintableReport(report: ConformanceReport): ConformanceReport {
  return {
    ...report,
    target: printableLine(report.target),
    command: printableLine(report.command),
    notes: report.notes.map(printableLine),
    results: report.results.map((result): CaseResult => ({ ...result, verdict: toPrintableVerdict(result.verdict) })),
  }
}

function toPrintableVerdict(verdict: CaseVerdict): CaseVerdict {
  if (verdict.kind === 'passed') return verdict
  const why = printableLine(verdict.why)
  if (verdict.kind === 'not judged') return { ...verdict, why }
  // A command with another body would be rejected, so it is omitted.
  const repeat = printableLine(verdict.repeat) === verdict.repeat ? verdict.repeat : ''
  return { ...verdict, why, repeat, exchanges: verdict.exchanges.map(toPrintableExchange) }
}

function toPrintableExchange({ request, answer, ...exchange }: Exchange): Exchange {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, printableLine(value)])
  return {
    ...exchange,
    what: printableLine(exchange.what),
    request: {
      ...request,
      url: printableLine(request.url),
      headers: Object.fromEntries(headers),
      body: printableLine(request.body),
    },
    answer:
      answer.kind === 'none'
        ? { ...answer, why: printableLine(answer.why) }
        : { ...answer, contentType: printableLine(answer.contentType), body: printableLine(answer.body) },
  }
}
