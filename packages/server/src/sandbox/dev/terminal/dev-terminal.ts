/**
 * Output of `purser dev`: one line for each call with its verdict, or one JSON object a line. A
 * wrong call is followed by the clause, the loss, the remedy and a curl command, once for each
 * cause.
 */
import type { Verdict, VerdictSum } from '@purser/conformance/verdict/live-verdict'
import { OPERATION_NAMES } from '@purser/conformance/wallet/case/call-name'
import { formatMoney, parseDecimal, STANDARD_SCALES } from '@purser/protocol/values/money'
import { printableLine } from '@purser/runtime/text/printable-text'
import { wrapForTerminal } from '@purser/runtime/text/text-wrapping'
import { toShortBetId } from '../../bettors/bet-steps.ts'
import { createScreen, type ScreenColour, type ScreenOutput } from '../../screen.ts'
import type { LiveCall, LiveCallListener, LiveCallVerdict } from '../../wire/live-call-log.ts'
import { type DevCounts, formatDevSum } from './dev-sum.ts'

export interface DevTerminal {
  readonly listener: LiveCallListener
  note(sentence: string): void
  /** The end: the counts, the causes, and what to do next. Nothing is printed after it. */
  sum(sum: VerdictSum, counts: DevCounts, advice: readonly string[]): void
}

export interface DevTerminalOptions {
  readonly output: ScreenOutput
  readonly noColour: boolean
  readonly isJson: boolean
}

type Line = (text: string, colour?: ScreenColour) => void

export function createDevTerminal({ output: given, noColour, isJson }: DevTerminalOptions): DevTerminal {
  let isOver = false
  const output: ScreenOutput = {
    ...{ isTTY: given.isTTY === true, ...(given.columns !== undefined && { columns: given.columns }) },
    write: (text) => isOver || given.write(text),
  }
  const terminal = isJson ? createJsonTerminal(output) : createLineTerminal(output, noColour)
  return {
    ...terminal,
    sum(...end) {
      terminal.sum(...end)
      isOver = true
    },
  }
}

function createLineTerminal(output: ScreenOutput, noColour: boolean): DevTerminal {
  const screen = createScreen(output, noColour)
  const line: Line = (text, colour) => {
    const safe = printableLine(text)
    screen.line(colour === undefined ? safe : screen.paint(colour, safe))
  }
  const explained = new Set<string>()
  const slow = createSlowCallWatch((call) => line(`${formatCall(call)}  ${GIVEN_UP}`, 'yellow'))
  let lastProblem: string | undefined
  return {
    listener: {
      sent: (call) => slow.start(call),
      ended(call, verdicts) {
        slow.end(call)
        const problem = findFirstCallProblem(call, verdicts)
        if (problem === undefined) printCall(line, call, verdicts, explained)
        else if (problem !== lastProblem) line(formatCall(call), 'red')
        lastProblem = problem
      },
    },
    note: (sentence) => wrapForTerminal(sentence).forEach((part) => void line(part, 'bold')),
    sum(sum, counts, advice) {
      for (const text of [...formatDevSum(sum, counts), '', ...advice]) line(text)
    },
  }
}

/** Milliseconds that a platform waits for an answer. */
const PLATFORM_WAIT_MS = 5_000
const GIVEN_UP = 'the wallet has not answered for 5 s, after which a platform gives up'

/** Reports a call that stays without an answer, while the wallet may still work on it. */
function createSlowCallWatch(report: (call: LiveCall) => void) {
  const timers = new Map<LiveCall, NodeJS.Timeout>()
  return {
    start(call: LiveCall): void {
      timers.set(call, setTimeout(() => report(call), PLATFORM_WAIT_MS).unref())
    },
    end(call: LiveCall): void {
      clearTimeout(timers.get(call))
      timers.delete(call)
    },
  }
}

/**
 * The answer of User data for a token without a known player, if it cannot be used. A sentence
 * about the address, the secret or the token explains it better than a verdict.
 */
function findFirstCallProblem(call: LiveCall, [own]: readonly LiveCallVerdict[]): string | undefined {
  const { operation, player, status, code } = call
  if (operation !== 'profile' || player !== '' || own?.verdict.kind === 'right') return undefined
  return `${status ?? 'no answer'} ${code ?? ''}`
}

function createJsonTerminal(output: ScreenOutput): DevTerminal {
  const print = (value: object) => output.write(`${JSON.stringify(value)}\n`)
  return {
    listener: {
      ended(call, verdicts) {
        print({ event: 'call', ...call })
        for (const { call: about, verdict } of verdicts.slice(1))
          print({ event: 'verdict', about: about?.number, verdict })
      },
    },
    note: (sentence) => print({ event: 'note', sentence }),
    sum: (sum, counts) => print({ event: 'sum', ...sum, ...counts }),
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
  const { operation, betId, durationMs, trouble, resultType, isAgain } = call
  const money = formatCallMoney(call)
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

/** With the decimals of the currency; an amount with more decimals is shown as it was sent. */
function formatCallMoney({ amount, currency = '' }: LiveCall): string {
  if (amount === undefined) return ''
  const scale = STANDARD_SCALES.get(currency)
  const units = scale === undefined ? undefined : parseDecimal(amount, scale)
  return `${units === undefined || scale === undefined ? amount : formatMoney(units, scale)} ${currency}`.trim()
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
const NO_ANSWER = 'Look at the log of the wallet: a handler that throws often closes the connection without an answer.'

/** The details of a cause are printed once. */
function explain(line: Line, verdict: Verdict, call: LiveCall | undefined, explained: Set<string>): void {
  const { kind, cause = verdict.sentence, caseId, clause, clauseWords, loses, whom, remedy } = verdict
  const row = (label: string, text: string | undefined) => {
    if (text !== undefined && text !== '') line(`    ${label.padEnd(LABEL_WIDTH)}${text}`)
  }
  if (call?.answer?.kind === 'none' && !explained.has(NO_ANSWER)) {
    explained.add(NO_ANSWER)
    row('to mend', NO_ANSWER)
  }
  if ((kind !== 'wrong' && kind !== 'advice') || explained.has(cause)) return
  explained.add(cause)
  row('clause', clause === undefined ? undefined : clauseWords === undefined ? clause : `${clause}: "${clauseWords}"`)
  row('loses', loses === undefined || whom === undefined ? loses : `${loses} (the ${whom})`)
  row('to mend', remedy)
  row('case', caseId)
  row('repeat', call?.curl)
}
