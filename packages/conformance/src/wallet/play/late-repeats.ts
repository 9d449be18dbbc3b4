/**
 * Repeats each accepted call at the end of a run, byte for byte.
 *
 * A repeat must have no effect, however late it arrives. The cases repeat their own calls within
 * milliseconds. By the end of the run, a wallet's cache of idempotency keys has had time to expire.
 */
import type { BetOperation } from '@purser/protocol/operation'
import type { Exchange } from '../../http-exchange.ts'
import { type AcceptedCall, isCarriedOut } from '../case/accepted-call.ts'
import { type CasePlay, createKitCaller, listHolders } from '../case/call-plan.ts'
import { retryCall } from '../case/call-retry.ts'
import { type LateRepeatRule, REPEAT_STAGES, type RepeatStage } from '../case/wallet-case.ts'
import { type AnswerMeaning, describeAnswer, interpretAnswer } from './answer-meaning.ts'
import type { CaseFinding } from './case-finding.ts'

export interface LateRepeatFinding extends CaseFinding {
  readonly exchanges: readonly Exchange[]
}

/** By rule: the number of judged calls, and the findings. */
export type LateRepeatFindings = ReadonlyMap<LateRepeatRule, { seen: number; readonly findings: LateRepeatFinding[] }>

export async function repeatAcceptedCalls(
  plays: readonly CasePlay[],
  atOnce: number,
  signal?: AbortSignal,
): Promise<LateRepeatFindings> {
  const found = new Map([...REPEAT_STAGES, 'same answer' as const].map((rule) => [rule, { seen: 0, findings: [] }]))
  const work = (play: CasePlay) => repeatCasePlay(play, found, signal)
  await runPerPlayer(plays, atOnce, work)
  return found
}

/** Cases that share a player run one after another, and at most `atOnce` cases run in parallel. */
function runPerPlayer(
  plays: readonly CasePlay[],
  atOnce: number,
  work: (play: CasePlay) => Promise<void>,
): Promise<void> {
  const queue = [...plays]
  const running = new Set<CasePlay>()
  const usersOf = ({ players }: CasePlay) => [...players.values()].map(({ userId }) => userId)
  const isFree = (play: CasePlay) => {
    const busy = new Set([...running].flatMap(usersOf))
    return usersOf(play).every((userId) => !busy.has(userId))
  }
  return new Promise((resolve, reject) => {
    const begin = () => {
      for (let index = queue.findIndex(isFree); index >= 0 && running.size < atOnce; index = queue.findIndex(isFree)) {
        const [play] = queue.splice(index, 1) as [CasePlay]
        running.add(play)
        work(play).then(() => end(play), reject)
      }
      if (running.size === 0) resolve()
    }
    const end = (play: CasePlay) => {
      running.delete(play)
      begin()
    }
    begin()
  })
}

async function repeatCasePlay(play: CasePlay, found: LateRepeatFindings, signal?: AbortSignal): Promise<void> {
  const balances = new Map<string, bigint>()
  const calls = selectLateCalls(play.accepted)
  if (calls.length === 0) return
  if (!(await readBalances(play, balances))) return
  for (const stage of REPEAT_STAGES) {
    const mine = calls.filter((call) => call.stage === stage)
    if (mine.length === 0) continue
    signal?.throwIfAborted()
    await repeatStage(play, mine, balances, found)
  }
}

/** False if a balance is unknown, so that no repeat can be judged. */
async function readBalances(play: CasePlay, balances: Map<string, bigint>): Promise<boolean> {
  for (const [key, holder] of listHolders(play)) {
    const near = balances.get(key) ?? play.books.balances.get(key) ?? 0n
    const balance = await play.target.reader.find(holder, near, createKitCaller(play))
    if (typeof balance === 'string') return false
    balances.set(key, balance)
  }
  return true
}

interface LateCall extends AcceptedCall {
  readonly stage: RepeatStage
  /** The bet was rolled back, so other answers are allowed. */
  readonly isCancelled: boolean
}

/**
 * For each bet: the first Place bet, the last Rollback, and all results. The last result is in
 * force.
 */
