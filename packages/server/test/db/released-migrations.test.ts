/** A released migration never changes, and an upgraded database has the schema of a new one. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import Postgrator from 'postgrator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesIn } from '../../../../test/tidy/source.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { migrateSchema } from '../../src/core/database/schema/schema-migration.ts'
import { listSchemaParts } from '../../src/core/database/schema/schema-parts.ts'
import { DROP_EVERY_SCHEMA } from '../cli/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8')

/** Checksums of migrations: release → file → checksum. */
const RELEASED: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  read('packages/server/test/db/released-migrations.json'),
)
const PRESENT = Object.fromEntries(
  filesIn('packages/server/migrations', ['.sql']).map((path) => [
    path.replace('packages/server/migrations/', ''),
    createHash('sha256').update(read(path)).digest('hex'),
  ]),
)
/** An upgrade starts from the first release; before any release, from the present migrations. */
const [FIRST, START] = Object.entries(RELEASED)[0] ?? ['no release yet', PRESENT]

describe('released migrations', () => {
  test('every release of the changelog has the checksums of its migrations in the fixture', () => {
    const releases = [...read('CHANGELOG.md').matchAll(/^## \[?(\d+\.\d+\.\d+)/gm)].map(([, version]) => version)
    expect(Object.keys(RELEASED).sort(), `of today: ${JSON.stringify(PRESENT)}`).toEqual(releases.sort())
  })

  const releases = Object.entries(RELEASED).flatMap(([release, files]) =>
    Object.entries(files).map(([name, checksum]) => ({ release, name, checksum })),
  )
  test.each(releases)('$name is as release $release had it', ({ name, checksum }) => {
    expect(PRESENT[name]).toBe(checksum)
  })
})

describe(`an update of a database of the first release (${FIRST})`, () => {
  let database: TestDatabase
  let owner: pg.Client

  beforeAll(async () => {
    database = await createDatabase()
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await owner.query(DROP_EVERY_SCHEMA)
  })
  afterAll(async () => {
    await owner.end()
    await database.drop()
  })

  test('keeps its rows and makes the schema of a new database', async () => {
    const postgrator = new Postgrator({
      migrationPattern: fileURLToPath(new URL('../../migrations/*.sql', import.meta.url)),
      driver: 'pg',
      schemaTable: 'purser.migration',
      execQuery: (sql) => owner.query(sql),
    })
    const versions = Object.keys(START).map((name) => Number.parseInt(name, 10))
    await postgrator.migrate(String(Math.max(...versions)))
    await owner.query(`insert into purser.bet (bucket, player, bet_id, status, calls, first_seen_at, changed_at)
      values (0, 'alice', 'a-bet-of-the-release', 'unknown', 1, now(), now())`)
    const db = await openDb({ kind: 'postgres', url: database.url })
    try {
      await migrateSchema(db)
      expect(await listSchemaParts(db)).toEqual(JSON.parse(read('packages/server/migrations/parts.json')))
    } finally {
      await db.close()
    }
    expect((await owner.query('select bet_id from purser.bet')).rows).toEqual([{ bet_id: 'a-bet-of-the-release' }])
  })
})
