/**
 * Runs the steps of a case: sends calls, matches the answers, and compares every balance after each
 * step.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../http-exchange.ts'
import { toAcceptedCall } from '../case/accepted-call.ts'
import { findMatches, findPossibleBooks, isAllowedNow, type JudgedCall } from '../case/answer-match.ts'
import {
  type CallPlan,
  type CasePlay,
  createKitCaller,
  getCasePlayer,
  getOrCreateId,
  listHolders,
  planCall,
} from '../case/call-plan.ts'
import { retryCall } from '../case/call-retry.ts'
import { selectAccount } from '../case/signed-request.ts'
import { rollbackStep } from '../case/step-builders.ts'
import type { CallStep, CaseStep, ConcurrentCalls, OperatorStep, RepeatedRounds } from '../case/wallet-case.ts'
import { interpretAnswer } from './answer-meaning.ts'
import type { BalanceHolder } from './balance-reader.ts'
import { findBodyProblem } from './body-rules.ts'
import {
  type CaseFinding,
  findWrongCount,
  reportNoMatch,
  reportWrongAnswer,
  reportWrongBalance,
  reportWrongBody,
} from './case-finding.ts'
import type { ExpectedBooks } from './expected-books.ts'

export async function runSteps(play: CasePlay, steps: readonly CaseStep[]): Promise<CaseFinding | undefined> {
  for (const step of steps) {
    play.signal?.throwIfAborted()
    const finding = await runStep(play, step)
    if (finding !== undefined) return finding
  }
  return undefined
}

async function runStep(play: CasePlay, step: CaseStep): Promise<CaseFinding | undefined> {
  switch (step.kind) {
    case 'call':
      return runCalls(play, { kind: 'together', calls: [step], accepted: { min: 0, max: 1 } })
    case 'together':
      return runCalls(play, step)
    case 'rounds':
      return runRounds(play, step)
    case 'pause':
      await sleep(step.ms, undefined, { signal: play.signal })
      return undefined
    case 'act':
      return runOperatorStep(play, step)
    default:
      return step satisfies never
  }
}

async function runRounds(play: CasePlay, { times, steps }: RepeatedRounds): Promise<CaseFinding | undefined> {
  for (let round = 1; round <= times; round++) {
    for (const names of [play.betIds, play.requestIds, play.sent, play.stakes, play.firstBodies]) names.clear()
    play.books = { ...play.books, bets: new Map() }
    const finding = await runSteps(play, steps)
    if (finding !== undefined) return { ...finding, why: `round ${round} of ${times}: ${finding.why}` }
  }
  return undefined
}

async function runOperatorStep(play: CasePlay, { act, who, bet }: OperatorStep): Promise<CaseFinding | undefined> {
  play.players.set(who, await play.act(act, getCasePlayer(play, who), getOrCreateId(play.betIds, bet)))
  return undefined
}

async function runCalls(play: CasePlay, { calls, accepted }: ConcurrentCalls): Promise<CaseFinding | undefined> {
  const planned = calls.map((call) => ({ call, ...planCall(play, call) }))
  await play.target.sender.acquire(calls.length)
  const judged = await Promise.all(planned.map((one) => sendWithRollback(play, one)))
  const unexpected = judged.find(({ matches }) => matches.length === 0)
  if (unexpected !== undefined) return reportWrongAnswer(unexpected, play.books, judged.length === 1)
  const bad = judged.map((one) => findWrongBody(play, one)).find((problem) => problem !== undefined)
  if (bad !== undefined) return bad
  const miscounted = findWrongCount(judged, accepted)
  if (miscounted !== undefined) return miscounted
  const possible = findPossibleBooks(play.books, judged)
  return possible.kind === 'none' ? reportNoMatch(possible) : chooseBooks(play, possible.books, judged)
}

type PlannedCall = CallPlan & { readonly call: CallStep }

async function sendWithRollback(play: CasePlay, one: PlannedCall): Promise<JudgedCall> {
  const judged = await sendUntilAllowed(play, one)
  if (!judged.matches.some(({ kind }) => kind === 'given up')) return judged
  const call = rollbackStep({ bet: one.call.bet, who: one.call.who })
  const undone = await sendUntilAllowed(play, { call, ...planCall(play, call) })
  return undone.matches.length > 0 ? judged : undone
}

async function sendUntilAllowed(play: CasePlay, { call, request, name, amount }: PlannedCall): Promise<JudgedCall> {
  const judge = (exchange: Exchange) => {
    const answer = interpretAnswer(exchange)
    return { call, name, answer, exchange, amount, matches: findMatches(call, answer) }
  }
  const hasDefinedAnswer = !call.allow.some(({ kind }) => kind === 'lost')
  const attempt = async () => {
    const exchange = await play.target.sender.send(name, request)
    play.journal.push(exchange)
    play.target.inspect(exchange, hasDefinedAnswer)
    const accepted = toAcceptedCall(request, exchange)
    if (accepted !== undefined) play.accepted.push(accepted)
    return exchange
  }
  const canStop = (exchange: Exchange) => isAllowedNow(play.books, judge(exchange))
  return judge(await retryCall(play, call.operation, attempt, canStop))
}

function findWrongBody(play: CasePlay, judged: JudgedCall): CaseFinding | undefined {
  const { call, answer, amount, matches } = judged
  if (answer.kind !== 'accepted') return undefined
  const rules = matches.flatMap((one) => (one.kind === 'accepted' ? one.body : []))
  const player = getCasePlayer(play, call.who)
  const key = `${call.operation} ${call.who}/${call.bet}`
  const first = play.firstBodies.get(key) ?? answer.body
  play.firstBodies.set(key, first)
  const about = {
    player,
    account: selectAccount(player, call),
    betId: getOrCreateId(play.betIds, call.bet),
    amount,
    first,
  }
  const problem = findBodyProblem(rules, answer.body, about)
  return problem === undefined ? undefined : reportWrongBody(judged, problem)
}

/** Selects the possible books that match the balances. */
async function chooseBooks(
  play: CasePlay,
  possible: readonly ExpectedBooks[],
  judged: readonly JudgedCall[],
): Promise<CaseFinding | undefined> {
  let left = possible
  for (const [key, holder] of listHolders(play)) {
    const amounts = [...new Set(left.map(({ balances }) => balances.get(key) ?? 0n))]
    const found = await play.target.reader.match(holder, amounts, createKitCaller(play))
    if (typeof found === 'object')
      return reportWrongBalance(judged, holderName(key, holder) + found.problem, found.isTooHigh)
    left = left.filter(({ balances }) => (balances.get(key) ?? 0n) === found)
  }
  const [books] = left
  if (books === undefined) return reportWrongBalance(judged, 'the balances do not fit together')
  play.books = books
  return undefined
}

function holderName(key: string, { player }: BalanceHolder): string {
  return key.startsWith('A') ? '' : `of ${player.userId} `
}
