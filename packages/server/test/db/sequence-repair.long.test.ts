/**
 * Logical replication copies rows but no sequences. Servers continue on such a copy once its
 * sequences are set.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberAllChanges, readChanges } from '../../src/core/change-feed/change-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { repairCounters } from '../../src/core/database/schema/sequence-repair.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'

let database: TestDatabase
let owner: pg.Client
let db: Db
beforeAll(async () => {
  database = await createDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterAll(async () => {
  await db.close()
  await owner.end()
  await database.drop()
})

describe('under a publication for all tables', () => {
  it('both feeds continue, and rows of every table can be deleted', async () => {
    await owner.query('create publication everything for all tables')
    const [wallet, platform] = [
      await startWallet({ databaseUrl: database.url }),
      await startPlatform({ databaseUrl: database.url }),
    ]
    const { userId, token, currency } = await playerWithMoney(wallet.operator)
    await wallet.wire.place({ userId, token, currency, transactionId: randomUUID() })
    const walletFeed = await wallet.operator.request('GET', '/operator/changes')
    const { partnerId } = await platform.partner()
    await platform.api.place(await platform.api.loadFrame(partnerId))
    const platformFeed = await platform.api.request('GET', '/changes')
    await wallet.auditIsClean()
    await wallet.stop()
    await platform.stop()
    expect(walletFeed).toMatchObject({ status: 200, body: { data: [{}, {}, {}, {}, {}] } })
    expect(platformFeed).toMatchObject({ status: 200, body: { data: [{ event: 'bet.accepted' }] } })
    for (const table of ['purser.bet_event', 'purser.change', 'platform.change'])
      expect(await owner.query(`delete from ${table}`)).toMatchObject({
        rowCount: expect.toSatisfy((rows) => rows > 0),
      })
    await owner.query('drop publication everything')
  })
})

describe('sequence numbers that are already used', () => {
  it('are skipped when a feed is numbered: two rows with one id get two numbers', async () => {
    const row = (bucket: number) => `(${bucket}, 70, 2, '2031-05-16', '[["a"], ["b"]]')`
    await owner.query(
      `insert into purser.change (bucket, change_id, size, at, events) overriding system value values ${row(0)}, ${row(1)}`,
    )
    const last = await numberAllChanges(db, WALLET_CHANGES)
    const numbers = (await readChanges(db, WALLET_CHANGES, last - 4n, 10)).map(({ number }) => last - number)
    expect(numbers).toEqual([3n, 2n, 1n, 0n])
    await owner.query('delete from purser.change')
  })

  it('prevent the start of a server until the owner has set the sequence', async () => {
    const { wire, operator, stop } = await startWallet({ databaseUrl: database.url })
    const { userId, token, currency } = await playerWithMoney(operator)
    await wire.place({ userId, token, currency, transactionId: randomUUID() })
    await stop()
    await owner.query("select setval('purser.change_change_id_seq', 1)")
    await expect(startWallet({ databaseUrl: database.url })).rejects.toThrow(
      /^purser.change_change_id_seq was at 1 while its table has numbers up to \d+, as after .* purser migrate, or:\n {2}select setval/s,
    )
    expect(await repairCounters(db, 'wallet')).toEqual([
      expect.stringMatching(/^purser.change_change_id_seq was at 1 .* set to \d+$/),
    ])
    expect(await repairCounters(db, 'wallet')).toEqual([])
    const again = await startWallet({ databaseUrl: database.url })
    await again.operator.deposit(userId, '5.00')
    await again.auditIsClean()
    await again.stop()
  })

  it('are logged with the remedy, which is a restart of the server', async () => {
    const lines: { level: number; msg: string; err?: { message: string } }[] = []
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const platform = await startPlatform({ databaseUrl: database.url, log })
    const { partnerId } = await platform.partner()
    const frame = await platform.api.loadFrame(partnerId)
    for (let bets = 0; bets < 5; bets++) await platform.api.place(frame) // several calls try
    await platform.api.request('GET', '/changes') // assigns the feed numbers
    const setBack = "select setval('platform.delivery_delivery_id_seq', 1, false)"
    await owner.query(setBack)
    await expect(platform.api.place(frame)).rejects.toThrow('answered 500')
    await platform.stop()
    expect(lines.map(({ err }) => err?.message)).toContainEqual(
      expect.stringMatching(
        /^duplicate key .*; a sequence or count is behind the rows of its table: start the server again/,
      ),
    )
    lines.length = 0
    await owner.query(`${setBack}; update platform.feed_counter set last_number = 0`)
    const again = await startPlatform({ databaseUrl: database.url, log })
    const next = await again.partner()
    expect((await again.api.place(await again.api.loadFrame(next.partnerId))).status).toBe('accepted')
    await again.stop()
    const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^platform.delivery_delivery_id_seq was at 0 .*: it was set to \d+$/),
      expect.stringMatching(/^platform.feed_counter was at 0 .*: it was set to \d+$/),
    ])
  })
})
