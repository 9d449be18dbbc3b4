/**
 * Output of `purser dev`: one line for each call with its verdict, or one JSON object a line. A
 * wrong call is followed by the clause, the loss, the remedy and a curl command, once for each
 * cause.
 */
import type { Verdict, VerdictSum } from '@purser/conformance/verdict/live-verdict'
import { OPERATION_NAMES } from '@purser/conformance/wallet/case/call-name'
import { printableLine } from '@purser/runtime/text/printable-text'
import { wrapForTerminal } from '@purser/runtime/text/text-wrapping'
import { toShortBetId } from '../../bettors/bet-steps.ts'
import { createScreen, type ScreenColour, type ScreenOutput } from '../../screen.ts'
import type { LiveCall, LiveCallListener, LiveCallVerdict } from '../../wire/live-call-log.ts'

export interface DevTerminal {
  readonly listener: LiveCallListener
  note(sentence: string): void
  /** The end: the counts, the causes, and what to do next. */
  sum(sum: VerdictSum, advice: string): void
}

export interface DevTerminalOptions {
  readonly output: ScreenOutput
  readonly noColour: boolean
  readonly isJson: boolean
}

type Line = (text: string, colour?: ScreenColour) => void

export function createDevTerminal({ output, noColour, isJson }: DevTerminalOptions): DevTerminal {
  if (isJson) return createJsonTerminal((value) => output.write(`${JSON.stringify(value)}\n`))
  const screen = createScreen(output, noColour)
  const line: Line = (text, colour) => {
    const safe = printableLine(text)
    screen.line(colour === undefined ? safe : screen.paint(colour, safe))
  }
  const explained = new Set<string>()
  return {
    listener: { ended: (call, verdicts) => printCall(line, call, verdicts, explained) },
    note: (sentence) => wrapForTerminal(sentence).forEach((part) => void line(part, 'bold')),
    sum(sum, advice) {
      for (const text of [...formatVerdictSum(sum), '', ...advice.split('\n')]) line(text)
    },
  }
}

function createJsonTerminal(print: (value: object) => void): DevTerminal {
  return {
    listener: {
      ended(call, verdicts) {
        print({ event: 'call', ...call })
        for (const { call: about, verdict } of verdicts.slice(1))
          print({ event: 'verdict', about: about?.number, verdict })
      },
    },
    note: (sentence) => print({ event: 'note', sentence }),
    sum: (sum) => print({ event: 'sum', ...sum }),
  }
}

const COLOURS: Readonly<Partial<Record<Verdict['kind'], ScreenColour>>> = {
  right: 'green',
  wrong: 'red',
  advice: 'yellow',
  undecided: 'dim',
}
const OPERATION_WIDTH = 9
const MONEY_WIDTH = 12
const STATUS_WIDTH = 11
const BET_WIDTH = 6

function printCall(line: Line, call: LiveCall, verdicts: readonly LiveCallVerdict[], explained: Set<string>): void {
  const [own, ...later] = verdicts
  const verdict = own?.verdict
  // A balance is read after each burst of calls, so a right one would only be noise.
  if (call.operation !== 'balance' || (verdict !== undefined && verdict.kind !== 'right')) {
    line(`${formatCall(call)}  ${formatVerdict(verdict, call)}`, verdict && COLOURS[verdict.kind])
    if (verdict !== undefined) explain(line, verdict, call, explained)
  }
  for (const { call: about, verdict: changed } of later) {
    if (changed.kind === 'right') continue
    const name = about === undefined ? 'No single call' : `${OPERATION_NAMES[about.operation]} of ${formatTime(about)}`
    line(`${formatTime(call)}   ${name}: ${formatVerdict(changed, about)}`, COLOURS[changed.kind])
    explain(line, changed, about, explained)
  }
}

function formatTime({ at }: LiveCall): string {
  return at.slice(11, 23)
}

function formatCall(call: LiveCall): string {
  const { operation, betId, amount, currency, durationMs, trouble, resultType, isAgain } = call
  const money = amount === undefined ? '' : `${amount} ${currency ?? ''}`.trim()
  const columns = [
    formatTime(call),
    OPERATION_NAMES[operation].padEnd(OPERATION_WIDTH),
    toShortBetId(betId).padEnd(BET_WIDTH),
    (resultType === undefined ? money : `${resultType} ${money}`).padStart(MONEY_WIDTH),
    `→ ${formatAnswer(call)}`.padEnd(STATUS_WIDTH),
    durationMs === undefined ? '' : `${Math.trunc(durationMs)} ms`.padStart(7),
  ]
  const fault = trouble === undefined ? [] : [`[${isAgain ? `${trouble}, again` : trouble}]`]
  return [...columns, ...fault].join(' ').trimEnd()
}

function formatAnswer({ status, code, request }: LiveCall): string {
  if (request === undefined) return 'not sent'
  if (status === undefined) return 'no answer'
  return code === undefined ? `${status}` : `${status} code ${code}`
}

function formatVerdict(verdict: Verdict | undefined, call: LiveCall | undefined): string {
  if (verdict !== undefined) return `${verdict.kind}: ${verdict.sentence}`
  if (call?.request !== undefined) return ''
  return call?.answer?.kind === 'none'
    ? `the wallet accepts no connection: ${call.answer.why}`
    : 'the fault hit the call before the wallet'
}

const LABEL_WIDTH = 10

/** The details of a cause are printed once. */
function explain(line: Line, verdict: Verdict, call: LiveCall | undefined, explained: Set<string>): void {
  const { kind, cause = verdict.sentence, caseId, clause, clauseWords, loses, whom, remedy } = verdict
  if ((kind !== 'wrong' && kind !== 'advice') || explained.has(cause)) return
  explained.add(cause)
  const row = (label: string, text: string | undefined) => {
    if (text !== undefined && text !== '') line(`    ${label.padEnd(LABEL_WIDTH)}${text}`)
  }
  row('clause', clause === undefined ? undefined : clauseWords === undefined ? clause : `${clause}: "${clauseWords}"`)
  row('loses', loses === undefined || whom === undefined ? loses : `${loses} (the ${whom})`)
  row('to mend', remedy)
  row('case', caseId)
  row('repeat', call?.curl)
}

/** Causes that the end names with their remedies. */
const MAX_FIRST = 3

function formatVerdictSum(sum: VerdictSum): string[] {
  const { calls, right, wrong, advice, undecided, causes } = sum
  const first = causes.slice(0, MAX_FIRST)
  const counts = [
    `${right} right`,
    `${wrong} wrong`,
    ...(advice > 0 ? [`${advice} advised against`] : []),
    ...(undecided > 0 ? [`${undecided} undecided`] : []),
  ]
  return [
    '',
    `${calls} calls: ${counts.join(', ')}.`,
    ...causes.map(
      ({ count, cause, kind, caseId }) =>
        `  ${count} × ${cause}${kind === 'advice' ? ' (advice)' : ''}${caseId === undefined ? '' : `  ${caseId}`}`,
    ),
    ...(first.length > 0 ? ['', first.length === 1 ? 'To mend first:' : `The ${first.length} to mend first:`] : []),
    ...first.flatMap(({ cause, remedy, example }, i) =>
      wrapForTerminal(`  ${i + 1}. ${cause}: ${remedy ?? example.sentence}`),
    ),
  ]
}
