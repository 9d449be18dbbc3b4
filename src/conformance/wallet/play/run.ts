/** The whole kit against one wallet: cases side by side, then the form of all answers, then the report. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../runtime/clock.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { Headers } from '../../../runtime/headers.ts'
import { Unreachable } from '../../../runtime/wrong-use.ts'
import { toResult } from '../../case-facts.ts'
import type { ReceivedAnswer } from '../../exchange.ts'
import { type Pace, UNPACED } from '../../pace.ts'
import type { CaseResult, Report, Verdict } from '../../report/report.ts'
import { VERSIONS } from '../../report/versions.ts'
import type { Case, GatheredCase, LateCase, PlayedCase } from '../case/case.ts'
import type { Play, Target } from '../case/plan.ts'
import { accountOf, planRequest, unknownToken } from '../case/request.ts'
import { balance, check, profile } from '../case/words.ts'
import { CASES } from '../cases/all.ts'
import { type Fixtures, OperatorFailed, type Player } from '../players/players.ts'
import { callReader, probeReader } from './balance.ts'
import { withClause } from './finding.ts'
import { requireSecret } from './first-answer.ts'
import { type LateFindings, repeatAll } from './late.ts'
import { createLinter, type Linter } from './lint.ts'
import { failed, runCase } from './run-case.ts'
import { createSender, type Sender } from './sender.ts'

export interface KitOptions {
  readonly baseUrl: string
  readonly secret: string
  readonly fixtures: Fixtures
  /** All cases when absent. */
  readonly cases?: readonly Case[]
  readonly headers?: Headers
  readonly pace?: Pace
  readonly isStrict?: boolean
  /** Milliseconds between the last case and the repeats of all of them (late.ts); 0 when absent. */
  readonly patienceMs?: number
  /** Waits so long, unless said otherwise. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Ends the run; what is not judged by then is not judged. */
  readonly signal?: AbortSignal
  readonly onResult?: (result: CaseResult) => void
  readonly clock?: Clock
}

/** Nothing answers at the address. */
export class TargetUnreachable extends Unreachable {}

const isPlayed = (one: Case): one is PlayedCase => 'steps' in one

/** Rejects with Unreachable or WrongUse before the first case; after that all is a verdict. */
export async function runKit(options: KitOptions): Promise<Report> {
  const { baseUrl, clock = systemClock, headers = {}, pace = UNPACED } = options
  const startedAt = clock.now()
  const start = performance.now()
  const sender = createSender({ baseUrl, clock, headers, pace })
  try {
    const { results, notes } = await meetAndJudge(options, sender)
    return {
      ...{ judged: 'wallet', ...VERSIONS, target: baseUrl, command: '', startedAt, results, notes },
      durationMs: performance.now() - start,
      wasInterrupted: options.signal?.aborted ?? false,
      isStrict: options.isStrict ?? false,
    }
  } finally {
    await sender.close()
  }
}

async function meetAndJudge(options: KitOptions, sender: Sender): Promise<Pick<Report, 'results' | 'notes'>> {
  const linter = createLinter()
  try {
    const target = await meet(options, sender, linter)
    return { results: await judgeAll(options, target, linter), notes: notesOn(options, target) }
  } catch (error) {
    if (!(error instanceof OperatorFailed)) throw error
    const { cases = CASES } = options
    const verdict = { kind: 'not judged', why: error.message, isFault: true } as const
    return { results: cases.map((one) => toResult(one, verdict, 0)), notes: [] }
  }
}

function notesOn({ fixtures, patienceMs = 0 }: KitOptions, { notes }: Met): string[] {
  return [
    fixtures.areThrownAway ? 'players: made over the operator API' : 'players: from the fixtures file',
    ...notes,
    ...(patienceMs > 0 ? [`all repeated at the end, after ${patienceMs / 1_000} s`] : []),
  ]
}

interface Met extends Target {
  readonly notes: readonly string[]
  /** What is over. */
  readonly plays: readonly Play[]
}

/** Finds out whether anybody is there, and which of the optional calls there are. */
async function meet({ secret, fixtures }: KitOptions, sender: Sender, linter: Linter): Promise<Met> {
  const lease = await fixtures.lease('ordinary', [])
  const { A } = lease.players
  const ask = async (call: ReturnType<typeof profile>) => {
    await sender.turn(1)
    return sender.send('greeting', planRequest(call, greeting(A), secret))
  }
  const first = await ask(profile())
  await requireSecret(first, () => ask({ ...profile(), signature: 'wrong secret' }))
  const hello = first.answer
  const [money, status] = [(await ask(balance())).answer, (await ask(check())).answer]
  lease.giveBack([A])
  if (hello.kind === 'none') throw new TargetUnreachable(`the wallet does not answer: ${hello.why}`)
  const hasBalance = money.kind === 'some' && money.status === 200
  const hasCheck = status.kind === 'some' && ![404, 405, 501].includes(status.status)
  const plays: Play[] = []
  return {
    ...{ plays, keep: (play: Play) => void plays.push(play) },
    ...{ sender, secret, reader: hasBalance ? callReader : probeReader, look: linter.look },
    has: [...(hasBalance ? ['/user/balance'] : []), ...(hasCheck ? ['/payment/check'] : [])],
    notes: [
      hasBalance ? 'balances: read with /user/balance' : `balances: probed with bets; /user/balance: ${shortly(money)}`,
      ...(hasCheck ? [] : [`/payment/check: ${shortly(status)}`]),
      ...(hello.status === 200 ? [] : [`the first User data: ${shortly(hello)}; are the secret and the token right?`]),
    ],
  }
}

