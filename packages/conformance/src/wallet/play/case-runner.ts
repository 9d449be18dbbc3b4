/**
 * Runs one case: leases the players, runs the steps, restores the balances, and gives the verdict.
 */

import { formatCurlCommand } from '@purser/runtime/text/curl-command'
import { toCaseResult } from '../../case-facts.ts'
import type { Exchange } from '../../http-exchange.ts'
import type { CaseResult, CaseVerdict } from '../../reports/conformance-report.ts'
import { type CasePlay, createKitCaller, listHolders, type WalletUnderTest } from '../case/call-plan.ts'
import { NoNearMissError } from '../case/near-miss.ts'
import type { PlayerAlias, StepCase } from '../case/wallet-case.ts'
import {
  type FixturePlayer,
  type MissingFixture,
  NoPlayersLeftError,
  OperatorApiError,
  OperatorUnavailableError,
  type PlayerFixtures,
  type PlayerLease,
} from '../players/player-fixtures.ts'
import { restoreBalances } from './balance-restore.ts'
import { addClause, type CaseFinding } from './case-finding.ts'
import type { ExpectedBooks } from './expected-books.ts'
import { runSteps } from './step-runner.ts'

/** The last exchanges of a failed case. */
const MAX_SHOWN = 40

export async function runCase(
  one: StepCase,
  target: WalletUnderTest,
  fixtures: PlayerFixtures,
  signal?: AbortSignal,
): Promise<CaseResult> {
  const start = performance.now()
  const verdict = await judgeCase(one, target, fixtures, signal)
  return toCaseResult(one, verdict, performance.now() - start)
}

async function judgeCase(
  one: StepCase,
  target: WalletUnderTest,
  fixtures: PlayerFixtures,
  signal?: AbortSignal,
): Promise<CaseVerdict> {
  const { player: kind = 'ordinary', needs = [] } = one
  const lacks = [...missingCalls(one, target), ...fixtures.missing(kind, needs)]
  const why = lacks.map((lack) => lack.why).join('; ')
  if (lacks.length > 0) return { kind: 'not judged', why, add: lacks.map(({ add }) => add) }
  try {
    return await playWithLease(await fixtures.lease(kind, needs), { one, target, fixtures, signal })
  } catch (error) {
    if (error instanceof NoPlayersLeftError || error instanceof NoNearMissError)
      return { kind: 'not judged', why: error.message }
    if (isOperatorError(error)) return { kind: 'not judged', why: error.message, isFault: true }
    throw error
  }
}

/** A failure of the operator API is no fault of the tested callbacks. */
export function isOperatorError(error: unknown): error is Error {
  return error instanceof OperatorApiError || error instanceof OperatorUnavailableError
}

interface CaseContext {
  readonly one: StepCase
  readonly target: WalletUnderTest
  readonly fixtures: PlayerFixtures
  readonly signal: AbortSignal | undefined
}

async function playWithLease(lease: PlayerLease, { one, target, fixtures, signal }: CaseContext): Promise<CaseVerdict> {
  const play = createPlay(one, target, lease, signal)
  let finding: CaseFinding | undefined = { why: 'interrupted' }
  let journal: readonly Exchange[] = []
  try {
    finding = (await readStart(play)) ?? (await runSteps(play, one.steps))
  } finally {
    journal = [...play.journal]
    const back = fixtures.areDisposable ? undefined : await restoreBalances(play, finding === undefined)
    lease.release(back ?? [])
    target.addFinished(toFinishedPlay(play, back))
  }
  return finding === undefined ? { kind: 'passed' } : failedVerdict(addClause(finding, one), journal)
}

/** Keeps only the data of the late repeats, with the restored balances. */
function toFinishedPlay(play: CasePlay, back: readonly FixturePlayer[] | undefined): CasePlay {
  const balances = new Map(play.books.balances)
  for (const [who, { userId }] of play.players) {
    const left = back?.find((player) => player.userId === userId)?.balance
    if (left !== undefined) balances.set(`${who}/first`, left)
  }
  return { ...play, journal: [], books: { ...play.books, balances } }
}

function missingCalls({ needs = [] }: StepCase, { has }: WalletUnderTest): readonly MissingFixture[] {
  const absent = (['/user/balance', '/payment/check'] as const).filter(
    (path) => needs.includes(path) && !has.includes(path),
  )
  return absent.map((path) => ({ add: path, why: `the wallet has no ${path}` }))
}

export function failedVerdict({ why, blamed }: CaseFinding, journal: readonly Exchange[]): CaseVerdict {
  const marked = journal.map((one) => (one === blamed ? { ...one, isBlamed: true as const } : one))
  const exchanges = selectShownExchanges(marked)
  const last = exchanges.findLast(({ isLook }) => isLook !== true) ?? exchanges.at(-1)
  const repeated = blamed ?? last
  return { kind: 'failed', why, exchanges, repeat: repeated === undefined ? '' : formatCurlCommand(repeated.request) }
}

function selectShownExchanges(exchanges: readonly Exchange[]): readonly Exchange[] {
  const shown = exchanges.slice(-MAX_SHOWN)
  const blamed = exchanges.find(({ isBlamed }) => isBlamed)
  return blamed === undefined || shown.includes(blamed) ? shown : [blamed, ...shown.slice(1)]
}

function createPlay(
  { id, needs = [] }: StepCase,
  target: WalletUnderTest,
  { players, act }: PlayerLease,
  signal?: AbortSignal,
): CasePlay {
  const given: [PlayerAlias, FixturePlayer | undefined][] = [
    ['A', players.A],
    ['B', players.B],
  ]
  const present = given.filter((entry): entry is [PlayerAlias, FixturePlayer] => entry[1] !== undefined)
  const balances = new Map(present.map(([who, { balance = 0n }]) => [`${who}/first`, balance]))
  if (needs.includes('second currency')) balances.set('A/second', 0n)
  const books: ExpectedBooks = { balances, bets: new Map() }
  return {
    ...{ caseId: id, target, act, books, signal, players: new Map(present), journal: [], accepted: [] },
    ...{ betIds: new Map(), requestIds: new Map(), sent: new Map(), stakes: new Map(), firstBodies: new Map() },
  }
}

/**
 * Starts from the wallet's balance, because a fixtures file becomes outdated. A balance that was
 * probed with bets is reused.
 */
async function readStart(play: CasePlay): Promise<CaseFinding | undefined> {
  const balances = new Map(play.books.balances)
  for (const [key, holder] of listHolders(play)) {
    const { player, isCurrent } = holder
    if (player.isSeen && play.target.reader.kind === 'probe') continue
    const found = await play.target.reader.find(holder, balances.get(key) ?? 0n, createKitCaller(play))
    if (typeof found === 'string') return { why: `before the first step: ${found}` }
    balances.set(key, found)
    if (isCurrent)
      play.players.set(key.startsWith('A') ? 'A' : 'B', {
        ...player,
        ...findMisstatement(play, player, found),
        balance: found,
      })
  }
  play.books = { ...play.books, balances }
  return undefined
}

/** Set if bets find exactly one minor unit more or less than the file states. */
function findMisstatement(
  { target }: CasePlay,
  { balance, isSeen }: FixturePlayer,
  found: bigint,
): Pick<FixturePlayer, 'misstated'> {
  if (target.reader.kind !== 'probe' || balance === undefined || isSeen) return {}
  const misstated = found - balance
  return misstated === 1n || misstated === -1n ? { misstated } : {}
}
