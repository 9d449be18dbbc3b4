/**
 * Each connection sets the Postgres parameters that its statements need, so other defaults of
 * server, database or role have no effect.
 */
import { randomBytes } from 'node:crypto'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { toStrictTimeParser } from '../../src/core/database/postgres/session-settings.ts'

const NAME = `session_${randomBytes(6).toString('hex')}`
/** Unfavourable defaults, as a production database may have them. */
const HOSTILE = {
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  timezone: 'Pacific/Auckland',
  array_nulls: 'off',
  standard_conforming_strings: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  client_min_messages: 'error',
  search_path: 'hostile',
  statement_timeout: '1s',
  idle_session_timeout: '1s',
}

let db: Db
beforeAll(async () => {
  await asAdmin(async (admin) => {
    await admin.query(`create database ${NAME}`)
    for (const [name, value] of Object.entries(HOSTILE))
      await admin.query(`alter database ${NAME} set ${name} = '${value}'`)
  })
  db = await openDb({ kind: 'postgres', url: urlOf(NAME) })
})
afterAll(async () => {
  await db?.close()
  await asAdmin(async (admin) => void (await admin.query(`drop database ${NAME} with (force)`)))
})

/** Writes values and reads them back, to show the formats of the session. */
const ROUND = statement(
  'test_round',
  `select $1::timestamptz as at, ($1::timestamptz)::text as at_text, array[$1::timestamptz] as times, $2::text[] as list, '\\x' as slash,
     '\\x00ff'::bytea as bytes, (0.1::float8 + 0.2::float8)::text as sum, '-1 day -02:03'::interval::text as interval,
     current_setting('transaction_isolation') as isolation, current_setting('client_min_messages') as messages,
     current_setting('search_path') as path, current_setting('idle_session_timeout') as idle, null = null as nothing`,
)
const AT = new Date('2026-03-04T05:06:07.008Z')
const COME_BACK = {
  at: AT,
  at_text: '2026-03-04 05:06:07.008+00',
  times: [AT],
  list: ['a', null, 'NULL'],
  slash: '\\x',
  bytes: Buffer.from([0, 255]),
  sum: '0.30000000000000004',
  interval: '-1 days -02:03:00',
  messages: 'notice',
  path: 'pg_catalog',
  idle: '0',
  nothing: null,
}

type Ask = (db: Db) => Promise<unknown>
const round = (reading: Pick<Db, 'query'>) => reading.query(ROUND, [AT.toISOString(), ['a', null, 'NULL']])
const connections: [string, Ask][] = [
  ['transactions', (db) => db.transaction(round)],
  ['lanes', (db) => db.openLane().transaction(round)],
  ['commands', (db) => db.longTransaction(round)],
  ['single reads', round],
  ['people', (db) => round(db.userQueries)],
]
const snapshots: [string, Ask][] = [
  ['audits', (db) => db.snapshot(round)],
  ['sums', (db) => db.reportSnapshot(round)],
]

describe('a database with other default settings returns the usual values:', () => {
  it.each(connections)('%s read and write', async (_name, ask) => {
    expect(await ask(db)).toMatchObject([{ ...COME_BACK, isolation: 'read committed' }])
  })

  it.each(snapshots)('%s read', async (_name, ask) => {
    expect(await ask(db)).toMatchObject([{ ...COME_BACK, isolation: 'repeatable read' }])
  })
})

it('the embedded database has the same settings', async () => {
  const embedded = await openDb({ kind: 'pglite', dataDir: 'memory://' })
  const [row] = (await embedded.transaction(round)) as [typeof COME_BACK]
  await embedded.close()
  expect(row).toMatchObject({ ...COME_BACK, bytes: expect.anything() })
})

it('a timestamp that cannot be parsed is an error, alone and in a list', () => {
  const parser = (oid: number) => toStrictTimeParser(pg.types.getTypeParser(oid, 'text') as (text: string) => unknown)
  expect(() => parser(1184)('04/03/2026 18:06:07.008 NZDT')).toThrow(/04\/03\/2026.*ISO 8601/)
  expect(() => parser(1185)('{"04/03/2026 18:06:07.008 NZDT"}')).toThrow(/ISO 8601/)
  expect(parser(1184)('infinity')).toBe(Number.POSITIVE_INFINITY)
})

it.each(['WIN1251', 'LATIN1', 'EUC_JP', 'SQL_ASCII'])(
  'a database with the encoding %s is rejected with a clear error',
  async (encoding) => {
    const name = `${NAME}_${encoding.toLowerCase()}`
    await asAdmin(async (admin) => {
      await admin.query(
        `create database ${name} encoding '${encoding}' template template0 locale_provider libc lc_collate 'C' lc_ctype 'C'`,
      )
    })
    const refusal = await openDb({ kind: 'postgres', url: urlOf(name) }).catch((error: unknown) => error)
    await asAdmin(async (admin) => void (await admin.query(`drop database ${name} with (force)`)))
    expect(refusal).toBeInstanceOf(UsageError)
    expect(String(refusal)).toContain(`the database ${name} in DATABASE_URL has the encoding ${encoding}`)
    expect(String(refusal)).toContain("encoding 'UTF8'")
  },
)

async function asAdmin(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  await work(admin).finally(() => admin.end())
}

function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${database}`
  return url.href
}
