/**
 * Wallet, platform and gateway work on a database whose default settings were changed by `alter
 * database` and `alter role`.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway } from '../support/gateway.ts'
import { newToken, startPlatform } from '../support/platform.ts'
import { startScriptedWallet } from '../support/scripted-wallet.ts'
import { startWallet } from '../support/wallet.ts'
import { placeMessage, rollbackMessage } from '../support/wire.ts'

const SETTINGS = {
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  array_nulls: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  default_transaction_isolation: 'serializable',
  timezone: 'Pacific/Auckland',
}
const EVENT = { nameEn: 'Öster – Väst' }

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  const name = new URL(database.url).pathname.slice(1)
  for (const [setting, value] of Object.entries(SETTINGS))
    await owner.query(`alter database ${name} set ${setting} = '${value}'`)
  await owner.end()
})
afterAll(() => database?.drop())

it('a wallet on a database with other defaults accepts a bet from a live token and rolls it back', async () => {
  const wallet = await startWallet({ databaseUrl: database.url })
  const { userId } = await wallet.operator.createPlayer()
  await wallet.operator.deposit(userId, '50')
  const token = await wallet.operator.session(userId)
  const bet = placeMessage({ userId, token, event: EVENT })
  expect((await wallet.wire.place(bet)).status).toBe(200)
  expect(await wallet.operator.bet(userId, String(bet.transactionId))).toMatchObject({ status: 'open' })
  const rollback = rollbackMessage({ userId, token, transactionId: bet.transactionId })
  expect((await wallet.wire.rollback(rollback)).status).toBe(200)
  expect(await wallet.operator.balance(userId)).toBe('50.00')
  await wallet.auditIsClean()
  await wallet.stop()
})

it('a platform on a database with other defaults places, settles and lists bets', async () => {
  const platform = await startPlatform({ databaseUrl: database.url })
  const { partnerId } = await platform.partner()
  const { betId, status } = await platform.api.place(await platform.api.loadFrame(partnerId))
  expect(status).toBe('accepted')
  await platform.api.settle(betId, 'won', '25.00')
  await expect
    .poll(async () => (await platform.api.bet(betId)).deliveries.map((d) => d.status))
    .toEqual(['done', 'done'])
  const { deliveries } = await platform.api.bet(betId)
  for (const { decidedAt } of deliveries) expect(new Date(decidedAt).toISOString()).toBe(decidedAt)
  expect(await platform.api.deliveries('?status=done')).toHaveLength(2)
  await platform.stop()
})

it('a gateway on a database with other defaults exchanges a token and forwards a bet', async () => {
  const [gateway, operator] = [await startGateway({ databaseUrl: database.url }), await startScriptedWallet()]
  await gateway.api.saveOperator('acme', operator)
  const { userId, token } = await gateway.api.exchange('acme', newToken())
  const bet = placeMessage({ userId, token })
  expect((await gateway.wire.place(bet)).status).toBe(200)
  expect(
    (await gateway.wire.rollback(rollbackMessage({ userId, token, transactionId: bet.transactionId }))).status,
  ).toBe(200)
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(200)
  await gateway.stop()
  await operator.stop()
})
