/**
 * Wallet and platform move to another server during operation by logical replication of Postgres,
 * which copies rows but no sequences.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { migrateSchema } from '../../src/core/database/schema/schema-migration.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const GUIDE = new URL('../../../../docs/guides/which-postgres.md', import.meta.url)

let [from, to]: SecondPostgres[] = []
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  ;[from, to] = await Promise.all([startSecondPostgres({ wal_level: 'logical' }), startSecondPostgres()])
})
afterAll(async () => {
  for (const stop of stops.reverse()) await stop().catch(() => {})
  await Promise.all([from?.stop(), to?.stop()])
})

async function migrated({ url }: SecondPostgres): Promise<void> {
  const db = await openDb({ kind: 'postgres', url })
  await migrateSchema(db)
  await db.close()
}

async function feedOf({ operator }: TestWallet, after = '0'): Promise<{ data: object[]; next: string }> {
  const { status, body } = await operator.request('GET', `/operator/changes?after=${after}`)
  expect(status).toBe(200)
  return body as { data: object[]; next: string }
}

async function use(wallet: TestWallet, platform: TestPlatform): Promise<string> {
  const { userId, token, currency } = await playerWithMoney(wallet.operator)
  await wallet.wire.place({ userId, token, currency, transactionId: randomUUID() })
  const { partnerId } = await platform.partner()
  expect((await platform.api.place(await platform.api.loadFrame(partnerId))).status).toBe('accepted')
  return userId
}

/** The statements of the guide, unchanged. */
function statementsOf(server: 'old' | 'new'): string {
  const found = new RegExp(`\`\`\`sql ${server}\\n(.*?)\`\`\``, 's').exec(readFileSync(GUIDE, 'utf8'))
  return found?.[1] ?? ''
}

/** Resolves when the changes committed so far have arrived. */
async function caughtUp(source: SecondPostgres): Promise<void> {
  const [end] = await source.execute('select pg_current_wal_lsn()::text as lsn')
  const lagging = `select from pg_replication_slots where slot_name = 'moved' and confirmed_flush_lsn < '${end?.lsn}'`
  await expect.poll(() => source.execute(lagging), { timeout: 60_000 }).toEqual([])
}

it('the new server has all rows, and wallet and platform continue after a start that sets the sequences', async () => {
  if (from === undefined || to === undefined) throw new Error('no servers')
  const wallet = await startWallet({ databaseUrl: from.url })
  const platform = await startPlatform({ databaseUrl: from.url })
  const first = await use(wallet, platform)
  await feedOf(wallet)
  await migrated(to)
  await from.execute('create role purser_owner login')
  await from.execute(statementsOf('old'))
  const [before = '', subscribe = ''] = statementsOf('new').split(/^(?=create subscription)/m)
  await to.execute(before)
  await to.execute(subscribe.replace(/'host=.*'/, `'${from.url}'`))
  const second = await use(wallet, platform) // while rows are copied
  const copied = "select from pg_subscription_rel where srsubstate <> 'r'"
  await expect.poll(() => to?.execute(copied), { timeout: 60_000 }).toEqual([])
  const published = await feedOf(wallet)
  await platform.api.request('GET', '/changes')
  await wallet.stop()
  await platform.stop()
  await caughtUp(from)
  await to.execute('drop subscription moved')

  const lines: { level: number; msg: string }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const movedWallet = await startWallet({ databaseUrl: to.url, log })
  stops.push(movedWallet.stop)
  const movedPlatform = await startPlatform({ databaseUrl: to.url, log })
  stops.push(movedPlatform.stop)
  const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg.split(' was at ')[0])
  expect(warnings.sort()).toEqual([
    'platform.change_change_id_seq',
    'platform.delivery_delivery_id_seq',
    'purser.change_change_id_seq',
  ])
  await movedWallet.auditIsClean()
  expect((await feedOf(movedWallet)).data).toEqual(published.data)
  for (const userId of [first, second]) await movedWallet.operator.deposit(userId, '5.00')
  await use(movedWallet, movedPlatform)
  expect((await feedOf(movedWallet, published.next)).data.length).toBeGreaterThan(2)
  await movedWallet.auditIsClean()
})
