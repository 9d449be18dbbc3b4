/**
 * When a schema of another program has one of our names, the error explains this and does not
 * report a defect of our program.
 */
import { randomBytes } from 'node:crypto'
import { toExitStatus } from '@purser/runtime/command/exit-codes'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { migrateSchema, requireCurrentSchema } from '../../src/core/database/schema/schema-migration.ts'
import { createDatabase } from '../support/database.ts'

const THERE = [
  ['a schema platform', 'create schema platform'],
  ['a schema gateway', 'create schema gateway'],
  ['a schema purser with a table of a name of ours', 'create schema purser; create table purser.player (id int)'],
]

it.each(THERE)('%s makes migrate exit with 2, and nothing is changed', async (_what, sql) => {
  const name = `other_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('postgresUrl'))
  await query(url.href, `create database ${name}`)
  url.pathname = `/${name}`
  await query(url.href, sql)
  const db = await openDb({ kind: 'postgres', url: url.href })
  const failure = await migrateSchema(db).catch((error: unknown) => error)
  await db.close()
  const [{ tables }] = await query(
    url.href,
    "select count(*)::int as tables from pg_tables where schemaname = 'platform'",
  )
  await query(inject('postgresUrl'), `drop database ${name} with (force)`)
  expect(toExitStatus(failure, 'purser')).toMatchObject({
    code: 2,
    text: expect.stringMatching(/already exists.*a database of its own/),
  })
  expect(tables).toBe(0)
})

it.each([
  ['migrate', migrateSchema],
  ['a start that never migrates', requireCurrentSchema],
])('%s on a database of a commit before 0.1.0 ends with exit code 2, and says what to do', async (_what, work) => {
  const database = await createDatabase()
  await query(
    database.url,
    "update purser.migration set md5 = md5('older') where version = 1; insert into purser.migration (version) values (310)",
  )
  const db = await openDb({ kind: 'postgres', url: database.url })
  const failure = await work(db).catch((error: unknown) => error)
  await db.close()
  await database.drop()
  expect(toExitStatus(failure, 'purser')).toMatchObject({
    code: 2,
    text: expect.stringMatching(/before 0\.1\.0 .*schema version 310.* commit [0-9a-f]{40} first.*upgrade\.md/),
  })
})

async function query(url: string, sql: string): Promise<[{ tables: number }]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(sql).finally(() => client.end())
  return rows as [{ tables: number }]
}
