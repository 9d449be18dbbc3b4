/** A database of a test file that looks at plans: as its migrations leave it, and filled with so many rows that a wrong plan shows. */
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { createDatabase, type TestDatabase } from './database.ts'

export interface FilledDatabase {
  readonly sql: pg.Client
  readonly url: string
}

/** Of the file, or of the `describe` that it is called in. */
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
