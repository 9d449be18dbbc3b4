/**
 * Concurrent calls in two wallet processes on one Postgres get right answers, although only the
 * database can order them. Cases 54, 59, 101-106, K8, K9, K12, K18, K20, K25.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { seededRandom } from '../support/random.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'
import {
  type Members,
  type PartnerWire,
  placeMessage,
  replyCode,
  rollbackMessage,
  settleMessage,
  type WireReply,
} from '../support/wire.ts'

const ROUNDS = 30
const TEN = Array.from({ length: 10 }, (_, index) => index)

const random = seededRandom('races')
let database: TestDatabase
let wallets: WalletProcess[]

/** An even number means the first process, an odd number the second. */
function wallet(number: number): WalletProcess {
  return wallets[number % 2] as WalletProcess
}

function newPlayer(amount: string) {
  return playerWithMoney(wallet(0).operator, amount)
}

/** Both processes must agree, because a wrongly cached balance is an error. */
async function balanceOf(userId: string): Promise<string> {
  const [first, second] = await Promise.all([0, 1].map((number) => wallet(number).operator.balance(userId)))
  expect(second).toBe(first)
  return first as string
}

function post(wire: PartnerWire, message: Members): Promise<WireReply> {
  return wire.call('POST', '/payment/bet', message)
}

function put(wire: PartnerWire, message: Members): Promise<WireReply> {
  return wire.call('PUT', '/payment/bet', message)
}

function expectEqualAnswers(replies: WireReply[], status: number): void {
  expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => status))
  expect(new Set(replies.map((reply) => reply.text)).size).toBe(1)
}

/**
 * Ten concurrent calls over both processes: the same bytes, or the same content with ten requestIds
 * (I-2).
 */
function tenTimes(send: typeof post, message: Members, freshRequestIds: boolean): Promise<WireReply[]> {
  return Promise.all(
    TEN.map((number) => send(wallet(number).wire, { ...message, ...(freshRequestIds && { requestId: randomUUID() }) })),
  )
}

/** A bet to settle and one to roll back, both placed, and a new one to place. */
async function mixedCalls(player: Members): Promise<((wire: PartnerWire) => Promise<WireReply>)[]> {
  const [won, withdrawn, next] = [1, 2, 3].map(() => ({ ...player, amount: 10, transactionId: randomUUID() }))
  await Promise.all([wallet(0).wire.place({ ...won }), wallet(1).wire.place({ ...withdrawn })])
  const [settle, rollback] = [
    settleMessage({ ...won, token: undefined, amount: 25 }),
    rollbackMessage({ ...withdrawn }),
  ]
  const place = placeMessage({ ...next })
  return [(wire) => put(wire, settle), (wire) => put(wire, rollback), (wire) => post(wire, place)]
}

