/**
 * The SQL statements of the guide for hosted databases work for an admin role that may create roles
 * and databases, but is no superuser.
 */
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, expect, inject, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { requirePrivileges } from '../../src/core/database/schema/database-privileges.ts'
import { run } from '../cli/command.ts'

const GUIDE = new URL('../../../../docs/guides/which-postgres.md', import.meta.url)
const NAME = `hosted_${process.pid}`
const PASSWORD = 'a-password-of-the-test'

const superuser = new pg.Client({ connectionString: inject('postgresUrl') })
afterAll(async () => {
  await superuser.query(`drop database if exists ${NAME} with (force)`)
  for (const role of ['wallet', 'owner', 'admin']) await superuser.query(`drop role if exists ${NAME}_${role}`)
  await superuser.end()
})

function urlOf(role: string, database = NAME): string {
  const url = new URL(inject('postgresUrl'))
  Object.assign(url, { username: `${NAME}_${role}`, password: PASSWORD, pathname: `/${database}` })
  return url.href
}

test('an admin without superuser rights creates roles and database, and grants the rights with migrate --grant', async () => {
  await superuser.connect()
  await superuser.query(`create role ${NAME}_admin login createrole createdb password '${PASSWORD}'`)
  const [, statements = ''] = /```sql hosted\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8')) ?? []
  const admin = new pg.Client({ connectionString: urlOf('admin', 'postgres') })
  await admin.connect()
  const named = statements.replace(/'[A-Z_]+'/g, `'${PASSWORD}'`).replaceAll(/\bpurser\b(?!_)/g, NAME)
  for (const sql of named
    .replaceAll(/\bpurser_/g, `${NAME}_`)
    .split(';\n')
    .filter(Boolean))
    await admin.query(sql)
  await admin.end()

  const migrated = await run(['migrate', '--grant', `wallet=${NAME}_wallet`], { DATABASE_URL: urlOf('owner') })
  expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining('schema version') })
  const again = await run(['migrate', '--grant', `wallet=${NAME}_wallet`], { DATABASE_URL: urlOf('admin') })
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing, it was up to date') })
  const db = await openDb({ kind: 'postgres', url: urlOf('wallet') })
  await requirePrivileges(db, 'wallet')
  await db.close()
})
