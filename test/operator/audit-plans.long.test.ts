/** What an audit costs grows with the bets, not with their square: shown by the rows that Postgres looks at, before and after its statistics. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tx } from '../../src/db/db.ts'
import { auditLedger } from '../../src/ledger/audit.ts'
import { auditBets } from '../../src/wallet/audit.ts'
import { playerWithMoney } from '../support/operator.ts'
import { planOf, type Sent, sentBy } from '../support/plans.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

const PLAYERS = 10
const BETS_EACH = 50
/** Each player is there so many times, with all bets. */
const COPIES = 80
const BETS = PLAYERS * BETS_EACH * COPIES
/** Rows that one check may look at for each bet: its own, its calls and its transfers, a few times over. One for each pair would be 40,000. */
const FEW = 40

let wallet: TestWallet
let sql: pg.Client
let checks: Sent[]

beforeAll(async () => {
  wallet = await startWallet()
  sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  await Promise.all(Array.from({ length: PLAYERS }, playSomeBets))
  for (const table of ['player', 'account', 'cash_movement', 'transfer', 'bet', 'bet_call']) await copyRows(table)
  checks = await sentBy(async (reading) => {
    await auditLedger(reading as Tx, false)
    await auditBets(reading as Tx)
  })
})
afterAll(async () => {
  await sql.end()
  await wallet.auditIsClean()
  await wallet.stop()
})

/** Half of them are settled. */
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

describe.each(['before the tables are analysed', 'after'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'after') await sql.query('analyze')
  })

  test('each check looks at a few rows for each bet', async () => {
    expect(checks.length).toBeGreaterThan(10)
    for (const check of checks) {
      const { rows } = await planOf(sql, 'set statement_timeout = 60000', check)
      expect(rows, check[0].text).toBeLessThan(FEW * BETS)
    }
  }, 120_000)
})
