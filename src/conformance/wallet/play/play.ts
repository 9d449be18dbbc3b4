/** Plays the steps of one case: send, match the answer with what is allowed, compare every balance with what follows. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Exchange } from '../../exchange.ts'
import { acceptedOf } from '../case/accepted.ts'
import type { Act, Call, Rounds, Step, Together } from '../case/case.ts'
import { insist } from '../case/insist.ts'
import { isAllowedNow, type Judged, matchesOf, possibleBooks } from '../case/match.ts'
import { asker, holdersOf, idOf, type Planned, type Play, plan, playerOf } from '../case/plan.ts'
import { accountOf } from '../case/request.ts'
import { rollback } from '../case/words.ts'
import { readAnswer } from './answer.ts'
import type { Holder } from './balance.ts'
import { judgeBody } from './body-rules.ts'
import type { Books } from './books.ts'
import { type Finding, noneFits, wrongAnswer, wrongBalance, wrongBody, wrongCount } from './finding.ts'

export async function playSteps(play: Play, steps: readonly Step[]): Promise<Finding | undefined> {
  for (const step of steps) {
    play.signal?.throwIfAborted()
    const finding = await playStep(play, step)
    if (finding !== undefined) return finding
  }
  return undefined
}

async function playStep(play: Play, step: Step): Promise<Finding | undefined> {
  switch (step.kind) {
    case 'call':
      return playCalls(play, { kind: 'together', calls: [step], accepted: { min: 0, max: 1 } })
    case 'together':
      return playCalls(play, step)
    case 'rounds':
      return playRounds(play, step)
    case 'pause':
      await sleep(step.ms, undefined, { signal: play.signal })
      return undefined
    case 'act':
      return playAct(play, step)
    default:
      return step satisfies never
  }
}

async function playRounds(play: Play, { times, steps }: Rounds): Promise<Finding | undefined> {
  for (let round = 1; round <= times; round++) {
    for (const names of [play.betIds, play.requestIds, play.sent, play.stakes, play.firstBodies]) names.clear()
    play.books = { ...play.books, bets: new Map() }
    const finding = await playSteps(play, steps)
    if (finding !== undefined) return { ...finding, why: `round ${round} of ${times}: ${finding.why}` }
  }
  return undefined
}

async function playAct(play: Play, { act, who, bet }: Act): Promise<Finding | undefined> {
  play.players.set(who, await play.act(act, playerOf(play, who), idOf(play.betIds, bet)))
  return undefined
}

async function playCalls(play: Play, { calls, accepted }: Together): Promise<Finding | undefined> {
  const planned = calls.map((call) => ({ call, ...plan(play, call) }))
  await play.target.sender.turn(calls.length)
  const judged = await Promise.all(planned.map((one) => perform(play, one)))
  const stranger = judged.find(({ matches }) => matches.length === 0)
  if (stranger !== undefined) return wrongAnswer(stranger, play.books, judged.length === 1)
  const bad = judged.map((one) => badBody(play, one)).find((problem) => problem !== undefined)
  if (bad !== undefined) return bad
  const miscounted = wrongCount(judged, accepted)
  if (miscounted !== undefined) return miscounted
  const possible = possibleBooks(play.books, judged)
  return possible.kind === 'none' ? noneFits(possible) : settleOn(play, possible.books, judged)
}

type PlannedCall = Planned & { readonly call: Call }

/** A bet that has failed is taken back, as the service does. */
async function perform(play: Play, one: PlannedCall): Promise<Judged> {
  const judged = await send(play, one)
  if (!judged.matches.some(({ kind }) => kind === 'given up')) return judged
  const call = rollback({ bet: one.call.bet, who: one.call.who })
  const undone = await send(play, { call, ...plan(play, call) })
  return undone.matches.length > 0 ? judged : undone
}

async function send(play: Play, { call, request, name, amount }: PlannedCall): Promise<Judged> {
  const judge = (exchange: Exchange) => {
    const answer = readAnswer(exchange)
    return { call, name, answer, exchange, amount, matches: matchesOf(call, answer) }
  }
  const isShown = !call.allow.some(({ kind }) => kind === 'lost')
  const attempt = async () => {
    const exchange = await play.target.sender.send(name, request)
    play.journal.push(exchange)
    play.target.look(exchange, isShown)
    const accepted = acceptedOf(request, exchange)
    if (accepted !== undefined) play.accepted.push(accepted)
    return exchange
  }
  const isEnough = (exchange: Exchange) => isAllowedNow(play.books, judge(exchange))
  return judge(await insist(play, call.operation, attempt, isEnough))
}

function badBody(play: Play, judged: Judged): Finding | undefined {
  const { call, answer, amount, matches } = judged
  if (answer.kind !== 'accepted') return undefined
  const rules = matches.flatMap((one) => (one.kind === 'accepted' ? one.body : []))
  const player = playerOf(play, call.who)
  const key = `${call.operation} ${call.who}/${call.bet}`
  const first = play.firstBodies.get(key) ?? answer.body
  play.firstBodies.set(key, first)
  const about = { player, account: accountOf(player, call), betId: idOf(play.betIds, call.bet), amount, first }
  const problem = judgeBody(rules, answer.body, about)
  return problem === undefined ? undefined : wrongBody(judged, problem)
}

/** Finds out which of the possible states is the case, and goes on from it. */
async function settleOn(
  play: Play,
  possible: readonly Books[],
  judged: readonly Judged[],
): Promise<Finding | undefined> {
  let left = possible
  for (const [key, holder] of holdersOf(play)) {
    const amounts = [...new Set(left.map(({ balances }) => balances.get(key) ?? 0n))]
    const found = await play.target.reader.match(holder, amounts, asker(play))
    if (typeof found === 'object') return wrongBalance(judged, holderName(key, holder) + found.problem, found.isTooHigh)
    left = left.filter(({ balances }) => (balances.get(key) ?? 0n) === found)
  }
  const [books] = left
  if (books === undefined) return wrongBalance(judged, 'the balances do not fit together')
  play.books = books
  return undefined
}

function holderName(key: string, { player }: Holder): string {
  return key.startsWith('A') ? '' : `of ${player.userId} `
}
