/** A report whose texts can be printed: the wallet's answers reach no terminal and no CI log raw. */
import { printableLine } from '../../runtime/printable.ts'
import type { Exchange } from '../exchange.ts'
import type { CaseResult, Report, Verdict } from './report.ts'

export function printableReport(report: Report): Report {
  return {
    ...report,
    target: printableLine(report.target),
    command: printableLine(report.command),
    notes: report.notes.map(printableLine),
    results: report.results.map((result): CaseResult => ({ ...result, verdict: printableVerdict(result.verdict) })),
  }
}

function printableVerdict(verdict: Verdict): Verdict {
  if (verdict.kind === 'passed') return verdict
  const why = printableLine(verdict.why)
  if (verdict.kind === 'not judged') return { ...verdict, why }
  // A command with another body would be refused: it is left out.
  const repeat = printableLine(verdict.repeat) === verdict.repeat ? verdict.repeat : ''
  return { ...verdict, why, repeat, exchanges: verdict.exchanges.map(printableExchange) }
}

function printableExchange({ request, answer, ...exchange }: Exchange): Exchange {
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
