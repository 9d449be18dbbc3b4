/**
 * A command whose reader closes the pipe (`… | head -1`) prints no error and keeps its exit code.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../../../test/tidy/source.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startWallet } from '../support/wallet.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

/** The reader closes the pipe before any output, or after the first output. */
function runUnread(
  args: string[],
  env: Record<string, string>,
  reads: 'nothing' | 'first',
): Promise<{ code: number | null; stderr: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'packages/server/dist/main.js'), ...args], {
    env: { PATH: process.env.PATH, ...env },
  })
  if (reads === 'nothing') child.stdout.destroy()
  else child.stdout.once('data', () => child.stdout.destroy())
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stderr })))
}

const PRINTING = [
  ['--help'],
  ['--version'],
  ['conformance', 'wallet', '--help'],
  ['conformance', 'wallet', '--list', '--json'],
  ['conformance', 'platform', '--list'],
]
test.each(PRINTING.map((args) => [args.join(' '), args] as const))(
  'purser %s | true prints no error',
  async (_name, args) => {
    expect(await runUnread([...args], {}, 'nothing')).toEqual({ code: 0, stderr: '' })
  },
)

test.each(['audit', 'migrate'])(
  'purser %s --json | true prints no error and ends with its own exit code',
  async (command) => {
    expect(await runUnread([command, '--json'], { DATABASE_URL: database.url }, 'nothing')).toEqual({
      code: 0,
      stderr: '',
    })
  },
)

/** Sessions of one player, a line each: more than the buffers of pipe and programs hold. */
const SESSIONS = 5_000

test('purser export-player | head -1 stops reading after the first line', async () => {
  const wallet = await startWallet({ databaseUrl: database.url })
  await wallet.operator.request('POST', '/operator/players', { userId: 'ada', currency: 'EUR' })
  await wallet.stop()
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  await sql.query(
    `insert into purser.session (bucket, token_hash, player, currency, created_at, expires_at)
     select bucket, 'session ' || number, player, 'EUR', now(), now() from purser.player, generate_series(1, $1::int) number`,
    [SESSIONS],
  )
  await sql.end()
  const env = { DATABASE_URL: database.url }
  expect(await runUnread(['export-player', 'ada'], env, 'first')).toEqual({ code: 0, stderr: '' })
})

test('purser sandbox | head -1 ends the sandbox cleanly', async () => {
  const env = { DATABASE_URL: database.url, PURSER_DATA_DIR: 'memory://', PORT: '0' }
  expect(await runUnread(['sandbox', '--faults', '0'], env, 'first')).toEqual({ code: 0, stderr: '' })
})

test.skipIf(!existsSync('/dev/full'))(
  'purser --help reports a full disk, and not as a defect of the program',
  async () => {
    const child = spawn('/bin/sh', ['-c', '"$0" packages/server/dist/main.js --help > /dev/full', process.execPath], {
      cwd: ROOT,
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    const [code] = await once(child, 'close')
    expect([code, stderr]).toEqual([3, expect.stringContaining('the disk is full')])
  },
)
