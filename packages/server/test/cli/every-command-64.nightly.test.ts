/** Every command covers all 64 buckets of a wallet, through the wallet's database or its API. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../archive/archive-fixtures.ts'
import { CHECKS } from '../operator/damage.ts'
import { platformBook } from '../reconcile/books.ts'
import { type Consumer, startConsumer } from '../support/consumer.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { inSql } from '../support/second-postgres.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { newFolder, run } from './command.ts'
import {
  ALL,
  ARCHIVED_DAYS,
  BUCKETS,
  IMPORTED,
  LEAVERS,
  OLD_DAYS,
  open,
  PLAYERS,
  payout,
  player,
  SOME,
  seed,
  won,
} from './each-bucket.ts'

const dayAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)

const folder = newFolder()
const archive = join(folder.path, 'archive')
let wallet: TestWallet
let platform: TestDatabase
let target: TestDatabase
let consumer: Consumer
const databases: TestDatabase[] = []

beforeAll(async () => {
  for (let i = 0; i < 3; i += 1) databases.push(await createDatabase())
  const [own, ...others] = databases as [TestDatabase, TestDatabase, TestDatabase]
  ;[platform, target] = others
  for (const sql of platformBook(0)) await inSql(platform.url, sql)
  consumer = await startConsumer()
  const env = { PURSER_BUCKETS: String(BUCKETS), PURSER_PRIVATE_ADDRESSES: 'allow' }
  // The database clock decides the journal partitions (W-30); this call adds the partitions of
  // older days.
  await inSql(own.url, `select purser.rotate_journal_of('purser', current_date - ${OLD_DAYS}, 99)`)
  wallet = await startWallet({ databaseUrl: own.url, env })
  await seed(wallet)
  await wallet.stop() // writes the journal
  const keys = { PARTNER_SECRET: wallet.secret, OPERATOR_API_KEY: wallet.operatorKey }
  wallet = await startWallet({ databaseUrl: own.url, env: { ...env, ...keys } })
})
afterAll(async () => {
  await wallet.stop()
  await consumer.close()
  for (const database of databases) await database.drop()
  folder.remove()
})

const onDatabase = (...args: string[]) => run(args, { DATABASE_URL: wallet.databaseUrl })
const onApi = (...args: string[]) => run([...args, '--api', wallet.url], { OPERATOR_API_KEY: wallet.operatorKey })
const sql = (text: string) => inSql(wallet.databaseUrl, text)

/** Returns stdout; the exit code must be `code`. */
async function printed(finished: ReturnType<typeof run>, code = 0): Promise<string> {
  const { stdout, stderr, code: ended } = await finished
  expect(ended, stdout + stderr).toBe(code)
  return stdout
}
async function asJson(finished: ReturnType<typeof run>, code = 0) {
  return JSON.parse(await printed(finished, code))
}
async function linesOf(finished: ReturnType<typeof run>) {
  const text = await printed(finished)
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

function countedBy<One>(all: readonly One[], keyOf: (one: One) => string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const one of all) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1
  return counts
}
const each = (count: number) => Object.fromEntries(PLAYERS.map((name) => [name, count]))

const LEFT = Object.fromEntries(LEAVERS.map((name) => [name, 1]))

const REPORT = ['report', '--from', dayAgo(OLD_DAYS + 1), '--to', dayAgo(0), '--json']
async function reported(url = wallet.databaseUrl) {
  const { data } = await asJson(run(REPORT, { DATABASE_URL: url }))
  return (data as Record<string, unknown>[]).filter(({ transfers }) => transfers !== 0)
}
const sum = (of: (bucket: number) => number) => `${ALL.reduce((total, bucket) => total + of(bucket), 0)}.00`
const BOOKED = [
  {
    ...{ transfers: 7 * BUCKETS, deposits: sum(() => 100), stakes: sum(() => 15), refunds: sum(() => 5) },
    ...{ payouts: sum(payout), adjustments: '96.00', sum: '0.00' },
  },
  { transfers: BUCKETS, stakes: sum(() => 2), sum: '0.00' },
]

/** Servers, and commands that reach a wallet only over HTTP and create their own players. */
const WITHOUT_ROW = 'sandbox,dev,wallet,platform,gateway,sign,load,conformance wallet,conformance platform'.split(',')

