/**
 * The feed works in bad conditions: a long time without readers, a table without statistics, a
 * reader with an expired key.
 */
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFeed, type FeedEvent } from '../../src/core/change-feed/change-feed.ts'
import { createFeedStream } from '../../src/core/change-feed/feed-stream.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { hotSettingsSql } from '../../src/core/database/db.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let sql: pg.Client
beforeEach(async () => {
  database = await createDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
})
afterEach(async () => {
  await sql.end()
  await database.drop()
})

const fresh = (rows: number) =>
  sql.query(
    `insert into purser.change (bucket, size, at, events) select 0, 1, now(), '[["a"]]' from generate_series(1, ${rows})`,
  )

interface Node {
  'Rows Removed by Join Filter'?: number
  Plans?: Node[]
}
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

/** Number of row pairs that the statement compared without a match. */
async function numberInVain(): Promise<number> {
  await sql.query(`${hotSettingsSql('session')}; set statement_timeout = 0; set plan_cache_mode = force_generic_plan`)
  await sql.query(`prepare number_changes as ${WALLET_CHANGES.number.text}`)
  const { rows } = await sql.query('explain (analyze, format json) execute number_changes')
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan).reduce(
    (sum, node) => sum + (node['Rows Removed by Join Filter'] ?? 0),
    0,
  )
}

test('numbering a table without statistics compares no row with another', async () => {
  await fresh(3_000)
  expect(await numberInVain()).toBe(0)
})

test('numbering a feed after a long pause of its readers compares no row with another', async () => {
  await fresh(20_000)
  await sql.query(
    'update purser.change set last_number = change_id; update purser.feed_counter set last_number = 20000; analyze',
  )
  await fresh(3_000)
  expect(await numberInVain()).toBe(0)
  const { rows } = await sql.query('select last_number from purser.feed_counter')
  expect(rows).toEqual([{ last_number: '23000' }])
})

test('the latest cursor is after every existing event, including events without a number', async () => {
  await fresh(12_000)
  const db = await openDb({ kind: 'postgres', url: database.url })
  try {
    const feed = createFeed(db, WALLET_CHANGES)
    expect(await feed.poll('latest', 10, 0)).toEqual({ kind: 'page', page: { events: [], next: '12000' } })
  } finally {
    await db.close()
  }
})

test('a stream ends after a time limit, so that an expired key does not read for ever (W-25)', async () => {
  await fresh(3)
  const db = await openDb({ kind: 'postgres', url: database.url })
  try {
    const show = ({ id }: FeedEvent) => ({ id, event: 'a' })
    let text = ''
    for await (const part of createFeedStream(createFeed(db, WALLET_CHANGES), '0', show, 300)) text += part
    expect(text.match(/^id: .*/gm)).toEqual(['id: 1', 'id: 2', 'id: 3'])
  } finally {
    await db.close()
  }
})
