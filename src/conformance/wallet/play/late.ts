/**
 * All that was accepted in a run, once more at its end, byte for byte: a repeat has no effect, however late it comes.
 * A case sees its own repeats within milliseconds; here idempotency that is kept in a cache has had time to be forgotten.
 */
import type { BetOperation } from '../../../protocol/operation.ts'
import type { Exchange } from '../../exchange.ts'
import { type Accepted, isDone } from '../case/accepted.ts'
import { insist } from '../case/insist.ts'
import { type LateRule, STAGES, type Stage } from '../case/late-rule.ts'
import { asker, holdersOf, type Play } from '../case/plan.ts'
import { type Answer, describeAnswer, readAnswer } from './answer.ts'
import type { Finding } from './finding.ts'

export interface LateFinding extends Finding {
  readonly exchanges: readonly Exchange[]
}

/** By rule: how many calls were judged by it, and what was wrong. */
export type LateFindings = ReadonlyMap<LateRule, { seen: number; readonly findings: LateFinding[] }>

export async function repeatAll(plays: readonly Play[], atOnce: number, signal?: AbortSignal): Promise<LateFindings> {
  const found = new Map([...STAGES, 'same answer' as const].map((rule) => [rule, { seen: 0, findings: [] }]))
  const work = (play: Play) => repeatOne(play, found, signal)
  await inTurns(plays, atOnce, work)
  return found
}

/** One after the other where they share a player; so many at once of the others. */
function inTurns(plays: readonly Play[], atOnce: number, work: (play: Play) => Promise<void>): Promise<void> {
  const queue = [...plays]
  const running = new Set<Play>()
  const usersOf = ({ players }: Play) => [...players.values()].map(({ userId }) => userId)
  const isFree = (play: Play) => {
    const busy = new Set([...running].flatMap(usersOf))
    return usersOf(play).every((userId) => !busy.has(userId))
  }
  return new Promise((resolve, reject) => {
    const begin = () => {
      for (let index = queue.findIndex(isFree); index >= 0 && running.size < atOnce; index = queue.findIndex(isFree)) {
        const [play] = queue.splice(index, 1) as [Play]
        running.add(play)
        work(play).then(() => end(play), reject)
      }
      if (running.size === 0) resolve()
    }
    const end = (play: Play) => {
      running.delete(play)
      begin()
    }
    begin()
  })
}

async function repeatOne(play: Play, found: LateFindings, signal?: AbortSignal): Promise<void> {
  const balances = new Map<string, bigint>()
  const calls = callsOf(play.accepted)
  if (calls.length === 0) return
  if (!(await readBalances(play, balances))) return
  for (const stage of STAGES) {
    const mine = calls.filter((call) => call.stage === stage)
    if (mine.length === 0) continue
    signal?.throwIfAborted()
    await repeatStage(play, mine, balances, found)
  }
}

/** False when they cannot be known, so that nothing can be judged. */
async function readBalances(play: Play, balances: Map<string, bigint>): Promise<boolean> {
  for (const [key, holder] of holdersOf(play)) {
    const near = balances.get(key) ?? play.books.balances.get(key) ?? 0n
    const balance = await play.target.reader.find(holder, near, asker(play))
    if (typeof balance === 'string') return false
    balances.set(key, balance)
  }
  return true
}

interface LateCall extends Accepted {
  readonly stage: Stage
  /** The bet was rolled back: what else may be answered is open. */
  readonly isCancelled: boolean
}

/** Each bet's first Place bet, its last Rollback, and its results, of which the last one is in force. */
function callsOf(accepted: readonly Accepted[]): LateCall[] {
  return [...new Set(accepted.map(({ bet }) => bet))].flatMap((bet) => {
    const calls = accepted.filter((call) => call.bet === bet)
    const of = (...operations: BetOperation[]) => calls.filter(({ operation }) => operations.includes(operation))
    const results = of('settle', 'unsettle')
    const last = results.at(-1)
    const isCancelled = of('rollback').length > 0
    const staged: [Stage, Accepted | undefined][] = [
      ['place', of('place')[0]],
      ['rollback', of('rollback').at(-1)],
      [last?.operation === 'unsettle' ? 'unsettle' : 'settle', last],
      ...results.slice(0, -1).map((call): [Stage, Accepted] => ['older', call]),
    ]
    return staged.flatMap(([stage, call]) => (call === undefined ? [] : [{ ...call, stage, isCancelled }]))
  })
}

async function repeatStage(
  play: Play,
  calls: readonly LateCall[],
  balances: Map<string, bigint>,
  found: LateFindings,
): Promise<void> {
  const begin = play.journal.length
  const judge = (rule: LateRule, why: string | undefined, blamed: Exchange | undefined) =>
    note(found.get(rule), why && { why, ...(blamed && { blamed }), exchanges: play.journal.slice(begin) })
  let last: Exchange | undefined
  for (const call of calls) {
    last = await send(play, call)
    const answer = readAnswer(last)
    judge(call.stage, refusal(call, answer), last)
    if (!call.isCancelled) judge('same answer', difference(call, answer), last)
  }
  const [{ stage }] = calls as [LateCall]
  const moved = await movement(play, balances)
  if (moved === undefined) return
  const names = [...new Set(calls.map(({ name }) => name))].join(' + ')
  judge(stage, `${names}, again at the end of ${play.caseId}: accepted, and then ${moved}`, last)
  await readBalances(play, balances)
}

async function send(play: Play, { name, operation, request }: Accepted): Promise<Exchange> {
  await play.target.sender.turn(1)
  const attempt = async () => {
    const exchange = await play.target.sender.send(`${name}, again at the end`, request)
    play.journal.push(exchange)
    return exchange
  }
  return insist(play, operation, attempt, (exchange) => readAnswer(exchange).kind === 'accepted')
}

function note(
  entry: { seen: number; readonly findings: LateFinding[] } | undefined,
  finding: LateFinding | '' | undefined,
): void {
  if (entry === undefined) return
  entry.seen += 1
  if (finding) entry.findings.push(finding)
}

/** The result in force, and a Rollback, are a success each time; a cashout may ask for a token that has died since. */
function refusal({ stage, operation, name, isCashout, isCancelled }: LateCall, answer: Answer): string | undefined {
  const mustBeDone = stage === 'rollback' || (stage === 'settle' && !isCashout && !isCancelled)
  if (!mustBeDone || isDone(operation, answer)) return undefined
  return `${name}, again at the end: ${describeAnswer(answer)}; it had to be accepted`
}

function difference({ name, answer: first }: LateCall, answer: Answer): string | undefined {
  const [now, then] = [describeFully(answer), describeFully(first)]
  return now === then ? undefined : `${name}, again at the end: ${now}; it had to be as at first, ${then}`
}

function describeFully(answer: Answer): string {
  const time = answer.kind === 'accepted' ? answer.body.transactionTime : undefined
  return [describeAnswer(answer), ...(time === undefined ? [] : [`transactionTime ${time}`])].join(', ')
}

async function movement(play: Play, balances: ReadonlyMap<string, bigint>): Promise<string | undefined> {
  for (const [key, holder] of holdersOf(play)) {
    const now = await play.target.reader.match(holder, [balances.get(key) ?? 0n], asker(play))
    if (typeof now === 'object') return now.problem
  }
  return undefined
}
