/**
 * A wallet continues after its Postgres server is killed, restarted, or cannot make a commit
 * durable (cases 107, 108).
 *
 * Invariant: the effect of a call that was answered 200 is stored once, any other effect once or
 * not at all.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { run } from '../cli/command.ts'
import { exitOf, MONEY, newPlayers, newWallet } from '../support/fault-scene.ts'
import type { Player } from '../support/journal.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { reload, reloaded, until } from '../support/server-settings.ts'
import { type Answer, type Betting, isAllowedInAFault, startBetting } from '../support/stubborn-load.ts'
import type { WalletProcess } from '../support/wallet.ts'

const PLAYERS = 6
const BETTORS = 12
/** Far more than the transport of an answer takes. */
const ANSWERED_MS = 1_000

const random = seededRandom('server faults')
let postgres: SecondPostgres
let databases = 0

beforeAll(async () => {
  postgres = await startSecondPostgres()
})
afterAll(() => postgres?.stop())

async function newDatabase(): Promise<string> {
  const name = `wallet_${++databases}`
  await postgres.execute(`create database ${name}`)
  const url = new URL(postgres.url)
  url.pathname = `/${name}`
  return url.href
}

async function newScene(context: TestContext): Promise<{ wallet: WalletProcess; players: Player[] }> {
  const wallet = await newWallet(context, { databaseUrl: await newDatabase() })
  return { wallet, players: await newPlayers(wallet, PLAYERS) }
}

/** Reads are excluded, because they prove nothing about durability. */
function writesIn(betting: Betting): Answer[] {
  return betting.answers.filter(({ operation }) => operation !== 'balance')
}

test('every answered call is stored once after a Postgres server is killed and stopped in every mode under load, and the wallet recovers', async (context) => {
  const { wallet, players } = await newScene(context)
  const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random })
  for (const signal of random.shuffled(['SIGKILL', 'SIGKILL', 'SIGQUIT', 'SIGINT'] as const)) {
    await sleep(300 + random.below(300))
    const killedAt = performance.now()
    await postgres.kill(signal)
    await until(async () => betting.answers.some(({ sentAt, status }) => sentAt > killedAt && status !== 200))
    await postgres.start()
  }
  await betting.recovered(50)
  await betting.stop()
  expect(betting.answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
  await expectSameBets(wallet, players, betting.bets, MONEY)
  expect(await exitOf(wallet, 'SIGTERM')).toBe(0)
})

describe('a Postgres server whose commits wait for a missing standby', () => {
  const WAITS = "select from pg_stat_activity where wait_event = 'SyncRep'"

  async function forgetStandby(): Promise<void> {
    await postgres.execute('alter system reset synchronous_standby_names')
    await reloaded(postgres, 'synchronous_standby_names', '')
  }

  afterEach(forgetStandby)

  test('makes the wallet accept nothing, and the refused calls net to zero afterwards', async (context) => {
    const { wallet, players } = await newScene(context)
    const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random, patienceMs: 15_000 })
    await betting.recovered(10)
    await reload(postgres, 'synchronous_standby_names', 'nobody')
    await until(async () => (await postgres.execute(WAITS)).length > 0)
    const waiting = performance.now()
    const deposit = { currency: 'EUR', amount: '1.00', reference: 'while the standby is away' }
    const path = `/operator/players/${players[0]?.userId}/deposits`
    const deposited = await wallet.operator.request('POST', path, deposit)
    const since = (moment: number) => writesIn(betting).filter(({ sentAt, ms }) => sentAt + ms > moment)
    await until(async () => since(waiting).length > BETTORS)
    // Everything committed before has been answered by then.
    const meanwhile = since(waiting + ANSWERED_MS)
    await forgetStandby()
    await betting.recovered(50)
    await betting.stop()

    expect(meanwhile.length).toBeGreaterThan(0)
    expect(meanwhile.filter(({ status }) => status === 200)).toEqual([])
    expect(deposited.status).toBeGreaterThanOrEqual(500)
    expect(betting.answers.filter((answer) => !isAllowedInAFault(answer))).toEqual([])
    // The deposit may have happened. After its repeat it has happened once.
    expect((await wallet.operator.request('POST', path, deposit)).status).toBe(201)
    await wallet.operator.request('POST', path.replace('deposits', 'withdrawals'), {
      ...deposit,
      reference: 'taken back',
    })
    await expectSameBets(wallet, players, betting.bets, MONEY)
  })
})

describe('a Postgres server that could lose an answered bet in a crash', () => {
  test.each(['fsync', 'full_page_writes', 'synchronous_commit'])(
    'is refused with %s=off before the wallet listens',
    async (setting) => {
      const databaseUrl = await newDatabase()
      await postgres.kill('SIGINT')
      await postgres.start({ [setting]: 'off' })
      const keys = { PARTNER_SECRET: 'secret', OPERATOR_API_KEY: 'key', PORT: '0' }
      const { code, stdout, stderr } = await run(['wallet'], { ...keys, DATABASE_URL: databaseUrl })
      await postgres.kill('SIGINT')
      await postgres.start({ [setting]: 'on' })
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(`${setting}=off`)
      expect(stderr).toContain('could be lost in a crash')
    },
  )
})
