/**
 * A server and the owner of the tables may have different retention settings for the journal
 * (W-30). A server with the longer retention drops no day. It stores no call if the owner keeps no
 * day.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet } from '../support/wallet.ts'

async function placeOnce(databaseUrl: string, days: string): Promise<void> {
  const server = await startWallet({ databaseUrl, env: { PURSER_JOURNAL_DAYS: days } })
  const bettor = await playerWithMoney(server.operator)
  await server.wire.place({ ...bettor, transactionId: randomUUID(), amount: 1 })
  await server.auditIsClean()
  await server.stop()
}

test('a server with a longer retention than the owner’s drops no day, and stores none if the owner stores none', async () => {
  const database = await createDatabase()
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  const days = async () =>
    (await owner.query("select from pg_inherits where inhparent = 'purser.journal'::regclass")).rows.length
  await owner.query("select purser.rotate_journal_of('purser', current_date - 40, 99)")
  await owner.query("update purser.journal_retention set days = 14 where schema = 'purser'")
  await placeOnce(database.url, '90')
  expect(await days()).toBe(6)
  await owner.query("update purser.journal_retention set days = 0 where schema = 'purser'")
  await placeOnce(database.url, '90')
  expect(await days()).toBe(0)
  await owner.end()
  await database.drop()
})
