/** Terminal text of a report, and the progress line of a run. */
import { styleText } from 'node:util'
import {
  type CaseResult,
  type CaseVerdict,
  type ConformanceReport,
  countVerdicts,
  findUnexpectedFailures,
  findUnexpectedPasses,
  isCertified,
  isGood,
} from './conformance-report.ts'
import { groupByCause } from './failure-causes.ts'
import { formatCause, formatFailure, type ReportPaint } from './failure-text.ts'
import { toPrintableReport } from './printable-report.ts'
import { describeRunVerdict, formatNotJudged } from './run-verdict.ts'

export const plainReportPaint: ReportPaint = (_style, text) => text
export const colouredReportPaint: ReportPaint = (style, text) => styleText(style, text, { validateStream: false })

/** `isVerbose` shows all calls of each failed case, including the kit's own. */
export function formatTerminalReport(raw: ConformanceReport, paint: ReportPaint, isVerbose = false): string {
  const report = toPrintableReport(raw)
  const failed = findUnexpectedFailures(report)
  const failures = isVerbose
    ? failed.flatMap((result) => formatFailure(report, result, paint))
    : groupByCause(failed).flatMap((cause) => formatCause(cause, paint))
  return [
    ...failures,
    ...(isVerbose ? [] : rerunHint(report, failed)),
    ...notJudgedText(report, paint),
    ...expectedText(report, paint),
    ...failedIdsText(report, paint),
    ...summaryText(report, paint),
  ].join('\n')
}

function rerunHint({ command }: ConformanceReport, [first]: readonly CaseResult[]): string[] {
  if (first === undefined || command === '') return []
  return [`one case again, with all of its calls: ${command} --only ${first.id} --verbose`, '']
}

function notJudgedText({ results }: ConformanceReport, paint: ReportPaint): string[] {
  const byReason = new Map<string, { ids: string[]; isFault: boolean }>()
  for (const { id, verdict } of results) {
    if (verdict.kind !== 'not judged') continue
    const { ids } = byReason.get(verdict.why) ?? { ids: [] }
    byReason.set(verdict.why, { ids: [...ids, id], isFault: verdict.isFault === true })
  }
  return [...byReason].map(([why, { ids, isFault }]) =>
    paint(isFault ? 'red' : 'yellow', `${isFault ? '✗' : '–'} skipped, ${why}: ${ids.join(', ')}`),
  )
}

/** Expected failures, and listed cases that pass, so that the list can shrink. */
function expectedText(report: ConformanceReport, paint: ReportPaint): string[] {
  const known = report.results.flatMap(({ id, expected, verdict }) =>
    verdict.kind === 'failed' && expected !== undefined
      ? [`– ${id} fails as expected, ${expected}: ${verdict.why}`]
      : [],
  )
  const gone = findUnexpectedPasses(report).map(
    ({ id, expected }) => `! ${id} passes, but was expected to fail, ${expected}`,
  )
  return [...known, ...gone].map((line) => paint('yellow', line))
}

/** At the end, where the user looks after the run. */
function failedIdsText(report: ConformanceReport, paint: ReportPaint): string[] {
  return (['MUST', 'SHOULD'] as const).flatMap((level) => {
    const ids = findUnexpectedFailures(report).flatMap((one) => (one.level === level ? [one.id] : []))
    return ids.length === 0 ? [] : [paint(level === 'MUST' ? 'red' : 'yellow', `failed ${level}: ${ids.join(' ')}`)]
  })
}

function summaryText(report: ConformanceReport, paint: ReportPaint): string[] {
  const { passed, failedMust, failedShould, failedAsExpected, notJudged } = countVerdicts(report)
  const known = failedAsExpected === 0 ? '' : `, ${failedAsExpected} failed as expected`
  const counts = `${passed} passed, ${failedMust} MUST failed, ${failedShould} SHOULD failed${known}, ${notJudged} skipped`
  const end = report.wasInterrupted ? ' Interrupted: this is a part.' : ''
  const seconds = `${Math.trunc(report.durationMs / 100) / 10} s`
  const judge = `judged by purser ${report.kitVersion}; ${report.interfaceVersion}`
  return [
    ...[...report.notes, judge].map((note) => paint('dim', note)),
    `${counts} in ${seconds}.${end}`,
    ...formatNotJudged(report).map((line) => paint('yellow', line)),
    paint(
      isCertified(report) ? 'green' : isGood(report) ? 'yellow' : 'red',
      `${capitalize(describeRunVerdict(report))}.`,
    ),
  ]
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const MARKS: Record<CaseVerdict['kind'], string> = { passed: '✓', failed: '✗', 'not judged': '–' }
/** For a terminal that does not report its width. */
const USUAL_COLUMNS = 80
const CLEAR_LINE = '\r\u001b[2K'

export interface ReportTerminal {
  write(text: string): void
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface CaseProgress {
  show(result: CaseResult): void
  end(): void
}

/** A terminal that cannot replace lines shows nothing. */
export function createCaseProgress(terminal: ReportTerminal, total: number): CaseProgress {
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
