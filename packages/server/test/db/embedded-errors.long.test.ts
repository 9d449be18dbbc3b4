/**
 * The embedded database still works after any number of failed statements. An earlier version of
 * PGlite lost stack space with each error and stopped working after 1,160 errors.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Db, statement } from '../../src/core/database/db.ts'
import { openPglite } from '../../src/core/database/pglite/pglite.ts'

const ERRORS = 4_000
const fails = statement('test_fails', 'select 1 / ($1::int - 1) as nothing')
const works = statement('test_works', 'select $1::int as one')

let db: Db
beforeAll(async () => {
  db = await openPglite('memory://')
})
afterAll(() => db.close())

test(`the embedded database works after ${ERRORS} transactions that failed, and as many statements`, async () => {
  for (let i = 1; i <= ERRORS; i++) {
    await expect(db.transaction((tx) => tx.query(fails, [1]))).rejects.toThrow('division by zero')
    await expect(db.query(fails, [1])).rejects.toThrow('division by zero')
  }
  expect(await db.transaction((tx) => tx.query(works, [1]))).toEqual([{ one: 1 }])
})
