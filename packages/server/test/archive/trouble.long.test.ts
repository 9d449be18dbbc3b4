/** An archive run reports a concurrent run and a full disk, and leaves no partial file (O-13). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../../../test/tidy/source.ts'
import { run } from '../cli/command.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { archiveAll, DAY_MS, newFolder, PAST_MIDNIGHT_MS } from './archive-fixtures.ts'

const folder = newFolder()
let wallet: TestWallet
let sql: pg.Client

beforeAll(async () => {
  wallet = await startWallet()
  wallet.clock.advance(-60 * DAY_MS)
  sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
})
afterEach(() => wallet.auditIsClean())
afterAll(async () => {
  await sql.end()
  await wallet.stop()
})

/** Enough for a file of more than a block. */
async function archivable(deposits = 60): Promise<void> {
  const { userId } = await playerWithMoney(wallet.operator, '1.00')
  for (let i = 0; i < deposits; i++) await wallet.operator.deposit(userId, '1.00')
  wallet.clock.advance(PAST_MIDNIGHT_MS)
}

const args = () => {
  const before = wallet.clock.now().toISOString().slice(0, 10)
  return ['archive', '--before', before, '--to', folder.path]
}
const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

test('a second run on one database reports the first run, and takes nothing from it', async () => {
  await archivable(1)
  const holder = new pg.Client({ connectionString: wallet.databaseUrl })
  await holder.connect()
  await holder.query('begin')
  await holder.query('lock table purser.archive in exclusive mode') // a run records its file there
  const first = archiveAll(wallet, folder.path)
  await expect.poll(async () => (await sql.query(WAITING)).rowCount, { timeout: 60_000 }).toBe(1)
  const second = await run(args(), { DATABASE_URL: wallet.databaseUrl })
  await holder.query('rollback')
  await holder.end()
  expect(second).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('another purser archive is running on this database'),
  })
  expect(await first).toMatchObject({ files: 1, transfers: 2, changed: 0 })
  expect(await archiveAll(wallet, folder.path)).toMatchObject({ files: 0 })
})

/** Its files have at most one block; Postgres runs in other processes. */
async function runOnSmallDisk(): Promise<{ code: number; stderr: string }> {
  const limited = [
    '-c',
    'ulimit -f 1 && exec "$0" "$@"',
    process.execPath,
    join(ROOT, 'packages/server/dist/main.js'),
    ...args(),
  ]
  const env = { PATH: process.env.PATH, DATABASE_URL: wallet.databaseUrl }
  const child = spawn('/bin/sh', limited, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stderr }
}

test('a full disk is reported, its partial file is removed, and the next run succeeds', async () => {
  await archivable()
  const before = readdirSync(folder.path)
  const { code, stderr } = await runOnSmallDisk()
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/^purser: the file of \d+ bytes in \S+ cannot be written: /),
  ])
  expect(readdirSync(folder.path)).toEqual(before)
  expect(await run(args(), { DATABASE_URL: wallet.databaseUrl })).toMatchObject({ code: 0 })
  expect(readdirSync(folder.path)).toHaveLength(before.length + 1)
})
