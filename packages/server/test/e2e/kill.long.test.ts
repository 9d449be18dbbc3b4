/**
 * A wallet process under load is killed at random moments, or stopped (cases 59, 80, 107, K26).
 *
 * Invariant: every answered call has happened exactly once. Every other call has happened once or
 * not at all, and a repeat decides which.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import {
  type BetRecord,
  carryOut,
  type Player,
  possibleStatuses,
  readBetStatus,
  rollbackOf,
  send,
  worthOf,
} from '../support/journal.ts'
import { startLoad } from '../support/load.ts'
import { playerWithMoney } from '../support/operator.ts'
import { seededRandom } from '../support/random.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'
import { replyCode } from '../support/wire.ts'

const KILLS = 4
const PLAYERS = 4
const BETTORS = 12
/** More than every bet together costs, so no call is rejected for lack of money. */
const MONEY = 1_000_000
/** Longest random time from the first answer to the signal. */
const LONGEST_MS = 500
/** Time limit of a stop: orchestrators wait 10 to 30 s before they kill. */
const EXIT_MS = 10_000

/** The exit code; null after a death by a signal. */
type Exit = number | null | `none after ${number} ms`
type Store = { databaseUrl: string } | { dataDir: string }

describe.each(['PGlite', 'Postgres'])('a wallet on %s', (engine) => {
  const random = seededRandom(`kill on ${engine}`)
  let store: Store
  let database: TestDatabase | undefined
  let folder: string | undefined
  let wallet: WalletProcess
  let players: Player[]
  /** The balance of each player, from the bets with a known end. */
  const money = new Map<string, number>()

  beforeAll(async () => {
    if (engine === 'Postgres') database = await createDatabase()
    else folder = await mkdtemp(join(tmpdir(), 'purser-test-kill-'))
    store = database ? { databaseUrl: database.url } : { dataDir: folder as string }
    wallet = await spawnWallet(store)
    players = await Promise.all(Array.from({ length: PLAYERS }, () => playerWithMoney(wallet.operator, `${MONEY}.00`)))
    for (const { userId } of players) money.set(userId, MONEY)
  })

  afterAll(async () => {
    await wallet?.kill('SIGKILL')
    await database?.drop()
    if (folder) await rm(folder, { recursive: true, force: true })
  })

  /** Resolves to the bets of the load. */
  async function loadUntil(signal: NodeJS.Signals): Promise<{ bets: BetRecord[]; exit: Exit }> {
    const load = startLoad(wallet.wire, players, BETTORS, random)
    await Promise.race([load.nextAnswer(), load.ended])
    await Promise.race([load.ended, sleep(random.below(LONGEST_MS))])
    // The worst moment is directly after an answer, because its effect must already be durable.
    if (random.chance(0.5)) await Promise.race([load.nextAnswer(), load.ended])
    const exit = await Promise.race([wallet.kill(signal), sleep(EXIT_MS, `none after ${EXIT_MS} ms` as const)])
    await load.ended
    return { bets: load.bets, exit }
  }

  async function expectBalances(bets: BetRecord[], outcomes: string[]): Promise<void> {
    for (const { userId } of players) {
      const worth = bets.map((bet, number) => (bet.userId === userId ? worthOf(bet, outcomes[number] as string) : 0))
      const expected = worth.reduce((sum, each) => sum + each, money.get(userId) as number)
      expect(await wallet.operator.balance(userId)).toBe(`${expected}.00`)
    }
  }

  /** Every bet agrees with its answers, and each player's balance with the bets of the wallet. */
  async function expectAnswered(bets: BetRecord[]): Promise<void> {
    const outcomes = await Promise.all(bets.map((bet) => readBetStatus(wallet.operator, bet)))
    const checked = bets.map((bet, number) => ({ bet, outcome: outcomes[number], possible: possibleStatuses(bet) }))
    const contradicted = checked.filter(({ outcome, possible }) => !possible.some((each) => each === outcome))
    expect(contradicted.map((each) => JSON.stringify(each, null, 2))).toEqual([])
    await expectBalances(bets, outcomes)
    await wallet.auditIsClean()
  }

  /** The platform's reaction to an unknown outcome: it repeats the call, or rolls the bet back. */
  async function clearUp(bet: BetRecord): Promise<void> {
    const call = bet.unanswered
    if (call?.operation === 'place' && random.chance(0.5)) {
      expect(await carryOut(wallet.wire, bet, rollbackOf(bet))).toBe(true)
      expect(replyCode(await send(wallet.wire, call))).toBe(8)
    } else if (call) {
      expect(await carryOut(wallet.wire, bet, call)).toBe(true)
    }
  }

  /** The last answer may have been lost too, so a repeat gets the same bytes. */
  async function expectSameAnswer(bet: BetRecord): Promise<void> {
    if (bet.answered) expect((await send(wallet.wire, bet.answered.call)).text).toBe(bet.answered.text)
  }

  test(`keeps every answered call once after ${KILLS} kills at random moments`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const { bets } = await loadUntil('SIGKILL')
      wallet = await spawnWallet(store)
      await expectAnswered(bets)
      await Promise.all(bets.map(clearUp))
      await Promise.all(bets.map(expectSameAnswer))
      await expectAnswered(bets)
      for (const bet of bets) money.set(bet.userId, (money.get(bet.userId) as number) + worthOf(bet, bet.status))
    }
  })

  test('answers the calls that it has accepted, accepts no more, and exits with 0 when it stops', async () => {
    const { bets, exit } = await loadUntil('SIGTERM')
    expect(exit).toBe(0)
    wallet = await spawnWallet(store)
    // A call without an answer has had no effect, so each bet has one possible state.
    await expectAnswered(bets.map((bet) => ({ ...bet, unanswered: undefined })))
  })
})
