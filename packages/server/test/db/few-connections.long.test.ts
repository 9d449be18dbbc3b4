import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { run } from '../cli/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const ROLE = `few_${randomBytes(4).toString('hex')}`

let database: TestDatabase
let owner: pg.Client
beforeAll(async () => {
  database = await createDatabase()
  owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
})
afterAll(async () => {
  await owner.query(`drop role ${ROLE}`)
  await owner.end()
  await database.drop()
})

function urlOf(role: string): string {
  const url = new URL(database.url)
  url.username = role
  return url.href
}

/** Sets the connection limit of the role and waits until its old connections are closed. */
async function allow(connections: number): Promise<void> {
  const { password } = new URL(database.url)
  const { rows } = await owner.query('select from pg_roles where rolname = $1', [ROLE])
  await owner.query(
    `${rows.length > 0 ? 'alter' : 'create'} role ${ROLE} login password '${password}' connection limit ${connections}`,
  )
  const used = async () => (await owner.query('select from pg_stat_activity where usename = $1', [ROLE])).rows.length
  await expect.poll(used).toBe(0)
}

test.each([1, 2])('a database with %i connections is not opened, and no connection stays', async (connections) => {
  await allow(connections)
  await expect(openDb({ kind: 'postgres', url: urlOf(ROLE) })).rejects.toThrow('too many connections')
  await allow(connections)
})

test.each(['1', '2'])('a wallet of %s processes exits with 3 and the reason', async (processes) => {
  await allow(2)
  const env = {
    DATABASE_URL: urlOf(ROLE),
    PORT: '0',
    PARTNER_SECRET: 'a-secret-of-the-partner',
    PURSER_PROCESSES: processes,
  }
  const { code, stdout, stderr } = await run(['wallet'], { ...env, OPERATOR_API_KEY: 'a-key-of-the-operator' })
  expect([code, stdout + stderr]).toEqual([3, expect.stringContaining('too many connections')])
})