/** Characters of an answer in a note. */
const MAX_NOTE_CHARS = 100

function shortly(answer: ReceivedAnswer): string {
  return answer.kind === 'none' ? answer.why : `${answer.status} ${answer.body.slice(0, MAX_NOTE_CHARS)}`.trim()
}

function greeting(player: Player) {
  const { userId, operatorUser, token } = player
  const account = accountOf(player, balance())
  return {
    requestId: crypto.randomUUID(),
    betId: unknownToken().slice(0, 36),
    userId,
    operatorUser,
    token,
    account,
    amount: undefined,
  }
}

async function judgeAll(options: KitOptions, target: Met, linter: Linter): Promise<CaseResult[]> {
  const { cases = CASES, onResult } = options
  const results = new Map<string, CaseResult>()
  const keep = (result: CaseResult) => {
    results.set(result.id, result)
    if (cases.some(({ id }) => id === result.id)) onResult?.(result)
  }
  const isAboutAll = cases.some((one) => !isPlayed(one))
  await playAll(options, (isAboutAll ? CASES : cases).filter(isPlayed), target, keep)
  const late = cases.some((one) => 'late' in one) ? await judgeLate(options, target) : 'no case asks for it'
  for (const one of cases) {
    if ('rule' in one) keep(toResult(one, gathered(one, linter), 0))
    if ('late' in one) keep(toResult(one, lateVerdict(one, late), 0))
  }
  return cases.flatMap(({ id }) => results.get(id) ?? [])
}

async function playAll(
  { fixtures, signal }: KitOptions,
  cases: readonly PlayedCase[],
  target: Target,
  keep: (result: CaseResult) => void,
): Promise<void> {
  const queue = [...cases]
  const notJudged = (one: PlayedCase, why: string) => keep(toResult(one, { kind: 'not judged', why }, 0))
  const work = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      if (signal?.aborted) notJudged(one, 'the run was interrupted')
      else keep(await runOrStop(one, target, fixtures, signal))
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, fixtures.capacity) }, work))
}

async function runOrStop(
  one: PlayedCase,
  target: Target,
  fixtures: Fixtures,
  signal: AbortSignal | undefined,
): Promise<CaseResult> {
  try {
    return await runCase(one, target, fixtures, signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    return toResult(one, { kind: 'not judged', why: 'the run was interrupted' }, 0)
  }
}

function gathered(one: GatheredCase, linter: Linter): Verdict {
  const { seen, bad, examples } = linter.findings(one.rule)
  if (seen === 0) return { kind: 'not judged', why: 'no such answer was seen' }
  const [first] = examples
  if (first === undefined) return { kind: 'passed' }
  const exchanges = examples.map(({ exchange }) => exchange)
  const { exchange: blamed, why: problem } = examples.at(-1) ?? first
  const why = `${blamed.what}: ${problem}; ${bad} of ${seen} answers are so`
  return failed(withClause({ why, blamed }, one), exchanges)
}

const INTERRUPTED = 'the run was interrupted'

/** What the repeats have shown; or why there are none. */
async function judgeLate(options: KitOptions, { plays }: Met): Promise<LateFindings | string> {
  const { fixtures, signal, patienceMs = 0, wait = waitFor } = options
  try {
    if (patienceMs > 0) await wait(patienceMs, signal)
    return signal?.aborted ? INTERRUPTED : await repeatAll(plays, fixtures.capacity, signal)
  } catch (error) {
    if (!signal?.aborted) throw error
    return INTERRUPTED
  }
}

async function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal })
}

function lateVerdict(one: LateCase, found: LateFindings | string): Verdict {
  if (typeof found === 'string') return { kind: 'not judged', why: found }
  const { seen = 0, findings = [] } = found.get(one.late) ?? {}
  if (seen === 0) return { kind: 'not judged', why: 'no such call was accepted of a player whose balance is known' }
  const [first] = findings
  if (first === undefined) return { kind: 'passed' }
  const more = findings.length === 1 ? '' : `; ${findings.length - 1} more such calls`
  return failed(withClause({ ...first, why: first.why + more }, one), first.exchanges)
}
