/**
 * A statement that inserts rows from named values writes the same rows as the usual statement with
 * arrays. Citus receives the former for a few rows.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { createInsertStatement, formatInsertSource, mapRows } from '../../src/core/database/row-mapping.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

interface Item {
  readonly name: string | null
  readonly at: string
  readonly details: unknown
}

const ROWS = mapRows<Item>(2, {
  name: ['text', ({ name }) => name],
  at: ['timestamptz', ({ at }) => at],
})
const WITH_JSON = mapRows<Item>(2, {
  name: ['text', ({ name }) => name],
  details: ['json', ({ details }) => JSON.stringify(details)],
})
const INSERT = createInsertStatement(
  'insert_rows',
  ROWS,
  (count) => `insert into public.item (bucket, ${ROWS.columns}) ${formatInsertSource(ROWS, count)}`,
)
const INSERT_JSON = createInsertStatement(
  'insert_rows_with_json',
  WITH_JSON,
  (count) => `insert into public.item (bucket, ${WITH_JSON.columns}) ${formatInsertSource(WITH_JSON, count)}`,
)
const READ = statement('read_items', 'select bucket, name, at, details::text from public.item order by place')
const CLEAR = statement('clear_items', 'delete from public.item')

/** Characters that are special in JSON, arrays or quotes. Postgres accepts no NUL in JSON. */
const TEXTS = ['', 'a"b', "it's", '{1,2}', '[{]}', '\\', 'ä\u{1f600}', '\u0000', ', ']
const ITEMS = TEXTS.map(
  (text, i): Item => ({
    name: text === '\u0000' ? null : text,
    at: `2031-05-16T18:00:0${i}.000Z`,
    details: { text, nested: [text, { [text]: i }] },
  }),
)

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
  await db.script((run) =>
    run('create table public.item (place serial, bucket int, name text, at timestamptz, details json)'),
  )
})

afterAll(async () => {
  await db.close()
  await database.drop()
})

async function written(how: typeof INSERT, values: readonly unknown[]) {
  await db.transaction(async (tx) => void (await tx.execute(how, values)))
  const rows = await db.query(READ, [])
  await db.transaction(async (tx) => void (await tx.execute(CLEAR, [])))
  return rows
}

const some = (count: number) => Array.from({ length: count }, (_, i) => ITEMS[i % ITEMS.length] as Item)

test.each([1, 2, 9, 16])('the statement for few rows writes %i rows as the usual statement does', async (count) => {
  const values = [7, ...ROWS.values(some(count))]
  const few = INSERT.fewOnCitus?.(values)
  expect(few?.text).toContain('values (')
  const rows = await written(few ?? INSERT, values)
  expect(rows).toHaveLength(count)
  expect(rows).toEqual(await written(INSERT, values))
})

test.each(ITEMS)('the statement for few rows writes JSON as the usual statement does: $details.text', async (item) => {
  const values = [7, ...WITH_JSON.values([item])]
  const few = INSERT_JSON.fewOnCitus?.(values)
  expect(few?.text).toContain('values (')
  expect(await written(few ?? INSERT_JSON, values)).toEqual(await written(INSERT_JSON, values))
})

test('the usual statement is used for no rows, for many, and for several with JSON', () => {
  for (const count of [0, 17]) expect(INSERT.fewOnCitus?.([7, ...ROWS.values(some(count))])).toBeUndefined()
  expect(INSERT_JSON.fewOnCitus?.([7, ...WITH_JSON.values(some(2))])).toBeUndefined()
})
