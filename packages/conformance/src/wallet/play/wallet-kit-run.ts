/**
 * A run of the wallet kit: cases in parallel, then late repeats, then rules for the form of the
 * answers, then the report.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@purser/runtime/clock'
import { systemClock } from '@purser/runtime/clock'
import { UnavailableError } from '@purser/runtime/errors/cli-errors'
import type { ExtraHeaders } from '@purser/runtime/network/extra-headers'
import { toCaseResult } from '../../case-facts.ts'
import { KIT_VERSIONS } from '../../clauses.ts'
import type { ReceivedAnswer } from '../../http-exchange.ts'
import { type CallRateLimiter, NO_RATE_LIMIT } from '../../rate-limiter.ts'
import type { CaseResult, CaseVerdict, ConformanceReport } from '../../reports/conformance-report.ts'
import type { CasePlay, WalletUnderTest } from '../case/call-plan.ts'
import { buildSignedRequest, createUnknownToken, selectAccount } from '../case/signed-request.ts'
import { balanceStep, checkStep, profileStep } from '../case/step-builders.ts'
import type { LateRepeatCase, LintCase, StepCase, WalletCase } from '../case/wallet-case.ts'
import { WALLET_CASES } from '../cases/wallet-cases.ts'
import { type FixturePlayer, OperatorApiError, type PlayerFixtures } from '../players/player-fixtures.ts'
import { type AnswerLinter, createAnswerLinter } from './answer-lint.ts'
import { callBalanceReader, probeBalanceReader } from './balance-reader.ts'
import { addClause } from './case-finding.ts'
import { failedVerdict, runCase } from './case-runner.ts'
import { type LateRepeatFindings, repeatAcceptedCalls } from './late-repeats.ts'
import { createRequestSender, type RequestSender } from './request-sender.ts'
import { requireAcceptedSecret } from './secret-check.ts'

export interface WalletKitOptions {
  readonly baseUrl: string
  readonly secret: string
  readonly fixtures: PlayerFixtures
  /** Absent: all cases. */
  readonly cases?: readonly WalletCase[]
  readonly headers?: ExtraHeaders
  readonly pace?: CallRateLimiter
  readonly isStrict?: boolean
  /** Milliseconds between the last case and the late repeats (late-repeats.ts). Default: 0. */
  readonly lateRepeatDelayMs?: number
  /** Replaces the timer in tests. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Ends the run. The remaining cases are not judged. */
  readonly signal?: AbortSignal
  readonly onResult?: (result: CaseResult) => void
  readonly clock?: Clock
}

/** No server answers at the address. */
export class TargetUnavailableError extends UnavailableError {}

const isStepCase = (one: WalletCase): one is StepCase => 'steps' in one

/**
 * Rejects with UnavailableError or UsageError before the first case. Later problems are verdicts.
 */
export async function runWalletKit(options: WalletKitOptions): Promise<ConformanceReport> {
  const { baseUrl, clock = systemClock, headers = {}, pace = NO_RATE_LIMIT } = options
  const startedAt = clock.now()
  const start = performance.now()
  const sender = createRequestSender({ baseUrl, clock, headers, pace })
  try {
    const { results, notes } = await probeAndJudge(options, sender)
    return {
      ...{ judged: 'wallet', ...KIT_VERSIONS, target: baseUrl, command: '', startedAt, results, notes },
      durationMs: performance.now() - start,
      wasInterrupted: options.signal?.aborted ?? false,
      isStrict: options.isStrict ?? false,
    }
  } finally {
    await sender.close()
  }
}

async function probeAndJudge(
  options: WalletKitOptions,
  sender: RequestSender,
): Promise<Pick<ConformanceReport, 'results' | 'notes'>> {
  const linter = createAnswerLinter()
  try {
    const target = await probeWallet(options, sender, linter)
    return { results: await judgeAll(options, target, linter), notes: describeRun(options, target) }
  } catch (error) {
    if (!(error instanceof OperatorApiError)) throw error
    const { cases = WALLET_CASES } = options
    const verdict = { kind: 'not judged', why: error.message, isFault: true } as const
    return { results: cases.map((one) => toCaseResult(one, verdict, 0)), notes: [] }
  }
}

function describeRun(
  { fixtures, lateRepeatDelayMs: repeatDelayMs = 0 }: WalletKitOptions,
  { notes }: ProbedWallet,
): string[] {
  return [
    fixtures.areDisposable ? 'players: made over the operator API' : 'players: from the fixtures file',
    ...notes,
    ...(repeatDelayMs > 0 ? [`all repeated at the end, after ${repeatDelayMs / 1_000} s`] : []),
  ]
}

interface ProbedWallet extends WalletUnderTest {
  readonly notes: readonly string[]
  readonly plays: readonly CasePlay[]
}

