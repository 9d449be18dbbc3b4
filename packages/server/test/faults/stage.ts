/**
 * Makes the parts of a scenario of `npm run faults`: a separate Postgres, wallet processes, players
 * with money, and bettors that repeat their calls.
 */
import { readBetStatuses } from '../support/bet-statuses.ts'
import { type BetRecord, type Player, worthOf } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import type { Random } from '../support/random.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { spawnWalletWith, type WalletProcess } from '../support/spawned-wallet.ts'
import { type Betting, type BettingOptions, startBetting } from '../support/stubborn-load.ts'

export interface Tally {
  readonly calls: number
  readonly faults: number
  /** Calls answered 200. */
  readonly acknowledged: number
  /** Acknowledged bets that the wallet does not have any more. */
  readonly lost: number
  /** Bets that moved money without an acknowledgement, and players with a wrong balance. */
  readonly doubled: number
  /** Calls that never got a 200. */
  readonly owed: number
  /** Milliseconds of the slowest answer, or of a call without one. */
  readonly slowest: number
  /** Calls without an answer, and broken connections. */
  readonly unanswered: number
  readonly note?: string
}

export interface Stage {
  readonly random: Random
  /** Milliseconds of faults. */
  readonly forMs: number
  /** Runs at the end of the scenario, in reverse order. */
  onEnd(clean: () => unknown): void
}

/** More than all bets can cost. */
const MONEY = 1_000_000
const PLAYERS = 6
export const BETTORS = 12

export async function newPostgres(stage: Stage, settings: Record<string, string> = {}): Promise<SecondPostgres> {
  const postgres = await startSecondPostgres(settings)
  stage.onEnd(() => postgres.stop())
  await postgres.execute('create database wallet')
  return postgres
}

export function databaseIn(serverUrl: string): string {
  return Object.assign(new URL(serverUrl), { pathname: '/wallet' }).href
}

export async function newWallet(
  stage: Stage,
  settings: Record<string, string | undefined>,
  main?: string,
): Promise<WalletProcess> {
  const wallet = await spawnWalletWith(settings, main)
  stage.onEnd(() => wallet.kill('SIGKILL'))
  return wallet
}

/** Settings for a process of the same wallet at the same address. */
export function sameAs(wallet: WalletProcess): Record<string, string> {
  return { PARTNER_SECRET: wallet.secret, OPERATOR_API_KEY: wallet.operatorKey, PORT: new URL(wallet.url).port }
}

export async function newPlayers({ operator }: WalletProcess): Promise<Player[]> {
  const players: Player[] = []
  while (players.length < PLAYERS) players.push(await playerWithMoney(operator, `${MONEY}.00`))
  return players
}

export interface Play {
  readonly wallets: readonly WalletProcess[]
  readonly options?: Partial<BettingOptions>
  /** Causes faults, and returns their number. */
  attack(betting: Betting): Promise<number>
  /** The wallet for the final checks; by default the first one. */
  asked?(): WalletProcess
}

/** Places bets during the faults, then compares the books. */
export async function play(stage: Stage, { wallets, options, attack, asked }: Play): Promise<Tally> {
  const [first] = wallets as [WalletProcess]
  const players = await newPlayers(first)
  const wires = wallets.map(({ wire }) => wire)
  const betting = startBetting({ wires, players, bettors: BETTORS, random: stage.random, ...options })
  await betting.recovered(20)
  const faults = await attack(betting)
  await betting.recovered(20)
  const failure = await betting.stop().catch((error: unknown) => error)
  const figures = figuresOf(betting)
  if (failure !== undefined && figures.owed === 0) throw failure
  return { ...(await reckon(asked?.() ?? first, players, betting.bets)), ...figures, faults }
}

export function figuresOf({ answers, bets }: Pick<Betting, 'answers' | 'bets'>) {
  return {
    calls: answers.length,
    acknowledged: answers.filter(({ status }) => status === 200).length,
    owed: bets.filter((bet) => bet.owed !== undefined).length,
    slowest: Math.trunc(answers.reduce((most, { ms }) => Math.max(most, ms), 0)),
    unanswered: answers.filter(({ status }) => status === 'none').length,
  }
}

/** Bets whose state in the wallet differs from the acknowledged one. */
export function lostOf(bets: readonly BetRecord[], outcomes: ReadonlyMap<string, string>): BetRecord[] {
  return bets.filter(({ betId, status }) => status !== UNKNOWN && (outcomes.get(betId) ?? UNKNOWN) !== status)
}

const UNKNOWN = 'unknown to the wallet'

export async function reckon(wallet: WalletProcess, players: readonly Player[], bets: readonly BetRecord[]) {
  const outcomes = await readBetStatuses(wallet.operator)
  const lost = lostOf(bets, outcomes)
  const taken = takenOf(bets, outcomes)
  const odd = await oddBalances(wallet, players, bets, outcomes)
  await wallet.auditIsClean()
  return { lost: lost.length, doubled: taken.length + odd }
}

/** Counts players whose balance is not the sum of their bets in the wallet. */
export async function oddBalances(
  { operator }: WalletProcess,
  players: readonly Player[],
  bets: readonly BetRecord[],
  outcomes: ReadonlyMap<string, string>,
): Promise<number> {
  let odd = 0
  for (const { userId } of players) {
    const own = bets.filter((bet) => bet.userId === userId)
    const expected = own.reduce((sum, bet) => sum + worthOf(bet, outcomes.get(bet.betId) ?? UNKNOWN), MONEY)
    if ((await operator.balance(userId)) !== `${expected}.00`) odd++
  }
  return odd
}

/** Bets that hold money without an acknowledgement. */
export function takenOf(bets: readonly BetRecord[], outcomes: ReadonlyMap<string, string>): BetRecord[] {
  return bets.filter(({ betId, status }) => status === UNKNOWN && /open|settled/.test(outcomes.get(betId) ?? ''))
}

/** Repeats the fault, each time after calls are answered again. */
export async function again({ forMs }: Stage, betting: Betting, fault: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + forMs
  let faults = 0
  do {
    await fault()
    faults++
    await betting.recovered(20)
  } while (performance.now() < end)
  return faults
}
