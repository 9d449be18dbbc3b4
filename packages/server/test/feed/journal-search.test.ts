/**
 * The search of the journal finds the same calls as a scan of every call, for every filter, over
 * days and processes (W-30).
 */
import { randomUUID } from 'node:crypto'
import { createLogger } from '@purser/runtime/logger'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createCallJournal } from '../../src/core/call-journal/call-journal.ts'
import {
  type CallListEntry,
  findNewestCalls,
  type JournalCallQuery,
  listCalls,
} from '../../src/core/call-journal/journal-call-list.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, type Queryable, statement } from '../../src/core/database/db.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const DAY_MS = 86_400_000
/** Noon, so that all calls are inside the retention of `days`. */
const FIRST = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00Z`) - 5 * DAY_MS
const CALLS = 1_500
/**
 * Milliseconds of a scan in a journal of millions of segments. A page ends before it reaches the
 * oldest call.
 */
const LOOK_MS = 40
const PROCESSES = 2

let database: TestDatabase
let db: Db
const added: {
  requestId: string
  at: number
  player: string
  operation: string
  code: number | undefined
  ms: number
}[] = []

beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
  for (const day of [0, 1, 4]) {
    await db.transaction((tx) => tx.query(MAKE_DAY, [new Date(FIRST + day * DAY_MS)]))
    await fill(FIRST + day * DAY_MS)
  }
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

const MAKE_DAY = statement('test_make_day', "select purser.rotate_journal_of('purser', $1::date, 14)")

/** Some minutes of calls by two processes in turn; some calls took seconds. */
async function fill(from: number): Promise<void> {
  let now = from
  const clock = { now: () => new Date(now) }
  const journals = Array.from({ length: PROCESSES }, () =>
    createCallJournal({ db, clock, log: createLogger('silent'), schema: 'purser', days: 14 }),
  )
  for (let i = 0; i < CALLS; i++) {
    now += i % 40 === 0 ? 9_000 : i % 3
    const requestId = randomUUID()
    const operation = i % 2 === 0 ? 'place' : 'settle'
    const code = i % 97 === 0 ? 7 : undefined
    const ms = i % 50 === 0 ? 5_000 : 12
    const player = `player-${i % 11}`
    const times = { ageMs: ms, arrivalMs: 2, workMs: ms - 2 }
    const answer = code === undefined ? '{}' : `{"code":${code}}`
    journals[i % PROCESSES]?.add({
      ...{ source: '127.0.0.1', operation, outcome: code === undefined ? 'accepted' : 'not_enough_money', player },
      ...{ betId: `bet-${i}`, requestId, secret: 0, status: code === undefined ? 200 : 400, answer, ...times },
      body: Buffer.from(`{"requestId":"${requestId}"}`),
    })
    added.push({ requestId, at: now - ms, player, operation, code, ms })
  }
  await Promise.all(journals.map((journal) => journal.stop()))
}

async function all(query: JournalCallQuery): Promise<CallListEntry[]> {
  const found: CallListEntry[] = []
  let after: string | undefined
  do {
    const { data, next } = await listCalls(db.userQueries, 'purser', {
      ...query,
      ...(after !== undefined && { after }),
    })
    found.push(...data)
    after = next ?? undefined
  } while (after !== undefined)
  return found
}

const iso = (at: number) => new Date(at).toISOString()
const middle = FIRST + DAY_MS + 60_000

test.each<[string, JournalCallQuery, (call: (typeof added)[number]) => boolean]>([
  ['all', { limit: '500' }, () => true],
  ['of a player', { player: 'player-3', limit: '7' }, ({ player }) => player === 'player-3'],
  ['of nobody', { player: 'player-33' }, () => false],
  ['of one name as another kind', { transactionId: 'player-3' }, () => false],
  ['with a code', { code: '7' }, ({ code }) => code === 7],
  ['slow', { slowerThan: '1000', limit: '10' }, ({ ms }) => ms > 1_000],
  [
    'of an operation, in a span of time',
    { operation: 'settle', from: iso(middle - 20_000), to: iso(middle), limit: '50' },
    ({ operation, at }) => operation === 'settle' && at >= middle - 20_000 && at < middle,
  ],
  [
    'of a player, in small pages',
    { player: 'player-5', from: iso(middle), limit: '9' },
    ({ player, at }) => player === 'player-5' && at >= middle,
  ],
])('the search "%s" finds each call once, the newest first', async (_what, query, isWanted) => {
  const wanted = added.filter(isWanted)
  const found = await all(query)
  expect(found.map(({ requestId }) => requestId).sort()).toEqual(wanted.map(({ requestId }) => requestId).sort())
  expect(found.map(({ at }) => at)).toEqual(
    wanted
      .map(({ at }) => iso(at))
      .sort()
      .reverse(),
  )
})

test('a call is found by its requestId, with all recorded data', async () => {
  const [first] = added
  const [call] = await all({ requestId: first?.requestId ?? '' })
  expect(call).toMatchObject({ player: 'player-0', transactionId: 'bet-0', answer: { status: 400, code: 7 } })
})

test('all filters can be combined in one query', async () => {
  const query = {
    player: 'player-3',
    transactionId: 'bet-3',
    requestId: 'request-3',
    operation: 'place',
    outcome: 'accepted',
  } as const
  expect(
    await all({ ...query, code: '7', slowerThanMs: '0', from: iso(FIRST), to: iso(middle) } as JournalCallQuery),
  ).toEqual([])
})

test('a query about one id continues for any time that one scan takes', async () => {
  const oldest = added[0] as (typeof added)[number]
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now) // a busy machine makes no scan longer
  onTestFinished(() => void vi.restoreAllMocks())
  const slow: Queryable = {
    query: (...asked) => {
      now += LOOK_MS
      return db.userQueries.query(...asked)
    },
  }
  const page = await listCalls(slow, 'purser', { requestId: oldest.requestId })
  expect([page.data, page.next]).toEqual([[], expect.any(String)])
  const { data } = await findNewestCalls(slow, 'purser', { requestId: oldest.requestId })
  expect(data.map(({ requestId }) => requestId)).toEqual([oldest.requestId])
})
