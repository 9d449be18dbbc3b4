/** The embedded database and Postgres return every text exactly as it was stored (I-7). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const SAME = statement('text_same', 'select $1::text as text, $2::text[] as texts, $3::json as json')
const EQUAL = statement('text_equal', 'select $1::text = $2::text as same')

const TEXTS: [string, string][] = [
  ['a byte order mark at its beginning', '\ufeffbrand'],
  ['two of them at its beginning', '\ufeff\ufeffbrand'],
  ['one inside', 'br\ufeffand'],
  ['one at its end', 'brand\ufeff'],
  ['nothing but one', '\ufeff'],
  ['the mark of the other byte order', '\ufffebrand'],
  ['white space at its ends', ' \u00a0brand\u3000\t'],
  ['a composed letter', '\u00e9'],
  ['a letter and its accent', 'e\u0301'],
  ['a letter of two code units', '😀'],
  ['quotation marks and backslashes', '"\\"\\\\'],
  ['nothing', ''],
]

describe.each(['embedded', 'Postgres'])('the %s database', (kind) => {
  let database: TestDatabase | undefined
  let db: Db

  beforeAll(async () => {
    database = kind === 'Postgres' ? await createDatabase() : undefined
    db = await openDb(
      database ? { kind: 'postgres', url: database.url } : { kind: 'pglite', dataDir: 'memory://texts' },
    )
  })
  afterAll(async () => {
    await db.close()
    await database?.drop()
  })

  test.each(TEXTS)('returns a text with %s unchanged', async (_name, text) => {
    const values = [text, [text, 'a', text], JSON.stringify({ [`${text}.`]: text })]
    const row = { text, texts: values[1], json: { [`${text}.`]: text } }
    expect(await db.query(SAME, values)).toEqual([row])
    expect(await db.transaction((tx) => tx.query(SAME, values))).toEqual([row])
    expect(await db.snapshot((tx) => tx.query(SAME, values))).toEqual([row])
  })

  test('passes the texts of a script unchanged', async () => {
    const rows = await db.script((run) => run("select 'first' as text; select U&'\\FEFFlast' as text"))
    expect(rows).toEqual([{ text: '\ufefflast' }])
  })

  test('treats a composed character and its parts as two texts', async () => {
    expect(await db.query(EQUAL, ['\u00e9', 'e\u0301'])).toEqual([{ same: false }])
    expect(await db.query(EQUAL, ['brand', '\ufeffbrand'])).toEqual([{ same: false }])
  })

  test('rejects U+0000', async () => {
    await expect(db.query(EQUAL, ['a\u0000b', ''])).rejects.toMatchObject({ code: '22021' })
  })
})
