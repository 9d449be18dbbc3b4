/**
 * The list of tables for a move has each table of the schema. A new table fails here until the list
 * contains it.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { DISTRIBUTED_TABLES } from '../../src/core/database/postgres/citus.ts'
import { EXCLUDED_TABLES, FEED_TABLES, KEYED_TABLES, PLAYER_TABLES } from '../../src/wallet/relocate/move-tables.ts'

const schema = readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8')
const tables = [...schema.matchAll(/^CREATE TABLE purser\.(\w+) \(([\s\S]*?)^\)/gm)].map(
  ([, name = '', columns = '']) => ({
    name,
    isOfBuckets: /^ {4}bucket integer/m.test(columns),
  }),
)

test('each table of the wallet is moved in one way, or stays for a listed reason', () => {
  const decided = [...PLAYER_TABLES, ...KEYED_TABLES, ...FEED_TABLES, ...Object.keys(EXCLUDED_TABLES)]
  expect(decided.toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
})

test('a table with a bucket is moved with its players, or into their new bucket', () => {
  const moved: readonly string[] = [...PLAYER_TABLES, 'bet_event', 'change']
  const ofBuckets = tables.filter(({ isOfBuckets }) => isOfBuckets).map(({ name }) => name)
  expect(moved.toSorted()).toEqual(ofBuckets.toSorted())
  expect(ofBuckets.toSorted()).toEqual([...DISTRIBUTED_TABLES].toSorted())
})