describe.each([
  ['on', 'on'],
  ['off', 'off'],
  ['on', 'off'],
])('with the fast path %s in one process and %s in the other', (...fastPaths) => {
  beforeAll(async () => {
    database = await createDatabase()
    const start = (fastPath: string) => spawnWallet({ databaseUrl: database.url, env: { PURSER_FAST_PATH: fastPath } })
    wallets = await Promise.all(fastPaths.map(start))
  })

  afterAll(async () => {
    await Promise.all((wallets ?? []).map((each) => each.kill('SIGKILL')))
    await database?.drop()
  })

  describe('concurrent calls in two processes:', () => {
    afterEach(async () => {
      await wallet(0).auditIsClean()
    })

    test('exactly one of two bets of 80 on a balance of 100, one in each process, is accepted', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const player = await newPlayer('100.00')
        const replies = await Promise.all([0, 1].map((number) => wallet(number).wire.place({ ...player, amount: 80 })))
        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 400])
        expect(replies.map(replyCode).sort()).toEqual([7, undefined])
        expect(await balanceOf(player.userId)).toBe('20.00')
      }
    })

    test.each([
      { freshRequestIds: false, under: 'one requestId' },
      { freshRequestIds: true, under: 'ten requestIds' },
    ])(
      'the same bet sent ten times at once under $under is debited once and answered ten times alike',
      async (variant) => {
        for (let round = 0; round < ROUNDS; round++) {
          const player = await newPlayer('1000.00')
          expectEqualAnswers(
            await tenTimes(post, placeMessage({ ...player, amount: 80 }), variant.freshRequestIds),
            200,
          )
          expect(await balanceOf(player.userId)).toBe('920.00')
        }
      },
    )

    // A refusal is remembered (I-3). Otherwise the deposit would let some of the ten calls succeed.
    test('the same bet sent ten times at once during a deposit that would pay for it gets one verdict', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const player = await newPlayer('10.00')
        const deposit = wallet(round).operator.deposit(player.userId, '100.00')
        const replies = await tenTimes(post, placeMessage({ ...player, amount: 80 }), true)
        await deposit
        const accepted = replies[0]?.status === 200
        expectEqualAnswers(replies, accepted ? 200 : 400)
        expect(replyCode(replies[0] as WireReply)).toBe(accepted ? undefined : 7)
        expect(await balanceOf(player.userId)).toBe(accepted ? '30.00' : '110.00')
      }
    })

    test('a bet and its concurrent rollback net to zero in either order', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const player = await newPlayer('1000.00')
        const bet = { ...player, amount: 80, transactionId: randomUUID() }
        const [lead, wait] = [random.below(2), random.below(5)]
        const [placed, rolledBack] = await Promise.all([
          sleep(lead === 0 ? 0 : wait).then(() => post(wallet(round).wire, placeMessage(bet))),
          sleep(lead === 0 ? wait : 0).then(() => put(wallet(round + 1).wire, rollbackMessage(bet))),
        ])
        expect([200, 8]).toContain(replyCode(placed) ?? placed.status)
        expect(rolledBack.status).toBe(200)
        expect(await balanceOf(player.userId)).toBe('1000.00')
        expect((await wallet(round).operator.bet(player.userId, bet.transactionId)).status).toBe('cancelled')
      }
    })

    test('a bet and ten concurrent rollbacks of it net to zero', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const player = await newPlayer('1000.00')
        const bet = { ...player, amount: 80, transactionId: randomUUID() }
        const [placed, replies] = await Promise.all([
          post(wallet(round).wire, placeMessage(bet)),
          tenTimes(put, rollbackMessage(bet), true),
        ])
        expect([200, 8]).toContain(replyCode(placed) ?? placed.status)
        expectEqualAnswers(replies, 200)
        expect(await balanceOf(player.userId)).toBe('1000.00')
      }
    })

    test.each([
      { freshRequestIds: false, under: 'one requestId' },
      { freshRequestIds: true, under: 'ten requestIds' },
    ])(
      'the same settle sent ten times at once under $under is paid once and answered ten times alike',
      async (variant) => {
        for (let round = 0; round < ROUNDS; round++) {
          const player = await newPlayer('1000.00')
          const bet = { ...player, transactionId: randomUUID() }
          expect((await wallet(round).wire.place({ ...bet, amount: 10 })).status).toBe(200)
          const settle = settleMessage({ userId: bet.userId, transactionId: bet.transactionId, amount: 25.5 })
          expectEqualAnswers(await tenTimes(put, settle, variant.freshRequestIds), 200)
          expect(await balanceOf(player.userId)).toBe('1015.50')
        }
      },
    )

    test('settles during new bets of the same player lose no money', async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const player = await newPlayer('1000.00')
        const bets = Array.from({ length: 5 }, () => ({ ...player, amount: 10, transactionId: randomUUID() }))
        await Promise.all(bets.map((bet, number) => wallet(number).wire.place(bet)))
        const replies = await Promise.all([
          ...bets.map((bet, number) => wallet(number).wire.settle({ ...bet, token: undefined, amount: 12.34 })),
          ...bets.map((_, number) => wallet(number + round).wire.place({ ...player, amount: 7 })),
        ])
        expect(replies.map((reply) => reply.status)).toEqual(replies.map(() => 200))
        expect(await balanceOf(player.userId)).toBe('976.70') // 1000 - 5 * 10 + 5 * 12.34 - 5 * 7
      }
    })

    test('two processes that get the same calls of many players in opposite orders answer alike and never fail', async () => {
      const players = await Promise.all(Array.from({ length: 20 }, () => newPlayer('10000.00')))
      for (let round = 0; round < ROUNDS; round++) {
        const calls = random.shuffled((await Promise.all(players.map(mixedCalls))).flat())
        const forth = calls.map((call) => call(wallet(round).wire))
        const back = calls.toReversed().map((call) => call(wallet(round + 1).wire))
        const [first, second] = [await Promise.all(forth), (await Promise.all(back)).toReversed()]
        expect(first.filter((reply) => reply.status !== 200)).toEqual([])
        expect(second.map((reply) => reply.text)).toEqual(first.map((reply) => reply.text))
      }
      const left = `${10_000 + ROUNDS * 5}.00` // each round: - 10 + 25 - 10
      for (const { userId } of players) expect(await balanceOf(userId)).toBe(left)
    })
  })

  // A deadlock is a lock in the wrong order, even if the wallet survives it by a retry. Postgres
  // counts it reliably only after the session has ended, so this test is the last.
  test('Postgres resolved no deadlock in these races, and both processes end in order', async () => {
    expect(await Promise.all(wallets.map((each) => each.kill('SIGTERM')))).toEqual([0, 0])
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const counted = async (sql: string) =>
      (await client.query(`select ${sql} and datname = current_database()`)).rows[0]
    const others = 'count(*)::int as n from pg_stat_activity where pid <> pg_backend_pid()'
    await expect.poll(() => counted(others)).toEqual({ n: 0 })
    expect(await counted('deadlocks::int as n from pg_stat_database where true')).toEqual({ n: 0 })
    await client.end()
  })
})
