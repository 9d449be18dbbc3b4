/** Plays the steps of one case: send, match the answer with what is allowed, compare every balance with what follows. */
import { setTimeout as sleep } from 'node:timers/promises'
import { acceptedOf } from '../case/accepted.ts'
import type { Act, Call, Rounds, Step, Together } from '../case/case.ts'
import { insist } from '../case/insist.ts'
import { explain, isAllowedNow, type Judged, matchesOf, possibleBooks } from '../case/match.ts'
import { asker, holdersOf, idOf, type Planned, type Play, plan, playerOf } from '../case/plan.ts'
import { accountOf } from '../case/request.ts'
import { rollback } from '../case/words.ts'
import { type Answer, readAnswer } from './answer.ts'
import type { Holder } from './balance.ts'
import { judgeBody } from './body-rules.ts'
import type { Books } from './books.ts'

/** What is wrong, in words; undefined when nothing is. */
export type Finding = string | undefined

export async function playSteps(play: Play, steps: readonly Step[]): Promise<Finding> {
  for (const step of steps) {
    play.signal?.throwIfAborted()
    const finding = await playStep(play, step)
    if (finding !== undefined) return finding
  }
  return undefined
}

async function playStep(play: Play, step: Step): Promise<Finding> {
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

async function playRounds(play: Play, { times, steps }: Rounds): Promise<Finding> {
  for (let round = 1; round <= times; round++) {
    for (const names of [play.betIds, play.requestIds, play.sent, play.stakes, play.firstBodies]) names.clear()
    play.books = { ...play.books, bets: new Map() }
    const finding = await playSteps(play, steps)
    if (finding !== undefined) return `round ${round} of ${times}: ${finding}`
  }
  return undefined
}

async function playAct(play: Play, { act, who, bet }: Act): Promise<Finding> {
  play.players.set(who, await play.act(act, playerOf(play, who), idOf(play.betIds, bet)))
  return undefined
}

async function playCalls(play: Play, { calls, accepted }: Together): Promise<Finding> {
  const planned = calls.map((call) => ({ call, ...plan(play, call) }))
  await play.target.sender.turn(calls.length)
  const judged = await Promise.all(planned.map((one) => perform(play, one)))
  const stranger = judged.find(({ matches }) => matches.length === 0)
  if (stranger !== undefined) return `${stranger.name}: ${explain(stranger)}`
  const bad = judged.map((one) => badBody(play, one)).find((problem) => problem !== undefined)
  if (bad !== undefined) return bad
  const count = judged.filter(({ answer }) => answer.kind === 'accepted').length
  if (count < accepted.min || count > accepted.max) return `${count} of ${calls.length} calls at once were accepted`
  const possible = possibleBooks(play.books, judged)
  if (possible.length === 0) return `${judged[0]?.name}: ${judged[0] && explain(judged[0])}, though nothing has changed`
  return settleOn(play, possible, judged.map(({ name }) => name).join(' + '))
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
  const judge = (answer: Answer) => ({ call, name, answer, amount, matches: matchesOf(call, answer) })
  const isShown = !call.allow.some(({ kind }) => kind === 'lost')
  const attempt = async () => {
    const exchange = await play.target.sender.send(name, request)
    play.journal.push(exchange)
    play.target.look(exchange, isShown)
    const accepted = acceptedOf(request, exchange)
    if (accepted !== undefined) play.accepted.push(accepted)
    return exchange
  }
  const isEnough = (answer: Answer) => isAllowedNow(play.books, judge(answer))
  return judge(readAnswer(await insist(play, call.operation, attempt, isEnough)))
}

function badBody(play: Play, { call, name, answer, amount, matches }: Judged): Finding {
  if (answer.kind !== 'accepted') return undefined
  const rules = matches.flatMap((one) => (one.kind === 'accepted' ? one.body : []))
  const player = playerOf(play, call.who)
  const key = `${call.operation} ${call.who}/${call.bet}`
  const first = play.firstBodies.get(key) ?? answer.body
  play.firstBodies.set(key, first)
  const about = { player, account: accountOf(player, call), betId: idOf(play.betIds, call.bet), amount, first }
  const problem = judgeBody(rules, answer.body, about)
  return problem && `${name}: ${problem}`
}

/** Finds out which of the possible states is the case, and goes on from it. */
async function settleOn(play: Play, possible: readonly Books[], after: string): Promise<Finding> {
  let left = possible
  for (const [key, holder] of holdersOf(play)) {
    const amounts = [...new Set(left.map(({ balances }) => balances.get(key) ?? 0n))]
    const found = await play.target.reader.match(holder, amounts, asker(play))
    if (typeof found === 'string') return `after ${after}: ${holderName(key, holder)}${found}`
    left = left.filter(({ balances }) => (balances.get(key) ?? 0n) === found)
  }
  const [books] = left
  if (books === undefined) return `after ${after}: the balances do not fit together`
  play.books = books
  return undefined
}

function holderName(key: string, { player }: Holder): string {
  return key.startsWith('A') ? '' : `of ${player.userId}: `
}
