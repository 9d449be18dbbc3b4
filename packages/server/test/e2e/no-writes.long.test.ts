/**
 * Servers report that they are not ready while their database accepts no writes, as a full hosted
 * database does. They recover by themselves.
 */

import { createDeferred } from '@purser/runtime/async/deferred'
import { toExitStatus } from '@purser/runtime/command/exit-codes'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { newToken, startPlatform, type TestPlatform } from '../support/platform.ts'
import { type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { reloaded, until } from '../support/server-settings.ts'
import { startStandby } from '../support/standby.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { placeMessage, rollbackMessage, settleMessage } from '../support/wire.ts'

let postgres: SecondPostgres
let wallet: TestWallet
let platform: TestPlatform
let gateway: TestGateway
let operator: ScriptedWallet
beforeAll(async () => {
  postgres = await startSecondPostgres()
  const databaseUrl = postgres.url
  wallet = await startWallet({ databaseUrl })
  platform = await startPlatform({ databaseUrl })
  gateway = await startGateway({ databaseUrl })
  operator = await startScriptedWallet()
  await gateway.api.saveOperator('acme', operator)
})
afterEach(() => takeWrites())
afterAll(async () => {
  await wallet?.stop()
  await platform?.stop()
  await gateway?.stop()
  await operator?.stop()
  await postgres?.stop()
})

async function refuseWrites(): Promise<void> {
  await postgres.execute('alter system set default_transaction_read_only = on')
  await reloaded(postgres, 'default_transaction_read_only', 'on')
}

async function takeWrites(): Promise<void> {
  await postgres.execute('alter system reset all')
  await reloaded(postgres, 'default_transaction_read_only', 'off')
}

const servers = () => [wallet, platform, gateway]
const readiness = async (server: { url: string }) => {
  const answer = await fetch(`${server.url}/readyz`)
  return [answer.status, ((await answer.json()) as { status: string }).status]
}
const allAre = (status: number) =>
  until(async () => (await Promise.all(servers().map(readiness))).every(([now]) => now === status))

it('no server is ready on a database without writes, every call fails as in an outage, and all recover without a restart', async () => {
  const { userId } = await wallet.operator.createPlayer()
  await wallet.operator.deposit(userId, '50')
  const token = await wallet.operator.session(userId)
  const bet = placeMessage({ userId, token })
  expect((await wallet.wire.place(bet)).status).toBe(200)
  const atGateway = await gateway.api.exchange('acme', newToken())

  await refuseWrites()
  await allAre(503)
  for (const server of servers()) expect(await readiness(server)).toEqual([503, 'database takes no writes'])
  const unavailable = { status: 503, body: { code: 'unavailable' } }
  const deposit = { currency: 'EUR', amount: '1', reference: 'r-1' }
  expect(await wallet.operator.request('POST', `/operator/players/${userId}/deposits`, deposit)).toMatchObject(
    unavailable,
  )
  expect(await gateway.api.request('POST', '/operators/acme/sessions', { token: newToken() })).toMatchObject(
    unavailable,
  )
  expect(await platform.api.request('PUT', '/limits', {})).toMatchObject(unavailable)
  const rollback = rollbackMessage({ userId, token, transactionId: bet.transactionId })
  expect((await wallet.wire.rollback(rollback)).status).toBe(500)
  expect((await wallet.wire.settle(settleMessage({ userId, transactionId: bet.transactionId }))).status).toBe(500)
  expect((await wallet.wire.place(placeMessage({ userId, token }))).body).toMatchObject({ code: 100 })
  // a repeat needs no write
  expect((await gateway.wire.place(placeMessage({ ...atGateway }))).status).toBe(200)

  await takeWrites()
  await allAre(200)
  expect((await wallet.wire.rollback(rollback)).status).toBe(200)
  await wallet.auditIsClean()
})

it('an answer of a partner during a database without writes is recorded later and needs no person', async () => {
  const { wallet: partner, partnerId } = await platform.partner()
  const placed = await platform.api.place(await platform.api.loadFrame(partnerId))
  const answer = createDeferred()
  partner.next('settle', { hold: answer.promise })
  await platform.api.settle(placed.betId, 'won', '25.00')
  await until(async () => partner.of('settle', placed.betId).length === 1)
  await refuseWrites()
  await allAre(503)
  answer.resolve()
  const [delivery] = (await platform.api.bet(placed.betId)).deliveries.slice(1)
  expect(delivery).toMatchObject({ status: 'pending' })

  await takeWrites()
  await until(async () => (await platform.api.bet(placed.betId)).deliveries[1]?.status === 'done')
  const [, done] = (await platform.api.bet(placed.betId)).deliveries
  expect(done).toMatchObject({ status: 'done', attempts: 1 })
  expect(done?.needsAttentionSince).toBeUndefined()
})

const starts: [string, () => Promise<unknown>][] = [
  ['wallet', () => startWallet({ databaseUrl: postgres.url })],
  ['platform', () => startPlatform({ databaseUrl: postgres.url })],
  ['gateway', () => startGateway({ databaseUrl: postgres.url })],
]
it.each(starts)(
  'a %s that starts on a read-only database names the setting that forbids writes, with exit code 3',
  async (_name, start) => {
    await refuseWrites()
    const failure = await start().catch((error: unknown) => error)
    expect(toExitStatus(failure, 'purser')).toMatchObject({
      code: 3,
      text: expect.stringContaining('default_transaction_read_only is on'),
    })
  },
)

it('a server that starts on a standby names it, and starts after its promotion', async () => {
  const standby = await startStandby(postgres)
  const start = () => startWallet({ databaseUrl: standby.url })
  const failure = await start().catch((error: unknown) => error)
  expect(toExitStatus(failure, 'purser')).toMatchObject({ code: 3, text: expect.stringContaining('it is a standby') })
  await standby.promote()
  const promoted = await start()
  expect(await readiness(promoted)).toEqual([200, 'ready'])
  await promoted.stop()
  standby.stop()
})

it('a server detects a full disk before a bet needs a file', async () => {
  // simulates a full disk: a failed write has the same class of errors
  await postgres.execute("alter system set temp_file_limit = '1kB'")
  await postgres.execute('select pg_reload_conf()')
  await allAre(503)
  await postgres.execute('alter system reset temp_file_limit')
  await postgres.execute('select pg_reload_conf()')
  await allAre(200)
})
