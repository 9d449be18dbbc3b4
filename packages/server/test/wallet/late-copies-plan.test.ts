// The copy of an earlier call is found through an index in a few rows (I-2, S-5), after any number
// of calls.
import { beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Statement, Tx } from '../../src/core/database/db.ts'
import { hotSettingsSql } from '../../src/core/database/db.ts'
import type { BetCall } from '../../src/wallet/store/bet.ts'
import { readEarlierCalls } from '../../src/wallet/store/bet-call-store.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { settle, unsettle } from './call-batch-scene.ts'

const COPIES = 20_000
const BET = 'bet-000001'
/**
 * The first 16 calls, one row for each further part of the statement, and one at the end of each.
 */
const FEW = 16 + 6

/**
 * Copies of one refused settle, one refused unsettle, one Place bet and one acknowledged settle,
 * and as many other calls.
 */
const FILL = `insert into purser.bet_call (bucket, player, bet_id, seq, operation, request_id, amount, currency, result_type, outcome, refusal, transfers, effect_at, at)
  select 0, 'alice', '${BET}', 5 * i + kind, operation, request_id, amount, 'EUR', result_type, outcome, refusal, '{}',
    case when outcome = 'repeated' then now() end, now()
  from generate_series(0, ${COPIES}) i cross join (values
    (1, 'settle', 'refused-settle', 2000, 'won', 'refused', 'recalculation_negative'),
    (2, 'unsettle', 'refused-unsettle', null, null, 'refused', 'recalculation_blocked'),
    (3, 'place', 'the-place-bet', 1000, null, 'repeated', null),
    (4, 'settle', 'acknowledged', 3000, 'won', 'repeated', null),
    (5, 'settle', 'request-', 3000, 'won', 'repeated', null)
  ) as c (kind, operation, request_id, amount, result_type, outcome, refusal)`

const filled = filledDatabase(
  FILL,
  "update purser.bet_call set request_id = request_id || seq where request_id = 'request-'",
  'vacuum purser.bet_call', // removes the old versions of updated rows
  hotSettingsSql('session'),
)

async function statementFor(call: BetCall): Promise<[Statement, readonly unknown[]]> {
  const sent: [Statement, readonly unknown[]][] = []
  const query = async (statement: Statement, values: readonly unknown[] = []) => {
    sent.push([statement, values])
    return []
  }
  await readEarlierCalls({ query } as unknown as Tx, 0, [call])
  return sent[0] as [Statement, readonly unknown[]]
}

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

async function readBy(call: BetCall): Promise<{ indexes: unknown[]; rows: number }> {
  const [{ name, text }, values] = await statementFor(call)
  const literals = values.map((value) => (Array.isArray(value) ? `'{${value[0] ?? 'NULL'}}'` : `'${value}'`))
  await filled.sql.query(`prepare ${name} as ${text}`)
  const { rows } = await filled.sql.query(`explain (analyze, format json) execute ${name} (${literals.join(', ')})`)
  await filled.sql.query(`deallocate ${name}`)
  const scans = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => /Index.* Scan$/.test(node['Node Type']))
  const read = (node: PlanNode) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return { indexes: scans.map((node) => node['Index Name']), rows: scans.reduce((sum, node) => sum + read(node), 0) }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

describe.each(['before the table is analysed', 'after'])('reading earlier calls %s', (when) => {
  beforeAll(async () => {
    if (when === 'after') await filled.sql.query('analyze purser.bet_call')
  })

  test.each([
    ['a refused settle', settle('alice', BET, 'refused-settle', 20)],
    ['a refused unsettle', unsettle('alice', BET, 'refused-unsettle')],
    ['a Place bet with PUT', unsettle('alice', BET, 'the-place-bet')],
    ['an acknowledged settle', settle('alice', BET, 'acknowledged', 30)],
    ['an acknowledged settle behind many calls', settle('alice', BET, 'request-20000', 30)],
    ['a settle under the requestId of a Place bet', settle('alice', BET, 'the-place-bet', 30)],
    ['an unsettle under the requestId of a refused settle', unsettle('alice', BET, 'refused-settle')],
    ['a new settle', settle('alice', BET, 'a-new-request', 30)],
  ])('uses the indexes of the call for %s', async (_name, call) => {
    const { indexes, rows } = await readBy(call)
    expect(indexes).toEqual(['bet_call_pkey', 'bet_call_late', 'bet_call_refused', 'bet_call_refused'])
    expect(rows).toBeLessThanOrEqual(FEW)
  })
})

test.each(['request-15', 'request-20', 'request-20000'])(
  'the late copy of %s is found among many calls',
  async (requestId) => {
    const db = await openDb({ kind: 'postgres', url: filled.url })
    try {
      const seen = await db.transaction((tx) => readEarlierCalls(tx, 0, [settle('alice', BET, requestId, 30)]))
      expect(seen.map(({ became }) => became.kind)).toEqual(['acknowledged'])
    } finally {
      await db.close()
    }
  },
)
