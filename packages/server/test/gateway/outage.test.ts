/**
 * During an outage of the gateway's own database, calls that need only cached data still work.
 * Other calls fail as if the wallet had failed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { newToken } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { placeMessage, rollbackMessage, settleMessage } from '../support/wire.ts'

let database: TestDatabase
let network: TcpProxy
let gateway: TestGateway
let wallet: ScriptedWallet
beforeAll(async () => {
  database = await createDatabase()
  network = await startTcpProxy(database.url)
  gateway = await startGateway({ databaseUrl: network.url })
  wallet = await startScriptedWallet()
  await gateway.api.saveOperator('acme', wallet)
})
afterAll(async () => {
  await gateway.stop()
  await wallet.stop()
  await network.close()
  await database.drop()
})

test('during a database outage known players can bet, and calls of unknown players and the API fail', async () => {
  const [known, other] = [
    await gateway.api.exchange('acme', newToken()),
    await gateway.api.exchange('acme', newToken()),
  ]
  const { userId, token } = known
  const bet = placeMessage({ userId, token })
  expect((await gateway.wire.place(bet)).status).toBe(200)
  await network.close()

  expect((await gateway.wire.place(placeMessage({ userId, token }))).status).toBe(200)
  const rollback = rollbackMessage({ userId, token, transactionId: bet.transactionId })
  expect((await gateway.wire.rollback(rollback)).status).toBe(200)
  const failed = (status: number) => ({ status, body: { code: 100, message: 'System error' } })
  for (const userId of [other.userId, 'nobody']) {
    expect(await gateway.wire.place(placeMessage({ userId, token: other.token }))).toMatchObject(failed(400))
    expect(await gateway.wire.settle(settleMessage({ userId }))).toMatchObject(failed(500))
    expect(await gateway.wire.rollback(rollbackMessage({ userId, token: other.token }))).toMatchObject(failed(500))
  }
  expect(await gateway.wire.profile(other.token)).toMatchObject(failed(500))
  expect(await gateway.api.request('GET', '/operators')).toMatchObject({ status: 503 })
  expect((await fetch(`${gateway.url}/readyz`)).status).toBe(503)
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
})

test('the metrics contain operators and outcomes, and no player', async () => {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  expect(text).toMatch(/^gateway_calls_total\{operator="acme",outcome="answered_200"\} \d+$/m)
  expect(text).toMatch(/^gateway_calls_total\{operator="none",outcome="failed"\} \d+$/m)
  expect(text).toMatch(/^gateway_call_duration_seconds_count\{operator="acme"\} \d+$/m)
})
