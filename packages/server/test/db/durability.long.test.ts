/** Every acknowledged write is durable, even when database settings change while a process runs. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isOutage, NotDurableError } from '../../src/core/database/database-errors.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement, type Tx } from '../../src/core/database/db.ts'
import { type SecondPostgres, startSecondPostgres } from '../support/second-postgres.ts'
import { cancelStandbyWaits, reload, reloaded, until, waitForMissingStandby } from '../support/server-settings.ts'

let postgres: SecondPostgres
let db: Db
let lane: ReturnType<Db['openLane']>
beforeAll(async () => {
  postgres = await startSecondPostgres()
  await postgres.execute('create table public.note (text text)')
})
afterAll(() => postgres?.stop())
beforeEach(async () => {
  db = await openDb({ kind: 'postgres', url: postgres.url })
  lane = db.openLane()
})
afterEach(async () => {
  await db.close()
  await postgres.execute('alter system reset all')
  await reloaded(postgres, 'synchronous_commit', 'on')
  await reloaded(postgres, 'fsync', 'on')
})

const SHOW = statement('show_commit', "select current_setting('synchronous_commit') as level")
const NOTE = statement('note', 'insert into public.note (text) values ($1::text)')

type Work<T> = (tx: Tx) => Promise<T>
const manners: [string, <T>(work: Work<T>) => Promise<T>][] = [
  ['a transaction', (work) => db.transaction(work)],
  ['a lane', (work) => lane.transaction(work)],
]

describe.each(manners)('%s on a durable connection', (_name, begin) => {
  const level = () => begin(async (tx) => (await tx.query<{ level: string }>(SHOW))[0]?.level)

  test('commits durably when synchronous_commit is switched off, and on a new connection', async () => {
    expect(await level()).toBe('on')
    await reload(postgres, 'synchronous_commit', 'off')
    expect(await level()).toBe('on')
    await postgres.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'purser'")
    await until(() => level().then(Boolean, () => false))
    expect(await level()).toBe('on')
  })

  test('still waits for a standby when the server is configured not to wait', async () => {
    await postgres.execute("alter system set synchronous_commit = 'remote_apply'")
    await reloaded(postgres, 'synchronous_commit', 'remote_apply')
    expect(await level()).toBe('remote_apply')
    await reload(postgres, 'synchronous_commit', 'off')
    expect(await level()).toBe('remote_apply')
  })

  test('waits for the standby, if there is one, when the server is configured to wait for its own disk only', async () => {
    await postgres.execute("alter system set synchronous_commit = 'local'")
    await reloaded(postgres, 'synchronous_commit', 'local')
    expect(await level()).toBe('on')
  })

  test.each(['fsync', 'full_page_writes'])('does not start while %s is off', async (setting) => {
    await level()
    await reload(postgres, setting, 'off')
    const refusal = () =>
      level().then(
        () => undefined,
        (error) => error,
      )
    await until(async () => (await refusal()) instanceof NotDurableError)
    const error = await refusal()
    expect(String(error)).toContain(`${setting}=off`)
    expect(isOutage(error)).toBe(true)
    await reload(postgres, setting, 'on')
    await until(async () => (await refusal()) === undefined)
  })

  const writes: [string, (tx: Tx) => Promise<unknown>][] = [
    ['with its COMMIT behind', (tx) => tx.execute(NOTE, ['one'])],
    ['with its COMMIT in one round trip', (tx) => tx.finish(() => tx.execute(NOTE, ['two']))],
  ]
  test.each(writes)('is not acknowledged when a wait for the standby was cancelled, %s', async (_how, write) => {
    await level()
    await waitForMissingStandby(postgres)
    const writing = begin(write)
    await Promise.all([
      expect(writing).rejects.toBeInstanceOf(NotDurableError),
      until(() => cancelStandbyWaits(postgres)),
    ])
    await postgres.execute('alter system reset synchronous_standby_names')
    await reloaded(postgres, 'synchronous_standby_names', '')
    await begin(write) // uses another connection
  })
})

test('a server with synchronous_commit off is rejected, for every way to set it', async () => {
  await postgres.execute('create database careless')
  await postgres.execute('alter database careless set synchronous_commit = off')
  const url = new URL(postgres.url)
  url.pathname = '/careless'
  await expect(openDb({ kind: 'postgres', url: url.href })).rejects.toThrow('synchronous_commit=off')
})

test('PURSER_DURABILITY=storage accepts a server with fsync and full_page_writes off, and still pins synchronous_commit', async () => {
  for (const setting of ['fsync', 'full_page_writes']) await reload(postgres, setting, 'off')
  await expect(openDb({ kind: 'postgres', url: postgres.url })).rejects.toThrow('set PURSER_DURABILITY=storage')
  const hosted = await openDb({ kind: 'postgres', url: postgres.url, durability: 'storage' })
  const [row] = await hosted.transaction((tx) => tx.query<{ level: string }>(SHOW))
  expect(row?.level).toBe('on')
  await reload(postgres, 'synchronous_commit', 'off')
  await expect(openDb({ kind: 'postgres', url: postgres.url, durability: 'storage' })).rejects.toThrow(
    'synchronous_commit=off',
  )
  await hosted.close()
})
