/**
 * A wallet process under load that is killed at random moments, or asked to end. Every call that was answered has
 * happened exactly once, every other one has happened once or not at all, and sending it again settles which.
 * Cases 59, 80, 107, K26.
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
  fateIn,
  type Player,
  possibleFates,
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
/** More than all bets together can cost: no call has a reason to be refused. */
const MONEY = 1_000_000
/** The load runs for a random time up to this, counted from the first answer, before the signal. */
const LONGEST_MS = 500
/** A wallet asked to end is gone by then: orchestrators wait 10 to 30 s before they kill. */
const EXIT_MS = 10_000

/** The exit code, null after a death by a signal, or that there was none. */
type Exit = number | null | `none after ${number} ms`
type Store = { databaseUrl: string } | { dataDir: string }

describe.each(['PGlite', 'Postgres'])('a wallet on %s', (engine) => {
  const random = seededRandom(`kill on ${engine}`)
  let store: Store
  let database: TestDatabase | undefined
  let folder: string | undefined
  let wallet: WalletProcess
  let players: Player[]
  /** The balance of each player, of all bets whose end is known. */
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

  /** The bets of a load that the signal ended. */
  async function loadUntil(signal: NodeJS.Signals): Promise<{ bets: BetRecord[]; exit: Exit }> {
    const load = startLoad(wallet.wire, players, BETTORS, random)
    await Promise.race([load.nextAnswer(), load.ended])
    await Promise.race([load.ended, sleep(random.below(LONGEST_MS))])
    // The worst moment is right after an answer: what it promised must not be still to do.
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

  /** Every bet is as its answers said, and each player's money is what the bets that the wallet knows make of it. */
  async function expectAnswered(bets: BetRecord[]): Promise<void> {
    const outcomes = await Promise.all(bets.map((bet) => fateIn(wallet.operator, bet)))
    const checked = bets.map((bet, number) => ({ bet, fate: outcomes[number], possible: possibleFates(bet) }))
    const contradicted = checked.filter(({ fate, possible }) => !possible.some((each) => each === fate))
    expect(contradicted.map((each) => JSON.stringify(each, null, 2))).toEqual([])
    await expectBalances(bets, outcomes)
    await wallet.auditIsClean()
  }

  /** The platform's way out of not knowing: it sends the call again, or gives the bet up with a rollback. */
  async function clearUp(bet: BetRecord): Promise<void> {
    const call = bet.unanswered
    if (call?.operation === 'place' && random.chance(0.5)) {
      expect(await carryOut(wallet.wire, bet, rollbackOf(bet))).toBe(true)
      expect(replyCode(await send(wallet.wire, call))).toBe(8)
    } else if (call) {
      expect(await carryOut(wallet.wire, bet, call)).toBe(true)
    }
  }

  /** The last answer of a bet may have got lost on the way as well: asked again it is the same, byte for byte. */
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
      for (const bet of bets) money.set(bet.userId, (money.get(bet.userId) as number) + worthOf(bet, bet.fate))
    }
  })

  test('answers the calls that it has accepted, accepts no more, and exits with 0 when it stops', async () => {
    const { bets, exit } = await loadUntil('SIGTERM')
    expect(exit).toBe(0)
    wallet = await spawnWallet(store)
    // What was not answered has not happened: with nothing under way, each bet has one possible fate.
    await expectAnswered(bets.map((bet) => ({ ...bet, unanswered: undefined })))
  })
})