/** Checks that the wallet answers, and which optional calls it has. */
async function probeWallet(
  { secret, fixtures }: WalletKitOptions,
  sender: RequestSender,
  linter: AnswerLinter,
): Promise<ProbedWallet> {
  const lease = await fixtures.lease('ordinary', [])
  const { A } = lease.players
  const sendCall = async (call: ReturnType<typeof profileStep>) => {
    await sender.acquire(1)
    return sender.send('greeting', buildSignedRequest(call, greetingParts(A), secret))
  }
  const first = await sendCall(profileStep())
  await requireAcceptedSecret(first, () => sendCall({ ...profileStep(), signature: 'wrong secret' }))
  const hello = first.answer
  const [money, status] = [(await sendCall(balanceStep())).answer, (await sendCall(checkStep())).answer]
  lease.release([A])
  if (hello.kind === 'none') throw new TargetUnavailableError(`the wallet does not answer: ${hello.why}`)
  const hasBalance = money.kind === 'some' && money.status === 200
  const hasCheck = status.kind === 'some' && ![404, 405, 501].includes(status.status)
  const plays: CasePlay[] = []
  return {
    ...{ plays, addFinished: (play: CasePlay) => void plays.push(play) },
    ...{ sender, secret, reader: hasBalance ? callBalanceReader : probeBalanceReader, inspect: linter.inspect },
    has: [...(hasBalance ? ['/user/balance'] : []), ...(hasCheck ? ['/payment/check'] : [])],
    notes: [
      hasBalance
        ? 'balances: read with /user/balance'
        : `balances: probed with bets; /user/balance: ${summarizeAnswer(money)}`,
      ...(hasCheck ? [] : [`/payment/check: ${summarizeAnswer(status)}`]),
      ...(hello.status === 200
        ? []
        : [`the first User data: ${summarizeAnswer(hello)}; are the secret and the token right?`]),
    ],
  }
}

/** Characters of an answer in a note. */
const MAX_NOTE_CHARS = 100

function summarizeAnswer(answer: ReceivedAnswer): string {
  return answer.kind === 'none' ? answer.why : `${answer.status} ${answer.body.slice(0, MAX_NOTE_CHARS)}`.trim()
}

function greetingParts(player: FixturePlayer) {
  const { userId, operatorUser, token } = player
  const account = selectAccount(player, balanceStep())
  return {
    requestId: crypto.randomUUID(),
    betId: createUnknownToken().slice(0, 36),
    userId,
    operatorUser,
    token,
    account,
    amount: undefined,
  }
}

async function judgeAll(options: WalletKitOptions, target: ProbedWallet, linter: AnswerLinter): Promise<CaseResult[]> {
  const { cases = WALLET_CASES, onResult } = options
  const results = new Map<string, CaseResult>()
  const recordResult = (result: CaseResult) => {
    results.set(result.id, result)
    if (cases.some(({ id }) => id === result.id)) onResult?.(result)
  }
  const isAboutAll = cases.some((one) => !isStepCase(one))
  await playAll(options, (isAboutAll ? WALLET_CASES : cases).filter(isStepCase), target, recordResult)
  const late = cases.some((one) => 'late' in one) ? await runLateRepeats(options, target) : 'no case asks for it'
  for (const one of cases) {
    if ('rule' in one) recordResult(toCaseResult(one, judgeLintCase(one, linter), 0))
    if ('late' in one) recordResult(toCaseResult(one, judgeLateCase(one, late), 0))
  }
  return cases.flatMap(({ id }) => results.get(id) ?? [])
}

async function playAll(
  { fixtures, signal }: WalletKitOptions,
  cases: readonly StepCase[],
  target: WalletUnderTest,
  recordResult: (result: CaseResult) => void,
): Promise<void> {
  const queue = [...cases]
  const notJudged = (one: StepCase, why: string) => recordResult(toCaseResult(one, { kind: 'not judged', why }, 0))
  const work = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      if (signal?.aborted) notJudged(one, 'the run was interrupted')
      else recordResult(await runOrStop(one, target, fixtures, signal))
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, fixtures.capacity) }, work))
}

async function runOrStop(
  one: StepCase,
  target: WalletUnderTest,
  fixtures: PlayerFixtures,
  signal: AbortSignal | undefined,
): Promise<CaseResult> {
  try {
    return await runCase(one, target, fixtures, signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    return toCaseResult(one, { kind: 'not judged', why: 'the run was interrupted' }, 0)
  }
}

function judgeLintCase(one: LintCase, linter: AnswerLinter): CaseVerdict {
  const { seen, bad, examples } = linter.findings(one.rule)
  if (seen === 0) return { kind: 'not judged', why: 'the wallet sent no such answer' }
  const [first] = examples
  if (first === undefined) return { kind: 'passed' }
  const exchanges = examples.map(({ exchange }) => exchange)
  const { exchange: blamed, why: problem } = examples.at(-1) ?? first
  const why = `${blamed.what}: ${problem}; ${bad} of ${seen} answers are so`
  return failedVerdict(addClause({ why, blamed }, one), exchanges)
}

const INTERRUPTED = 'the run was interrupted'

/** Returns a text if there are no repeats. */
async function runLateRepeats(
  options: WalletKitOptions,
  { plays }: ProbedWallet,
): Promise<LateRepeatFindings | string> {
  const { fixtures, signal, lateRepeatDelayMs: repeatDelayMs = 0, wait = sleepUnlessAborted } = options
  try {
    if (repeatDelayMs > 0) await wait(repeatDelayMs, signal)
    return signal?.aborted ? INTERRUPTED : await repeatAcceptedCalls(plays, fixtures.capacity, signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    return INTERRUPTED
  }
}

async function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal })
}

function judgeLateCase(one: LateRepeatCase, found: LateRepeatFindings | string): CaseVerdict {
  if (typeof found === 'string') return { kind: 'not judged', why: found }
  const { seen = 0, findings = [] } = found.get(one.late) ?? {}
  if (seen === 0)
    return { kind: 'not judged', why: 'the wallet accepted no such call of a player whose balance is known' }
  const [first] = findings
  if (first === undefined) return { kind: 'passed' }
  const more = findings.length === 1 ? '' : `; ${findings.length - 1} more such calls`
  return failedVerdict(addClause({ ...first, why: first.why + more }, one), first.exchanges)
}
