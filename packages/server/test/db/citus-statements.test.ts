/**
 * Checks every SQL statement against the rules of Citus, without a Citus server. A statement that
 * writes or locks contains the bucket, so that Citus sends the statement to one worker. No
 * statement finds a row by its position (ctid), which has no meaning across workers.
 */
import { beforeAll, expect, test, vi } from 'vitest'
import { filesIn, SRC_FOLDERS } from '../../../../test/tidy/source.ts'
import type { Statement } from '../../src/core/database/db.ts'
import { DISTRIBUTED_TABLES } from '../../src/core/database/postgres/citus.ts'

/**
 * Commands of the owner that remove feed numbers in all buckets; Citus sends them to every shard.
 */
const OF_ALL_BUCKETS = [
  'move_remove_changes_in_range',
  'move_remove_changes_outside',
  'move_remove_changes_without_number',
]
/** These statements run inside functions on one shard each (citus-fast-path.ts). */
const OF_THE_GATE = ['fast_path_lock', 'fast_path_place', 'fast_path_settle']
/** On Citus, other statements replace these. */
const OF_ONE_POSTGRES = ['purser_number_changes']
const TABLE = `purser\\.(?:${DISTRIBUTED_TABLES.join('|')})\\b`
const WRITES = new RegExp(`(?:insert into|update|delete from)\\s+(${TABLE})`, 'g')
const LOCKS = /for (?:no key )?update/
/**
 * Inserts that go through all shards; for few rows, other statements name the buckets
 * (row-mapping.ts).
 */
const THROUGH_ALL = new RegExp(`insert into ${TABLE}(?: as \\w+)? \\([^)]*\\)\\s+select`)
/** Commands of the owner that insert many rows at once. */
const OF_MANY = ['import_players', 'insert_openings', 'move_add_changes']
const NAMES_BUCKET = /bucket = (?:\$\d|[a-z]+\.bucket)|\(\s*bucket\b|\bbucket, /
/** One bucket is one shard, where a position identifies a row. */
const IN_ONE = /bucket = \$\d/
const PLACE = /\b(?:ctid|xmax|tableoid)\b/

function complaintsOf({ name, text, onCitus = text, fewOnCitus }: Statement): string[] {
  if ([...OF_THE_GATE, ...OF_ALL_BUCKETS, ...OF_ONE_POSTGRES].includes(name) || !new RegExp(TABLE).test(onCitus))
    return []
  const written = new Set([...onCitus.matchAll(WRITES)].map(([, table]) => table))
  const changes = written.size > 0 || LOCKS.test(onCitus)
  return [
    ...(changes && !NAMES_BUCKET.test(onCitus) ? [`${name}: in which bucket?`] : []),
    ...(PLACE.test(onCitus) && !IN_ONE.test(onCitus)
      ? [`${name}: a row's place says nothing over several workers`]
      : []),
    ...(THROUGH_ALL.test(onCitus) && fewOnCitus === undefined && !OF_MANY.includes(name)
      ? [`${name}: goes through all buckets, for a few rows too`]
      : []),
  ]
}

const statements: Statement[] = []
/** False for files that start work when they are imported. */
const isProgram = (path: string) =>
  !['packages/server/src/main.ts', 'packages/server/src/cli/commands.ts'].includes(path) &&
  !path.startsWith('packages/simulator/src/')

beforeAll(async () => {
  vi.resetModules()
  vi.doMock('../../src/core/database/db.ts', async (original) => {
    const db = (await original()) as typeof import('../../src/core/database/db.ts')
    const noted = (...given: Parameters<typeof db.statement>) => {
      const made = db.statement(...given)
      statements.push(made)
      return made
    }
    return { ...db, statement: noted }
  })
  // An import creates the statements of its file.
  for (const path of SRC_FOLDERS.flatMap((folder) => filesIn(folder, ['.ts'])).filter(isProgram))
    await import(/* @vite-ignore */ `../../../../${path}`)
  vi.doUnmock('../../src/core/database/db.ts')
  vi.resetModules()
})

test('every statement for Citus is listed under its own name, also those of the fast path', () => {
  expect(statements.length).toBeGreaterThan(250)
  const names = statements.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(OF_THE_GATE))
})

test('statements that write or lock contain the bucket, and none finds a row by its position', () => {
  expect(statements.flatMap(complaintsOf)).toEqual([])
})

/** Every reader of the feed runs these statements several times a second. */
const ASKED_AGAIN = ['purser_look_at_changes', 'purser_last_change']

test('frequent statements query each bucket at most once, which is the cost of many buckets', () => {
  const tables = statements
    .filter(({ name }) => ASKED_AGAIN.includes(name))
    .map(({ name, text }) => [name, [...text.matchAll(new RegExp(TABLE, 'g'))].length])
  expect(Object.fromEntries(tables)).toEqual({ purser_look_at_changes: 1, purser_last_change: 0 })
})

test('rows are numbered bucket by bucket, because one statement would search every bucket', () => {
  const sent = statements.filter(({ name, onCitus }) => onCitus !== undefined || !OF_ONE_POSTGRES.includes(name))
  const writing = sent.filter(({ text, onCitus = text }) => /update purser\.change\b/.test(onCitus))
  expect(writing.map(({ name }) => name)).toContain('purser_number_changes_of_bucket')
  expect(writing.filter(({ text, onCitus = text }) => !IN_ONE.test(onCitus))).toEqual([])
})

test.each([
  ['delete from purser.session where player = $1', 'planted: in which bucket?'],
  ['select from purser.player where player = $1 for update', 'planted: in which bucket?'],
  [
    'insert into purser.bet (bucket, player) select $1::int, r.player from unnest($2::text[]) r (player)',
    'planted: goes through all buckets, for a few rows too',
  ],
  [
    'update purser.bet b set calls = 1 from purser.account a where b.bucket = a.bucket and b.ctid = $2',
    "planted: a row's place says nothing over several workers",
  ],
])('the check finds the fault in: %s', (text, complaint) => {
  expect(complaintsOf({ name: 'planted', text })).toEqual([complaint])
  expect(
    complaintsOf({ name: 'planted', text, onCitus: 'update purser.bet b set calls = 1 where bucket = $1' }),
  ).toEqual([])
})