/** The order matters: no command removes rows that a later one needs. */
const ROWS: Record<string, () => Promise<void>> = {
  migrate: async () => {
    expect(await asJson(onDatabase('migrate', '--json'))).toMatchObject({ applied: [] })
    expect(await sql("select value from purser.setting where name = 'buckets'")).toEqual([{ value: '64' }])
  },
  grants: async () => expect(await printed(onDatabase('grants', 'wallet', 'some_role'))).toContain('some_role'),
  settings: async () => expect(await printed(onDatabase('settings', 'wallet'))).toMatch(/nothing differs\n$/),
  'keys make': async () => {
    await printed(onDatabase('keys', 'make', 'wallet', 'desk', '--role', 'support'))
  },
  'keys list': async () =>
    expect(await asJson(onDatabase('keys', 'list', 'wallet', '--json'))).toMatchObject([{ name: 'desk' }]),
  'keys rotate': async () => {
    await printed(onDatabase('keys', 'rotate', 'wallet', 'desk'))
  },
  'keys revoke': async () => {
    await printed(onDatabase('keys', 'revoke', 'wallet', 'desk'))
  },
  audit: async () => {
    expect(await printed(onDatabase('audit'))).toBe('audit: no findings\n')
    await sql('update purser.account set balance = balance + 1 where currency = $$EUR$$')
    const { findings } = await asJson(onDatabase('audit', '--json'), 1)
    await sql('update purser.account set balance = balance - 1 where currency = $$EUR$$')
    const ofLast = findings.filter(({ check }: { check: string }) => check === CHECKS.last)
    expect(countedBy(ofLast, ({ row }: { row: { player: string } }) => row.player)).toMatchObject(each(1))
    expect(await printed(onDatabase('audit', '--changed'))).toBe('audit: no findings\n')
  },
  reconcile: async () => {
    const sides = ['--platform-database-url', platform.url, '--json']
    const missing = [won, open].flatMap((of) => ALL.map(of)).sort()
    const found = async (...args: string[]) => {
      const { findings } = await asJson(run(['reconcile', ...sides, ...args]), 1)
      return findings.map(({ betId }: { betId: string }) => betId).sort()
    }
    expect(await found('--wallet-database-url', wallet.databaseUrl)).toEqual(missing)
    expect(await found('--operator-api', wallet.url, '--operator-key', wallet.operatorKey)).toEqual(missing)
  },
  calls: async () => {
    const calls = await linesOf(onApi('calls', '--limit', '500', '--json'))
    expect(countedBy(calls, ({ player }) => player)).toEqual({ ...each(5), ...LEFT })
    for (const bucket of SOME)
      expect(await linesOf(onApi('calls', '--bet', won(bucket), '--json'))).toMatchObject([
        { player: player(bucket) },
        { player: player(bucket) },
      ])
  },
  changes: async () => {
    const changes = await linesOf(onApi('changes', '--json'))
    for (const [event, count] of [
      ['bet.placed', 3],
      ['bet.settled', 1],
      ['bet.rolled_back', 1],
    ] as const)
      expect(
        countedBy(
          changes.filter((one) => one.event === event),
          ({ bet }) => bet.userId,
        ),
      ).toEqual(each(count))
    expect(changes.filter(({ event }) => event === 'player.created')).toHaveLength(BUCKETS + LEAVERS.length)
  },
  show: async () => {
    for (const bucket of SOME) {
      expect(await asJson(onApi('show', player(bucket), '--json'))).toMatchObject({ kind: 'player' })
      expect(await asJson(onApi('show', won(bucket), '--json'))).toMatchObject({
        kind: 'bet',
        bet: { status: 'settled' },
      })
      expect(await asJson(onApi('show', `${player(bucket)}/EUR-1`, '--json'))).toMatchObject({ kind: 'transfer' })
    }
  },
  report: async () => expect(await reported()).toMatchObject(BOOKED),
  'export-player': async () => {
    for (const bucket of SOME) {
      const lines = await linesOf(onDatabase('export-player', player(bucket)))
      expect(countedBy(lines, ({ kind }) => kind)).toMatchObject({ player: 1, transfer: 7, bet: 3, call: 5 })
    }
  },
  'webhooks save': async () => {
    await printed(onApi('webhooks', 'save', 'crm', consumer.url, '--event', 'bet.settled'))
  },
  'webhooks list': async () => expect(await printed(onApi('webhooks', 'list'))).toMatch(/^crm .*\n$/),
  'webhooks test': async () => {
    await printed(onApi('webhooks', 'test', 'crm'))
  },
  'webhooks replay': async () => {
    await printed(onApi('webhooks', 'replay', 'crm', '--after', '0'))
    const events = await consumer.until(BUCKETS, ({ type }) => type === 'bet.settled')
    const settled = events.filter(({ type }) => type === 'bet.settled')
    expect(countedBy(settled, ({ data }) => (data as unknown as { bet: { userId: string } }).bet.userId)).toEqual(
      each(1),
    )
  },
  'webhooks rotate': async () => {
    await printed(onApi('webhooks', 'rotate', 'crm'))
  },
  'webhooks remove': async () => {
    await printed(onApi('webhooks', 'remove', 'crm'))
  },
  retention: async () => {
    const old = `select count(*)::int as count from purser.change where at < '${dayAgo(2)}'`
    const [{ count } = {}] = await sql(old)
    expect(count).toBeGreaterThanOrEqual(BUCKETS)
    const answer = await asJson(onDatabase('retention', '--before', dayAgo(2), '--apply', '--json'))
    expect(answer).toMatchObject({ taken: { walletChanges: count }, left: { walletChanges: 0 } })
    expect(await printed(onDatabase('audit'))).toBe('audit: no findings\n')
  },
  archive: async () => {
    const before = await reported()
    const done = await asJson(onDatabase('archive', '--before', dayAgo(ARCHIVED_DAYS), '--to', archive, '--json'))
    expect(done).toMatchObject({ transfers: 7 * BUCKETS, bets: 2 * BUCKETS, heldBack: 0, changed: 0, broken: 0 })
    expect(await reported()).toEqual(before)
    expect(await printed(onDatabase('audit', '--archive', archive))).toBe('audit: no findings\n')
    for (const bucket of SOME) {
      const { bet } = await asJson(onApi('show', won(bucket), '--archive', archive, '--json'))
      expect(bet.history.map(({ transfers }: { transfers: unknown[] }) => transfers.length)).toEqual([1, 2])
    }
  },
  import: async () => {
    const file = join(folder.path, 'players.csv')
    const rows = IMPORTED.map((userId, bucket) => `${userId},EUR,${payout(bucket)}.00`)
    writeFileSync(file, ['userId,currency,balance', ...rows].join('\n'))
    const imported = (...flags: string[]) => asJson(onDatabase('import', file, '--json', ...flags))
    expect(await imported('--check')).toEqual({ imported: BUCKETS, refused: 0 })
    expect(await imported()).toEqual({ imported: BUCKETS, known: 0, refused: 0 })
    expect(await imported()).toEqual({ imported: 0, known: BUCKETS, refused: 0 })
    expect(await reported()).toMatchObject([BOOKED[0], { transfers: 2 * BUCKETS, openings: sum(payout) }])
  },
  'erase-player': async () => {
    for (const userId of LEAVERS) {
      expect(await printed(onDatabase('erase-player', userId, '--apply'))).toMatch(
        /; 1 calls were removed from the journal/,
      )
      expect((await onDatabase('export-player', userId)).code).toBe(2)
    }
    const calls = await linesOf(onApi('calls', '--limit', '500', '--json'))
    expect(countedBy(calls, ({ player }) => player)).toEqual(each(5))
    expect(await printed(onDatabase('audit', '--archive', archive))).toBe('audit: no findings\n')
  },
  move: async () => {
    const before = await reported()
    const move = ['move', '--to', target.url, '--buckets', '16', '--json']
    expect(await asJson(onDatabase(...move))).toMatchObject({ state: 'copied', players: 2 * BUCKETS + LEAVERS.length })
    const done = await asJson(onDatabase(...move, '--finish'))
    expect(done).toMatchObject({ state: 'ready', players: 2 * BUCKETS + LEAVERS.length, differences: [] })
    expect(await inSql(target.url, 'select count(distinct bucket)::int, max(bucket) from purser.player')).toEqual([
      { count: 16, max: 15 },
    ])
    expect(await reported(target.url)).toEqual(before)
    expect(await printed(run(['audit'], { DATABASE_URL: target.url }))).toBe('audit: no findings\n')
    await printed(onDatabase('move', '--reopen'))
    expect(await printed(onDatabase('audit'))).toBe('audit: no findings\n')
  },
}

test('the table of this test has a row for every command', async () => {
  const named = async (...path: string[]) => {
    const [, listed = ''] = (await printed(run([...path, '--help']))).split('Commands:\n')
    const names = [...listed.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => [...path, name].join(' '))
    return names.filter((name) => !/\bhelp$/.test(name))
  }
  const top = await named()
  const below = await Promise.all(top.map((name) => named(name)))
  const commands = top.flatMap((name, i) => (below[i]?.length ? below[i] : [name]))
  expect(commands.toSorted()).toEqual([...Object.keys(ROWS), ...WITHOUT_ROW].toSorted())
})

test('the seeded database has a player in each bucket', async () => {
  expect(await sql('select count(distinct bucket)::int from purser.player')).toEqual([{ count: BUCKETS }])
})

test.each(Object.entries(ROWS))('purser %s reads and writes all 64 buckets', (_name, row) => row())
