/** The report for a terminal, and the progress while it comes about. */
import { styleText } from 'node:util'
import type { Exchange } from '../exchange.ts'
import {
  againText,
  type CaseResult,
  failuresOf,
  isGood,
  needlesslyExpected,
  type Report,
  totalsOf,
  type Verdict,
} from './report.ts'

export type Paint = (style: 'red' | 'green' | 'yellow' | 'dim' | 'bold', text: string) => string

export const plain: Paint = (_style, text) => text
export const coloured: Paint = (style, text) => styleText(style, text, { validateStream: false })

/** Exchanges of a failed case that are shown: the last ones; a report file has more. */
const MAX_EXCHANGES = 12
/** Characters of a body that are shown: more than a Place bet has. */
const MAX_BODY_CHARS = 2_000

export function terminalReport(report: Report, paint: Paint): string {
  const failures = report.results.flatMap((result) => failureText(report, result, paint))
  return [
    ...failures,
    ...notJudgedText(report, paint),
    ...expectedText(report, paint),
    ...failedIdsText(report, paint),
    ...summaryText(report, paint),
  ].join('\n')
}

function failureText(report: Report, result: CaseResult, paint: Paint): string[] {
  const { verdict, expected } = result
  if (verdict.kind !== 'failed' || expected !== undefined) return []
  const shown = verdict.exchanges.slice(-MAX_EXCHANGES)
  const hidden = verdict.exchanges.length - shown.length
  const again = againText(report, result)
  return [
    paint('red', `✗ ${result.id}  ${result.level}  ${result.sentence}`),
    `  ${paint('bold', result.loses)}`,
    `  ${result.clause}`,
    `  ${verdict.why}`,
    ...(hidden === 0 ? [] : [paint('dim', `  … ${hidden} exchanges before these`)]),
    ...shown.flatMap((exchange) => exchangeText(exchange, paint)),
    ...(again === '' ? [] : [`  again: ${again}`]),
    ...(verdict.repeat === '' ? [] : [`  the last call: ${verdict.repeat}`]),
    '',
  ]
}

function exchangeText({ what, request, answer, durationMs }: Exchange, paint: Paint): string[] {
  const cut = (text: string) => (text.length > MAX_BODY_CHARS ? `${text.slice(0, MAX_BODY_CHARS)} …` : text)
  const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`)
  const came = answer.kind === 'none' ? answer.why : `${answer.status} ${cut(answer.body)}`
  return [
    `  ${paint('bold', what)} ${paint('dim', `${Math.trunc(durationMs)} ms`)}`,
    paint('dim', `    ${request.method} ${request.url}  ${headers.join('  ')}`),
    `    > ${cut(request.body)}`,
    `    < ${came}`,
  ]
}

function notJudgedText({ results }: Report, paint: Paint): string[] {
  const byReason = new Map<string, { ids: string[]; isFault: boolean }>()
  for (const { id, verdict } of results) {
    if (verdict.kind !== 'not judged') continue
    const { ids } = byReason.get(verdict.why) ?? { ids: [] }
    byReason.set(verdict.why, { ids: [...ids, id], isFault: verdict.isFault === true })
  }
  return [...byReason].map(([why, { ids, isFault }]) =>
    paint(isFault ? 'red' : 'yellow', `${isFault ? '✗' : '–'} not judged, ${why}: ${ids.join(', ')}`),
  )
}

/** Known failures, and those that are no more: the list of them should shrink. */
function expectedText(report: Report, paint: Paint): string[] {
  const known = report.results.flatMap(({ id, expected, verdict }) =>
    verdict.kind === 'failed' && expected !== undefined
      ? [`– ${id} fails as expected, ${expected}: ${verdict.why}`]
      : [],
  )
  const gone = needlesslyExpected(report).map(
    ({ id, expected }) => `! ${id} passes, and was expected to fail, ${expected}`,
  )
  return [...known, ...gone].map((line) => paint('yellow', line))
}

/** At the end, where the eye is when the run is over. */
function failedIdsText(report: Report, paint: Paint): string[] {
  return (['MUST', 'SHOULD'] as const).flatMap((level) => {
    const ids = failuresOf(report).flatMap((one) => (one.level === level ? [one.id] : []))
    return ids.length === 0 ? [] : [paint(level === 'MUST' ? 'red' : 'yellow', `failed ${level}: ${ids.join(' ')}`)]
  })
}

function summaryText(report: Report, paint: Paint): string[] {
  const { passed, failedMust, failedShould, failedAsExpected, notJudged } = totalsOf(report)
  const known = failedAsExpected === 0 ? '' : `, ${failedAsExpected} failed as expected`
  const counts = `${passed} passed, ${failedMust} MUST failed, ${failedShould} SHOULD failed${known}, ${notJudged} not judged`
  const end = report.wasInterrupted ? ' Interrupted: this is a part.' : ''
  const seconds = `${Math.trunc(report.durationMs / 100) / 10} s`
  const judge = `judged by purser ${report.kitVersion}; ${report.interfaceVersion}`
  return [
    ...[...report.notes, judge].map((note) => paint('dim', note)),
    paint(isGood(report) ? 'green' : 'red', `${counts} in ${seconds}.${end}`),
  ]
}

const MARKS: Record<Verdict['kind'], string> = { passed: '✓', failed: '✗', 'not judged': '–' }
/** Of a terminal that does not tell. */
const USUAL_COLUMNS = 80
const CLEAR_LINE = '\r\u001b[2K'

export interface Terminal {
  write(text: string): void
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface Progress {
  show(result: CaseResult): void
  end(): void
}

/** One line that is replaced; nothing where lines cannot be replaced. */
export function progressOn(terminal: Terminal, total: number): Progress {
  if (!terminal.isTTY) return { show() {}, end() {} }
  let [done, hasEnded] = [0, false]
  return {
    show({ id, verdict, sentence }) {
      done += 1
      const line = `${done}/${total} ${MARKS[verdict.kind]} ${id} ${sentence}`
      terminal.write(CLEAR_LINE + line.slice(0, Math.max(20, (terminal.columns || USUAL_COLUMNS) - 1)))
    },
    end() {
      if (!hasEnded) terminal.write(CLEAR_LINE)
      hasEnded = true
    },
  }
}
