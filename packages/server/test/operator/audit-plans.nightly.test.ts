/**
 * The cost of an audit grows linearly with the number of bets, before and after Postgres has
 * statistics of the tables.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AUDIT_CHUNK_SETTINGS } from '../../src/core/database/db.ts'
import { buildChangesSlice } from '../../src/wallet/operator-api/audit/incremental-audit.ts'
import { buildPlayerChecks, buildPlayerSlice } from '../../src/wallet/operator-api/audit/player-audit.ts'
import { playerWithMoney } from '../support/operator.ts'
import { planOf } from '../support/plans.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const PLAYERS = 10
const BETS_EACH = 50
/** Number of copies of each player with all bets. */
const COPIES = 80
const BETS = PLAYERS * BETS_EACH * COPIES
/** Rows per bet: the bet, its calls, its transfers. */
const FEW = 8
/** A check that compared each bet with every other would take hours. */
const SETTINGS = `${AUDIT_CHUNK_SETTINGS.text.replaceAll("', true)", "', false)")}; set statement_timeout = 60000`
const CHECKS = buildPlayerChecks(false)

let wallet: TestWallet
let sql: pg.Client

beforeAll(async () => {
  wallet = await startWallet()
  sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  await Promise.all(Array.from({ length: PLAYERS }, playSomeBets))
  for (const table of ['player', 'account', 'cash_movement', 'transfer', 'bet', 'bet_call']) await copyRows(table)
})
afterAll(async () => {
  await sql.end()
  await wallet.auditIsClean()
  await wallet.stop()
})

/** Half of the bets are settled. */
async function playSomeBets(): Promise<void> {
  const bettor = await playerWithMoney(wallet.operator)
  for (let i = 0; i < BETS_EACH; i++) {
    const names = { ...bettor, transactionId: randomUUID() }
    const placed = await wallet.wire.place({ ...names, amount: 1 })
    expect(placed).toMatchObject({ status: 200 })
    if (i % 2 === 0) await wallet.wire.settle({ ...names, amount: 2, resultType: 'won' })
  }
}

async function copyRows(table: string): Promise<void> {
  const { rows } = await sql.query(
    `select string_agg(column_name, ', ') as names from information_schema.columns
     where table_schema = 'purser' and table_name = $1 and is_generated = 'NEVER' and column_name not in ('player', 'operator_user')`,
    [table],
  )
  await sql.query(
    `insert into purser.${table} (player, ${rows[0].names}) select player || '-' || n, ${rows[0].names}
     from purser.${table}, generate_series(2, ${COPIES}) n`,
  )
}

describe.each(['before the tables are analysed,', 'after the tables are analysed,'])('%s', (when) => {
  beforeAll(async () => {
    if (when.startsWith('after')) await sql.query('analyze')
  })

  test('the audit of a slice of all players reads each of their rows once', async () => {
    const { rows } = await planOf(sql, SETTINGS, [buildPlayerSlice(CHECKS, false), [0, '', null]])
    expect(rows).toBeGreaterThan(BETS)
    expect(rows).toBeLessThan(FEW * BETS)
  }, 120_000)

  test('the audit of a slice of few changes reads their rows through indexes', async () => {
    const { rows } = await sql.query(
      "select player, version::text, bet_id, request_id from purser.transfer where kind = 'stake' order by version desc limit 1",
    )
    const [{ player, version, bet_id, request_id }] = rows
    const values = [0, [player], [bet_id], [request_id], [player], ['EUR'], [version]]
    const plan = await planOf(sql, SETTINGS, [buildChangesSlice(CHECKS, false), values])
    expect(plan.rows).toBeLessThan(200)
    expect(plan.scans).not.toContain('none')
  }, 120_000)
})
