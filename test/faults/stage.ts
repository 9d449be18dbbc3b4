/** What a scenario is played on: a Postgres of its own, wallets in processes of their own, players with money, and bettors who never give up. */
import { fatesIn } from '../support/fates.ts'
import { type BetRecord, type Player, worthOf } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import type { Random } from '../support/random.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { spawnWalletWith, type WalletProcess } from '../support/spawned-wallet.ts'
import { type Betting, type BettingOptions, startBetting } from '../support/stubborn-load.ts'

export interface Tally {
  readonly calls: number
  readonly faults: number
  /** Calls that were answered with yes. */
  readonly acknowledged: number
  /** Bets of which a yes was said that the wallet does not know any more. */
  readonly lost: number
  /** Bets that moved money though nobody said yes, players whose balance is not the sum of their bets. */
  readonly doubled: number
  /** Calls that were never answered with yes. */
  readonly owed: number
  /** Milliseconds of the slowest answer, or until a call was given up. */
  readonly slowest: number
  /** Calls that were given up, or whose connection broke. */
  readonly unanswered: number
  readonly note?: string
}

export interface Stage {
  readonly random: Random
  /** Milliseconds for which faults go on. */
  readonly forMs: number
  /** Done when the scenario is over, the last first. */
  onEnd(clean: () => unknown): void
}

/** More than all bets together can cost. */
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

/** With which a process of another wallet is the same wallet, at the same address. */
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
  /** Plants faults while bets are placed; how many. */
  attack(betting: Betting): Promise<number>
  /** Whom to ask in the end; the first wallet at first. */
  asked?(): WalletProcess
}

/** Bets, faults, and when all is over the reckoning. */
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

/** The bets of which the wallet does not say what was answered. */
export function lostOf(bets: readonly BetRecord[], outcomes: ReadonlyMap<string, string>): BetRecord[] {
  return bets.filter(({ betId, fate }) => fate !== UNKNOWN && (outcomes.get(betId) ?? UNKNOWN) !== fate)
}

const UNKNOWN = 'unknown to the wallet'

export async function reckon(wallet: WalletProcess, players: readonly Player[], bets: readonly BetRecord[]) {
  const outcomes = await fatesIn(wallet.operator)
  const lost = lostOf(bets, outcomes)
  const taken = takenOf(bets, outcomes)
  const odd = await oddBalances(wallet, players, bets, outcomes)
  await wallet.auditIsClean()
  return { lost: lost.length, doubled: taken.length + odd }
}

/** Players whose balance is not the sum of their bets as the wallet has them. */
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

/** Bets that hold money though nobody was told so. */
export function takenOf(bets: readonly BetRecord[], outcomes: ReadonlyMap<string, string>): BetRecord[] {
  return bets.filter(({ betId, fate }) => fate === UNKNOWN && /open|settled/.test(outcomes.get(betId) ?? ''))
}

/** A fault, and the next one when calls are answered again. */
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
