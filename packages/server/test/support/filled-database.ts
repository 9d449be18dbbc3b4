/** Fills a database for tests of query plans with enough rows that a wrong plan is visible. */
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { createDatabase, type TestDatabase } from './database.ts'

export interface FilledDatabase {
  readonly sql: pg.Client
  readonly url: string
}

/** The database lives as long as the test file, or the `describe`, that calls this function. */
export function filledDatabase(...texts: readonly string[]): FilledDatabase {
  let database: TestDatabase
  let sql: pg.Client
  beforeAll(async () => {
    database = await createDatabase()
    sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    for (const text of texts) await sql.query(text)
  })
  afterAll(async () => {
    await sql?.end()
    await database?.drop()
  })
  return {
    get sql() {
      return sql
    },
    get url() {
      return database.url
    },
  }
}
