/** What a list costs does not grow with the bets of others: shown by the plans that Postgres makes over 100,000 of them. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db, Statement } from '../../src/db/db.ts'
import { readStatement } from '../../src/ledger/transfer.ts'
import { listAnomalies, listBets } from '../../src/operator/bet-list.ts'
import type { OperatorDeps } from '../../src/operator/operator.ts'
import type { PlayerId } from '../../src/protocol/ids.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'

const OTHERS = 100_000
const OWN = 40
/** Rows that a page of 10 may look at: its own, the player's, and a few that share a moment. */
const FEW = 200

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: PlanNode[]
}

/**
 * One bet of others a second, with a stake each, one in a thousand an anomaly. Alice's bets are the oldest of all, and fewer than
 * the planner expects of a player: from the newest row on it would find them last.
 */
const FILL = [
  `insert into purser.bet (bucket, player, bet_id, status, calls, first_seen_at, changed_at)
   select 0, 'player-' || i % 20, 'bet-' || i, 'unknown', 1, t, t
   from generate_series(1, ${OTHERS}) i, lateral (select timestamptz '2031-01-01Z' + i * interval '1 second' as t) times`,
  `insert into purser.bet (bucket, player, bet_id, status, calls, first_seen_at, changed_at)
   select 0, 'alice', 'bet-' || i, 'unknown', 1, t, t
   from generate_series(1, ${OWN}) i, lateral (select timestamptz '2030-01-01Z' + i * interval '1 second' as t) times`,
  `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, outcome, anomaly, transfers, at)
   select bucket, player, bet_id, 1, 'settle', 'request-1', 'refused',
     case when bet_id like '%000' then 'settle_of_unknown_bet' end, '{}', first_seen_at from purser.bet`,
  `insert into purser.transfer (bucket, player, currency, version, kind, debit, credit, amount, balance_after, reference, at)
   select bucket, player, 'EUR', row_number() over (partition by player order by first_seen_at), 'deposit', 'cash_in', 'player', 1, 1,
     bet_id, first_seen_at from purser.bet`,
  `insert into purser.account (bucket, player, currency, balance, version, day, opening_version)
   select 0, 'newcomer-' || i, 'EUR', 0, 0, date '2031-01-01', 0 from generate_series(1, 5000) i`,
  `insert into purser.account (bucket, player, currency, balance, version, day, opening_version)
   select bucket, player, 'EUR', count(*), count(*), date '2031-01-01', 0 from purser.bet group by bucket, player`,
]

let database: TestDatabase
let sql: pg.Client

beforeAll(async () => {
  database = await createDatabase()
  sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  for (const text of FILL) await sql.query(text)
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

/** The statement that is sent while `work` runs. */
async function sentBy(work: (deps: OperatorDeps) => Promise<unknown>): Promise<[Statement, readonly unknown[]]> {
  const sent: [Statement, readonly unknown[]][] = []
  const query = async (statement: Statement, values: readonly unknown[] = []) => {
    sent.push([statement, values])
    return []
  }
  const db: Pick<Db, 'query'> = { query: query as Db['query'] }
  await work({ db: db as Db, clock: { now: () => new Date() }, buckets: 1, scales: new Map(), forget() {} })
  expect(sent).toHaveLength(1)
  return sent[0] as [Statement, readonly unknown[]]
}

/** Runs it as the server runs it from the sixth time on, with one plan for all values, and answers what was read. */
async function planOf([{ name, text }, values]: [Statement, readonly unknown[]]) {
  const literals = values.map((value) => sql.escapeLiteral(value instanceof Date ? value.toISOString() : String(value)))
  await sql.query(`set plan_cache_mode = force_generic_plan; prepare ${name} as ${text}`)
  const { rows } = await sql.query(`explain (analyze, format json) execute ${name} (${literals.join(', ')})`)
  await sql.query(`deallocate ${name}`)
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan)
  const scans = nodes.filter((node) => /Scan$/.test(node['Node Type']) && node['Node Type'] !== 'CTE Scan')
  return {
    // A bitmap scan has two nodes: one knows the index, the other one the rows.
    scans: scans.filter((node) => node['Node Type'] !== 'Bitmap Heap Scan').map((node) => node['Index Name'] ?? 'none'),
    rows: scans
      .filter((node) => node['Node Type'] !== 'Bitmap Index Scan')
      .reduce((sum, node) => sum + rowsReadBy(node), 0),
  }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function rowsReadBy(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  return (node['Actual Rows'] + removed) * node['Actual Loops']
}

const FROM = '2031-01-01T10:00:00Z'
const TO = '2031-01-01T11:00:00Z'
const cursor = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const AFTER = cursor('2031-01-01T02:00:00.000Z', 'player-0', 'bet-7200')
const AFTER_OWN = cursor('2030-01-01T00:00:20.000Z', 'alice', 'bet-20')

describe.each(['before the tables are analysed', 'after'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'after') await sql.query('analyze')
  })

  const all: [string, object][] = [
    ['the newest bets', {}],
    ['a page far behind', { after: AFTER }],
    ['the bets of an hour', { from: FROM, to: TO }],
    ['a page far behind within a day', { from: '2031-01-01T00:00:00Z', to: '2031-01-02T00:00:00Z', after: AFTER }],
    ['bets in a state', { status: 'unknown', after: AFTER }],
  ]
  test.each(all)('%s: through the index on the time, a few rows', async (_name, query) => {
    const plan = await planOf(await sentBy((deps) => listBets(deps, { limit: '10', ...query })))
    expect(plan.scans).toEqual(['bet_by_time'])
    expect(plan.rows).toBeLessThan(FEW)
  })

  const own: [string, object][] = [
    ['the bets', {}],
    ['a page far behind', { after: AFTER_OWN }],
    ['bets in a state and a time', { status: 'unknown', from: '2030-01-01T00:00:00Z', to: TO }],
  ]
  test.each(own)('%s of one player: through the primary key, only theirs', async (_name, query) => {
    const plan = await planOf(await sentBy((deps) => listBets(deps, { limit: '10', userId: 'alice', ...query })))
    expect(plan.scans).toEqual(['bet_pkey'])
    expect(plan.rows).toBe(OWN)
  })

  test('anomalies: through their own index, a page far behind too', async () => {
    const after = cursor('2031-01-01T02:00:00.000Z', 'player-0', 'bet-7000', '1')
    for (const query of [{}, { from: FROM, to: TO }, { after }]) {
      const plan = await planOf(await sentBy((deps) => listAnomalies(deps, { limit: '10', ...query })))
      expect(plan.scans).toEqual(['bet_call_anomaly'])
      expect(plan.rows).toBeLessThan(FEW)
    }
  })

  test('a statement: through the primary keys, only the player’s', async () => {
    const after = { at: new Date('2030-01-01T00:00:20Z'), currency: 'EUR', version: 20n }
    for (const query of [{}, { currency: 'EUR', after }, { from: new Date(FROM), to: new Date(TO) }]) {
      const asked = { limit: 10, ...query }
      const plan = await planOf(await sentBy(({ db }) => readStatement(db, 0, 'alice' as PlayerId, asked)))
      expect(plan.scans.sort()).toEqual(['account_pkey', 'transfer_pkey'])
      expect(plan.rows).toBeLessThanOrEqual(OWN + 1)
    }
  })
})
