/**
 * A transaction sends the statements of one turn of the event loop in a single socket write. This
 * saves system calls in this process and in Postgres.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isBusy, isOutage } from '../../src/core/database/database-errors.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db, Tx } from '../../src/core/database/db.ts'
import { statement } from '../../src/core/database/db.ts'
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

test('BEGIN is sent with the reads, and COMMIT with the last statements', async () => {
  const lane = db.openLane()
  const transaction = () =>
    lane.transaction(async (tx) => {
      await Promise.all([tx.query(ONE, [1]), tx.query(ONE, [2])])
      await tx.finish(() => Promise.all([tx.query(ONE, [3]), tx.query(ONE, [4])]))
    })
  await transaction() // opens the connection
  expect(await writesDuring(transaction)).toBe(2)
})

test('a transaction without reads is sent in one write', async () => {
  const lane = db.openLane()
  const transaction = () =>
    lane.transaction((tx) => tx.finish(() => Promise.all([tx.query(ONE, [1]), tx.query(ONE, [2])])))
  await transaction()
  expect(await writesDuring(transaction)).toBe(1)
})

const SAME = statement('same_texts', 'select $1::text[] as texts')

test('texts in an array arrive unchanged, with any characters', async () => {
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

const QUICK = statement('end_soon', "set local idle_in_transaction_session_timeout = '20ms'")

test('a transaction that the server ended because this process was too slow is repeated', async () => {
  const waits = async (tx: Tx) => {
    await tx.query(QUICK)
    const until = performance.now() + 200
    while (performance.now() < until); // blocks, like a process that gets no CPU
    await tx.query(ONE, [1])
  }
  const error = await db.transaction(waits).catch((thrown: unknown) => thrown)
  expect([isBusy(error), isOutage(error)], String(error)).toContain(true)
  expect(await db.transaction((tx) => tx.query(ONE, [1]))).toEqual([{ n: 1 }])
})
