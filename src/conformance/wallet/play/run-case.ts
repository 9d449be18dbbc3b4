/** One case from its players to its verdict. */

import { curlOf } from '../../../runtime/curl.ts'
import { toResult } from '../../case-facts.ts'
import type { Exchange } from '../../exchange.ts'
import type { CaseResult, Verdict } from '../../report/report.ts'
import { NothingToChange } from '../case/alike.ts'
import type { PlayedCase, Who } from '../case/case.ts'
import { asker, holdersOf, type Play, type Target } from '../case/plan.ts'
import {
  type Fixtures,
  type Lack,
  type Lease,
  NoPlayers,
  OperatorFailed,
  OperatorUnreachable,
  type Player,
} from '../players/players.ts'
import type { Books } from './books.ts'
import { bringBack } from './closing.ts'
import { type Finding, withClause } from './finding.ts'
import { playSteps } from './play.ts'

/** Exchanges that a report shows of a failed case: the last ones. */
const MAX_SHOWN = 40

export async function runCase(
  one: PlayedCase,
  target: Target,
  fixtures: Fixtures,
  signal?: AbortSignal,
): Promise<CaseResult> {
  const start = performance.now()
  const verdict = await judge(one, target, fixtures, signal)
  return toResult(one, verdict, performance.now() - start)
}

async function judge(one: PlayedCase, target: Target, fixtures: Fixtures, signal?: AbortSignal): Promise<Verdict> {
  const { player: kind = 'ordinary', needs = [] } = one
  const lacks = [...missingCalls(one, target), ...fixtures.missing(kind, needs)]
  const why = lacks.map((lack) => lack.why).join('; ')
  if (lacks.length > 0) return { kind: 'not judged', why, add: lacks.map(({ add }) => add) }
  try {
    return await playWith(await fixtures.lease(kind, needs), { one, target, fixtures, signal })
  } catch (error) {
    if (error instanceof NoPlayers || error instanceof NothingToChange)
      return { kind: 'not judged', why: error.message }
    if (isOperators(error)) return { kind: 'not judged', why: error.message, isFault: true }
    throw error
  }
}

/** The operator API fails: the wallet on the wire is neither right nor wrong by that. */
export function isOperators(error: unknown): error is Error {
  return error instanceof OperatorFailed || error instanceof OperatorUnreachable
}

interface Playing {
  readonly one: PlayedCase
  readonly target: Target
  readonly fixtures: Fixtures
  readonly signal: AbortSignal | undefined
}

async function playWith(lease: Lease, { one, target, fixtures, signal }: Playing): Promise<Verdict> {
  const play = begin(one, target, lease, signal)
  let finding: Finding | undefined = { why: 'interrupted' }
  let journal: readonly Exchange[] = []
  try {
    finding = (await readStart(play)) ?? (await playSteps(play, one.steps))
  } finally {
    journal = [...play.journal]
    const back = fixtures.areThrownAway ? undefined : await bringBack(play, finding === undefined)
    lease.giveBack(back ?? [])
    target.keep(over(play, back))
  }
  return finding === undefined ? { kind: 'passed' } : failed(withClause(finding, one), journal)
}

/** For the repeats at the end: without what the report needs, with the balances that the players have been left with. */
function over(play: Play, back: readonly Player[] | undefined): Play {
  const balances = new Map(play.books.balances)
  for (const [who, { userId }] of play.players) {
    const left = back?.find((player) => player.userId === userId)?.balance
    if (left !== undefined) balances.set(`${who}/first`, left)
  }
  return { ...play, journal: [], books: { ...play.books, balances } }
}

function missingCalls({ needs = [] }: PlayedCase, { has }: Target): readonly Lack[] {
  const absent = (['/user/balance', '/payment/check'] as const).filter(
    (path) => needs.includes(path) && !has.includes(path),
  )
  return absent.map((path) => ({ add: path, why: `the wallet has no ${path}` }))
}

export function failed({ why, blamed }: Finding, journal: readonly Exchange[]): Verdict {
  const marked = journal.map((one) => (one === blamed ? { ...one, isBlamed: true as const } : one))
  const exchanges = lastOf(marked)
  const last = exchanges.findLast(({ isLook }) => isLook !== true) ?? exchanges.at(-1)
  const repeated = blamed ?? last
  return { kind: 'failed', why, exchanges, repeat: repeated === undefined ? '' : curlOf(repeated.request) }
}

/** The last ones, and before them the call that the verdict names. */
function lastOf(exchanges: readonly Exchange[]): readonly Exchange[] {
  const shown = exchanges.slice(-MAX_SHOWN)
  const blamed = exchanges.find(({ isBlamed }) => isBlamed)
  return blamed === undefined || shown.includes(blamed) ? shown : [blamed, ...shown.slice(1)]
}

function begin({ id, needs = [] }: PlayedCase, target: Target, { players, act }: Lease, signal?: AbortSignal): Play {
  const given: [Who, Player | undefined][] = [
    ['A', players.A],
    ['B', players.B],
  ]
  const present = given.filter((entry): entry is [Who, Player] => entry[1] !== undefined)
  const balances = new Map(present.map(([who, { balance = 0n }]) => [`${who}/first`, balance]))
  if (needs.includes('second currency')) balances.set('A/second', 0n)
  const books: Books = { balances, bets: new Map() }
  return {
    ...{ caseId: id, target, act, books, signal, players: new Map(present), journal: [], accepted: [] },
    ...{ betIds: new Map(), requestIds: new Map(), sent: new Map(), stakes: new Map(), firstBodies: new Map() },
  }
}

/** Begins from what the wallet says: the fixtures of a file grow old. What is found with many bets is found once. */
async function readStart(play: Play): Promise<Finding | undefined> {
  const balances = new Map(play.books.balances)
  for (const [key, holder] of holdersOf(play)) {
    const { player, isCurrent } = holder
    if (player.isSeen && play.target.reader.kind === 'probe') continue
    const found = await play.target.reader.find(holder, balances.get(key) ?? 0n, asker(play))
    if (typeof found === 'string') return { why: `before the first step: ${found}` }
    balances.set(key, found)
    if (isCurrent)
      play.players.set(key.startsWith('A') ? 'A' : 'B', {
        ...player,
        ...misstatement(play, player, found),
        balance: found,
      })
  }
  play.books = { ...play.books, balances }
  return undefined
}

/** Bets found one minor unit more, or less, than the file of players states. */
function misstatement({ target }: Play, { balance, isSeen }: Player, found: bigint): Pick<Player, 'misstated'> {
  if (target.reader.kind !== 'probe' || balance === undefined || isSeen) return {}
  const misstated = found - balance
  return misstated === 1n || misstated === -1n ? { misstated } : {}
}
