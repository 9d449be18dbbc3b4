/** What is sent: in one write what a transaction sends in one turn, a system call for both sides; and every text as it is. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/db.ts'
import { statement } from '../../src/db/db.ts'
import { openDb } from '../../src/db/open.ts'
import { createDatabase } from '../support/database.ts'
import { writesDuring } from '../support/socket-writes.ts'

const ONE = statement('one', 'select $1::int as n')

let database: Awaited<ReturnType<typeof createDatabase>>
let db: Db

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})

afterAll(async () => {
  await db.close()
  await database.drop()
})

test('BEGIN and the reads in one, the last statements and COMMIT in another', async () => {
  const lane = db.openLane()
  const transaction = () =>
    lane.transaction(async (tx) => {
      await Promise.all([tx.query(ONE, [1]), tx.query(ONE, [2])])
      await tx.finish(() => Promise.all([tx.query(ONE, [3]), tx.query(ONE, [4])]))
    })
  await transaction() // connects
  expect(await writesDuring(transaction)).toBe(2)
})

test('all of a transaction that reads nothing in one', async () => {
  const lane = db.openLane()
  const transaction = () =>
    lane.transaction((tx) => tx.finish(() => Promise.all([tx.query(ONE, [1]), tx.query(ONE, [2])])))
  await transaction()
  expect(await writesDuring(transaction)).toBe(1)
})

const SAME = statement('same_texts', 'select $1::text[] as texts')

test('texts of an array arrive as they are, whatever is in them', async () => {
  const odd = [
    '"',
    '\\',
    '\n',
    '\t',
    '\b',
    '\u0001',
    '\u001f',
    '\u007f',
    '\u2028',
    'é',
    '漢',
    '😀',
    '\ud7ff',
    '\ue000',
    '{',
    ',',
    'null',
    '',
  ]
  const texts = [...odd, ...odd.map((text) => `{"a":"${text}\\"}`), JSON.stringify({ a: odd })]
  expect(await db.query(SAME, [texts])).toEqual([{ texts }])
})