function selectLateCalls(accepted: readonly AcceptedCall[]): LateCall[] {
  return [...new Set(accepted.map(({ bet }) => bet))].flatMap((bet) => {
    const calls = accepted.filter((call) => call.bet === bet)
    const of = (...operations: BetOperation[]) => calls.filter(({ operation }) => operations.includes(operation))
    const results = of('settle', 'unsettle')
    const last = results.at(-1)
    const isCancelled = of('rollback').length > 0
    const staged: [RepeatStage, AcceptedCall | undefined][] = [
      ['place', of('place')[0]],
      ['rollback', of('rollback').at(-1)],
      [last?.operation === 'unsettle' ? 'unsettle' : 'settle', last],
      ...results.slice(0, -1).map((call): [RepeatStage, AcceptedCall] => ['older', call]),
    ]
    return staged.flatMap(([stage, call]) => (call === undefined ? [] : [{ ...call, stage, isCancelled }]))
  })
}

async function repeatStage(
  play: CasePlay,
  calls: readonly LateCall[],
  balances: Map<string, bigint>,
  found: LateRepeatFindings,
): Promise<void> {
  const begin = play.journal.length
  const judge = (rule: LateRepeatRule, why: string | undefined, blamed: Exchange | undefined) =>
    recordFinding(found.get(rule), why && { why, ...(blamed && { blamed }), exchanges: play.journal.slice(begin) })
  let last: Exchange | undefined
  for (const call of calls) {
    last = await resendCall(play, call)
    const answer = interpretAnswer(last)
    judge(call.stage, findRefusal(call, answer), last)
    if (!call.isCancelled) judge('same answer', findDifference(call, answer), last)
  }
  const [{ stage }] = calls as [LateCall]
  const moved = await findBalanceChange(play, balances)
  if (moved === undefined) return
  const names = [...new Set(calls.map(({ name }) => name))].join(' + ')
  judge(stage, `${names}, again at the end of ${play.caseId}: accepted, and then ${moved}`, last)
  await readBalances(play, balances)
}

async function resendCall(play: CasePlay, { name, operation, request }: AcceptedCall): Promise<Exchange> {
  await play.target.sender.acquire(1)
  const attempt = async () => {
    const exchange = await play.target.sender.send(`${name}, again at the end`, request)
    play.journal.push(exchange)
    return exchange
  }
  return retryCall(play, operation, attempt, (exchange) => interpretAnswer(exchange).kind === 'accepted')
}

function recordFinding(
  entry: { seen: number; readonly findings: LateRepeatFinding[] } | undefined,
  finding: LateRepeatFinding | '' | undefined,
): void {
  if (entry === undefined) return
  entry.seen += 1
  if (finding) entry.findings.push(finding)
}

/**
 * The repeat of a Rollback or of the result in force must succeed. A cashout is exempt, because its
 * token may have ended.
 */
function findRefusal(
  { stage, operation, name, isCashout, isCancelled }: LateCall,
  answer: AnswerMeaning,
): string | undefined {
  const mustBeDone = stage === 'rollback' || (stage === 'settle' && !isCashout && !isCancelled)
  if (!mustBeDone || isCarriedOut(operation, answer)) return undefined
  return `${name}, again at the end: ${describeAnswer(answer)}; it had to be accepted`
}

function findDifference({ name, answer: first }: LateCall, answer: AnswerMeaning): string | undefined {
  const [now, then] = [describeFully(answer), describeFully(first)]
  return now === then ? undefined : `${name}, again at the end: ${now}; it had to be as at first, ${then}`
}

function describeFully(answer: AnswerMeaning): string {
  const time = answer.kind === 'accepted' ? answer.body.transactionTime : undefined
  return [describeAnswer(answer), ...(time === undefined ? [] : [`transactionTime ${time}`])].join(', ')
}

async function findBalanceChange(play: CasePlay, balances: ReadonlyMap<string, bigint>): Promise<string | undefined> {
  for (const [key, holder] of listHolders(play)) {
    const now = await play.target.reader.match(holder, [balances.get(key) ?? 0n], createKitCaller(play))
    if (typeof now === 'object') return now.problem
  }
  return undefined
}
