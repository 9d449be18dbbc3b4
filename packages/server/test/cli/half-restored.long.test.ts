/**
 * `purser audit` of a partly restored database names every kind of object that pg_restore left out.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { auditBooks } from '../../src/cli/maintenance/audit-runner.ts'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { EMPTY_TABLE_CHECK } from '../../src/core/database/schema/empty-tables.ts'
import { SCHEMA_PARTS_CHECK } from '../../src/core/database/schema/schema-parts.ts'
import { LAGGING_COUNTER_CHECK } from '../../src/core/database/schema/sequence-repair.ts'
import { asServer, createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway } from '../support/gateway.ts'
import { playerWithMoney } from '../support/operator.ts'
import { newToken, startPlatform } from '../support/platform.ts'
import { startScriptedWallet } from '../support/scripted-wallet.ts'
import { inSql } from '../support/second-postgres.ts'
import { until } from '../support/server-settings.ts'
import { startWallet } from '../support/wallet.ts'
import { placeMessage, settleMessage } from '../support/wire.ts'

let whole: TestDatabase
beforeAll(async () => {
  whole = await createDatabase()
  await playOnAll(whole.url)
})
afterAll(() => whole?.drop())

/** A wallet, a platform and a gateway on one database, which write a row of every kind. */
async function playOnAll(databaseUrl: string): Promise<void> {
  const wallet = await startWallet({ databaseUrl })
  const platform = await startPlatform({ databaseUrl })
  const gateway = await startGateway({ databaseUrl })
  const operator = await startScriptedWallet()
  const player = await playerWithMoney(wallet.operator)
  const bet = placeMessage({ ...player, amount: 1 })
  await wallet.wire.place(bet)
  await wallet.wire.settle(settleMessage({ userId: player.userId, transactionId: bet.transactionId }))
  await wallet.operator.request('GET', '/operator/changes')
  await wallet.auditIsClean()
  const { partnerId } = await platform.partner()
  const { betId } = await platform.api.place(await platform.api.loadFrame(partnerId))
  await until(async () => (await platform.api.bet(betId)).status === 'accepted')
  await platform.api.request('GET', '/changes')
  await gateway.api.saveOperator('acme', operator)
  await gateway.api.exchange('acme', newToken())
  for (const server of [wallet, platform, gateway, operator]) await server.stop()
}

async function auditCopy(damage: string, server?: 'wallet'): Promise<Record<string, unknown>[]> {
  const copy = `half_${process.pid}_${Date.now()}`
  const name = new URL(whole.url).pathname.slice(1)
  const admin = inject('postgresUrl')
  await inSql(admin, `create database ${copy} template ${name}`)
  const url = Object.assign(new URL(whole.url), { pathname: `/${copy}` }).href
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(damage)
  await client.end()
  const db = await openDb({ kind: 'postgres', url: server === undefined ? url : asServer(server, url) })
  try {
    const config = readConfig({}, PROCESS_ROLES.tool)
    const findings = await auditBooks(db, { config, onlyChanged: false, printStatus: () => {}, progress: () => {} })
    return findings.map(({ check, row }) => ({ check, ...row }))
  } finally {
    await db.close()
    await inSql(admin, `drop database ${copy} with (force)`)
  }
}

test('the audit finds nothing in a complete database, as its owner and as a wallet that may read no other schema', async () => {
  expect(await auditCopy('select')).toEqual([])
  expect(await auditCopy('revoke all on schema platform, gateway from public', 'wallet')).toEqual([])
})

const part = (missing: string, name: string) => ({ check: SCHEMA_PARTS_CHECK, missing, name })
const empty = (table: string, other: string) => ({ check: EMPTY_TABLE_CHECK, empty: table, has_rows: other })
const halves: [string, string, object[]][] = [
  ['an index', 'drop index purser.bet_by_time', [part('index', 'purser.bet_by_time')]],
  [
    'an index whose build failed',
    "update pg_index set indisvalid = false where indexrelid = 'purser.bet_by_time'::regclass",
    [part('index', 'purser.bet_by_time')],
  ],
  [
    'a check',
    'alter table purser.account drop constraint account_version_check',
    [part('constraint', 'purser.account.account_version_check')],
  ],
  ['a function', 'drop function purser.raise_stale_row(text)', [part('function', 'purser.raise_stale_row')]],
  ['a table', 'drop table purser.webhook', [part('table', 'purser.webhook')]],
  ['players', 'truncate purser.player', [empty('purser.player', 'purser.account')]],
  ['scales', 'truncate purser.currency', [empty('purser.currency', 'purser.account')]],
  ['recorded settings', 'truncate purser.setting', [empty('purser.setting', 'purser.account')]],
  ['what describes bets', 'truncate purser.bet_details', [empty('purser.bet_details', 'purser.bet')]],
  ['the number of the feed', 'truncate purser.feed_counter', [empty('purser.feed_counter', 'purser.migration')]],
  [
    'partners',
    'truncate platform.partner',
    [empty('platform.partner', 'platform.bet'), empty('platform.partner', 'platform.frame_session')],
  ],
  ['frame sessions', 'truncate platform.frame_session', [empty('platform.frame_session', 'platform.bet')]],
  ["the gateway's players", 'truncate gateway.player', [empty('gateway.player', 'gateway.session')]],
  ["the gateway's operators", 'truncate gateway.operator', [empty('gateway.operator', 'gateway.player')]],
  [
    'a sequence',
    "select setval('purser.change_change_id_seq', 1, false)",
    [{ check: LAGGING_COUNTER_CHECK, name: 'purser.change_change_id_seq' }],
  ],
]
test.each(halves)('the audit names a restore that lacks %s', async (_what, damage, expected) => {
  expect(await auditCopy(damage)).toEqual(expect.arrayContaining(expected.map((one) => expect.objectContaining(one))))
})

const FACTS = [
  'purser.account',
  'purser.transfer',
  'purser.bet',
  'purser.bet_call',
  'purser.cash_movement',
  'platform.bet',
  'platform.delivery',
  'platform.selection',
  'platform.currency',
  'platform.event_total',
  'platform.outcome_total',
]
test.each(FACTS)('the audit finds a restore that lacks the rows of %s', async (table) => {
  expect(await auditCopy(`truncate ${table} cascade`)).not.toEqual([])
})
