/**
 * The wallet answers correctly and in time despite locks: another session locks a player's row, or
 * two processes decide calls without a row to lock. It also works under a stricter isolation level.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, type TestContext, test } from 'vitest'
import { latestAnswerMs, newDatabase, newPlayers, newWallet } from '../support/fault-scene.ts'
import type { Player } from '../support/journal.ts'
import { inSql } from '../support/second-postgres.ts'
import type { WalletProcess } from '../support/wallet.ts'
import { replyCode, rollbackMessage, settleMessage, type WireReply } from '../support/wire.ts'

function newWallets(context: TestContext, databaseUrl: string): Promise<[WalletProcess, WalletProcess]> {
  return Promise.all([newWallet(context, { databaseUrl }), newWallet(context, { databaseUrl })])
}

interface TimedReply {
  status: number
  code: number | undefined
  ms: number
}

async function timed(sending: Promise<WireReply>): Promise<TimedReply> {
  const start = performance.now()
  const reply = await sending
  return { status: reply.status, code: replyCode(reply), ms: performance.now() - start }
}

/** A session at a database console that leaves its transaction open. */
async function hold(databaseUrl: string, sql: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query(sql)
  return async () => {
    await client.query('commit')
    await client.end()
  }
}

describe('a player whose row another session has locked', () => {
  const HELD_MS = 5_000
  /** Connections that deposits may use at one moment. */
  const DEPOSIT_CONNECTIONS = 3
  const DEPOSITS = 200 // each uses one of 24 connections for 0.5 s, and a bet waits 2.3 s for one

  test('may get many deposits at once, which take no connection from the bets of other players', async (context) => {
    const databaseUrl = await newDatabase(context)
    const wallet = await newWallet(context, { databaseUrl })
    const [player, other] = (await newPlayers(wallet, 2, 1_000)) as [Player, Player]
    const release = await hold(databaseUrl, `select from purser.player where player = '${player.userId}' for update`)
    const deposits = Array.from({ length: DEPOSITS }, () => wallet.operator.deposit(player.userId, '1.00'))
    const depositing = Promise.allSettled(deposits)
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await inSql(databaseUrl, waiting)).length).toBeGreaterThan(DEPOSIT_CONNECTIONS)
    const { status } = await wallet.wire.place({ ...other, amount: 1 })
    await release()
    expect(status).toBe(200)
    await depositing
    await wallet.auditIsClean()
  })

  test('delays the other players of the batch a little, and is answered with 100 and never debited', async (context) => {
    const databaseUrl = await newDatabase(context)
    const wallet = await newWallet(context, { databaseUrl })
    const [locked, ...others] = (await newPlayers(wallet, 21, 1_000)) as [Player, ...Player[]]
    const release = await hold(databaseUrl, `select from purser.player where player = '${locked.userId}' for update`)
    const heldAt = performance.now()
    // The bets are sent within few milliseconds, so that every lane has batches with several
    // players.
    const bets = Array.from({ length: 80 }, (_, number) => ({
      ...(number % 4 === 0 ? locked : (others[number % others.length] as Player)),
      transactionId: randomUUID(),
      amount: 1,
    }))
    const answers = await Promise.all(bets.map((bet) => timed(wallet.wire.place(bet))))
    await sleep(Math.max(0, heldAt + HELD_MS - performance.now()))
    await release()

    const ofLocked = answers.filter((_, number) => bets[number]?.userId === locked.userId)
    const ofOthers = answers.filter((_, number) => bets[number]?.userId !== locked.userId)
    expect(ofOthers.filter(({ status, ms }) => status !== 200 || ms > latestAnswerMs())).toEqual([])
    expect(ofLocked.filter(({ status, code, ms }) => status !== 400 || code !== 100 || ms > latestAnswerMs())).toEqual(
      [],
    )
    // Anything that still waited for the lock would now be applied after all.
    await sleep(1_000)
    expect(await wallet.operator.balance(locked.userId)).toBe('1000.00')
    expect((await wallet.wire.place({ ...locked, amount: 1 })).status).toBe(200)
    expect(await wallet.operator.balance(locked.userId)).toBe('999.00')
    await wallet.auditIsClean()
  })
})

describe.concurrent('calls about a bet of an unknown player', () => {
  const ROUNDS = 20
  const CALLS = 30

  test('get the same answer in two processes at once, although no row can be locked', async (context) => {
    const wallets = await newWallets(context, await newDatabase(context))
    for (let round = 0; round < ROUNDS; round++) {
      const bet = { userId: `unknown-${randomUUID()}`, transactionId: randomUUID() }
      const calls = Array.from({ length: CALLS }, (_, number) => {
        const { wire } = wallets[number % 2] as WalletProcess
        const message = number % 3 === 2 ? settleMessage(bet) : rollbackMessage(bet)
        return wire.call('PUT', '/payment/bet', message).then((reply) => ({ ...reply, type: message.type }))
      })
      const replies = await Promise.all(calls)
      const rollbacks = replies.filter(({ type }) => type === 3)
      expect(rollbacks.map(({ status }) => status)).toEqual(rollbacks.map(() => 200))
      expect(new Set(rollbacks.map(({ text }) => text)).size).toBe(1)
      // The bet is unknown before the first rollback, and cancelled afterwards.
      const settles = replies.filter(({ type }) => type === 2).map((reply) => [reply.status, replyCode(reply)])
      expect(settles.filter(([status, code]) => status !== 400 || (code !== 5 && code !== 20))).toEqual([])
    }
    await wallets[0].auditIsClean()
  })
})

describe.concurrent('a wallet on a database with the default isolation', () => {
  test.for(['serializable', 'repeatable read'])('%s accepts all of 300 concurrent bets', async (isolation, context) => {
    const databaseUrl = await newDatabase(context)
    const name = new URL(databaseUrl).pathname.slice(1)
    await inSql(databaseUrl, `alter database "${name}" set default_transaction_isolation = '${isolation}'`)
    const wallets = await newWallets(context, databaseUrl)
    const players = await newPlayers(wallets[0], 3, 1_000)
    const bets = Array.from({ length: 300 }, (_, number) => ({
      ...(players[number % players.length] as Player),
      amount: 1,
    }))
    const replies = await Promise.all(bets.map((bet, number) => (wallets[number % 2] as WalletProcess).wire.place(bet)))
    expect(replies.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([])
    for (const { userId } of players) expect(await wallets[0].operator.balance(userId)).toBe('900.00')
    await wallets[0].auditIsClean()
  })
})
