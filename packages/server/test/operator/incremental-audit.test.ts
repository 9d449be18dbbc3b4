/**
 * The incremental audit checks only rows that the feed names since the last clean audit. The
 * complete audit finds damage in all rows.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { numberAllChanges } from '../../src/core/change-feed/change-store.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { type AuditPosition, runWalletAudit } from '../../src/wallet/operator-api/audit/wallet-audit.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { CHECKS, type Check } from './damage.ts'

let wallet: TestWallet
let db: Db
let sql: pg.Client
/** Position of the last audit before the changes. */
let since: AuditPosition
const old = { userId: '', token: '', open: '', settled: '' }
const fresh = { userId: '', token: '', open: '', settled: '' }

beforeAll(async () => {
  wallet = await startWallet()
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  for (const bettor of [old, fresh]) {
    Object.assign(bettor, await playerWithMoney(wallet.operator, '100.00'))
    await playSome(bettor)
  }
  const whole = await auditSince(undefined)
  expect(whole).toMatchObject({ ok: true, isWhole: true })
  since = whole.to
  await playSome(fresh)
})
afterAll(async () => {
  await wallet.auditIsClean()
  await Promise.all([sql.end(), db.close()])
  await wallet.stop()
})

/**
 * A settled bet, a lost bet without a balance event at its end, an open bet, a refused bet, and a
 * deposit.
 */
async function playSome(bettor: typeof old): Promise<void> {
  const { userId, token } = bettor
  Object.assign(bettor, { open: randomUUID(), settled: randomUUID() })
  const lost = randomUUID()
  for (const transactionId of [bettor.open, bettor.settled, lost])
    expect(await wallet.wire.place({ userId, token, transactionId, amount: 10 })).toMatchObject({ status: 200 })
  await wallet.wire.settle({ userId, transactionId: lost, amount: 0, resultType: 'lost' })
  await wallet.wire.settle({ userId, transactionId: bettor.settled, amount: 25 })
  await wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 9_999 })
  const deposit = { currency: 'EUR', amount: '5.00', reference: randomUUID() }
  await wallet.operator.request('POST', `/operator/players/${userId}/deposits`, deposit)
}

/** Like the command, it first numbers the changes. */
async function auditSince(from: AuditPosition | undefined) {
  await numberAllChanges(db, WALLET_CHANGES)
  return runWalletAudit(db, { clawback: 'refuse', since: from })
}

async function found(from: AuditPosition | undefined): Promise<string[]> {
  const { findings } = await auditSince(from)
  return [...new Set(findings.map(({ check }) => check))].sort()
}

const named = (checks: readonly Check[]) => checks.map((check) => CHECKS[check]).sort()

test('an incremental audit of correct changes finds nothing, and reports up to which event it read', async () => {
  const report = await auditSince(since)
  expect(report).toMatchObject({ ok: true, isWhole: false, findings: [] })
  expect(report.to.number).toBeGreaterThan(since.number)
  expect(await runWalletAudit(db, { clawback: 'refuse', since: report.to })).toMatchObject({ ok: true, isWhole: false })
})

test('an incremental audit reports its progress', async () => {
  const progressReports = new Map<string, (number | bigint)[]>()
  const progress = (what: string, done: number | bigint, of: number | bigint = 0) =>
    void progressReports.set(what, [done, of])
  await numberAllChanges(db, WALLET_CHANGES)
  await runWalletAudit(db, { clawback: 'refuse', progress })
  for (const what of ['accounts', 'events']) {
    const [done, of] = progressReports.get(what) ?? []
    expect(done).toBe(of)
    expect(of).toBeGreaterThan(1)
  }
})

test('an incremental audit from an event that the feed no longer has reads everything', async () => {
  const later = { number: since.number + 1_000_000n, day: null }
  expect(await runWalletAudit(db, { clawback: 'refuse', since: later })).toMatchObject({ ok: true, isWhole: true })
})

/**
 * Damage to a player. Only the complete audit finds the damage to the old player; the incremental
 * audit finds the damage to the fresh one.
 */
const DAMAGE: [string, string, Check[]][] = [
  [
    'a balance with a cent too much',
    "update purser.account set balance = balance + 1 where player = :player and currency = 'EUR'",
    ['balanced', 'sum', 'last', 'lastBalance'],
  ],
  [
    'a transfer of a cent more',
    "update purser.transfer set amount = amount + 1 where bet_id = :settled and kind = 'payout'",
    ['balanced', 'sum', 'chain', 'perBet'],
  ],
  [
    'a lost transfer that never touched the player',
    "delete from purser.transfer where bet_id = :settled and kind = 'stake_closed'",
    ['chain', 'perBet', 'named'],
  ],
  ['a bet with another stake', 'update purser.bet set stake = stake + 1 where bet_id = :open', ['perBet']],
  ['a bet that is lost', 'delete from purser.bet where bet_id = :open', ['once', 'named']],
  ['a call too many', 'update purser.bet set calls = calls + 1 where bet_id = :open', ['calls']],
  [
    'a call that is lost',
    'delete from purser.bet_call where bet_id = :settled and seq = 2',
    ['calls', 'named', 'state'],
  ],
  [
    'a stake that is called a payout',
    "update purser.transfer set kind = 'payout' where bet_id = :open and kind = 'stake'",
    ['once', 'kinds'],
  ],
  ['a stake that is another transfer', 'update purser.bet set stake_version = 99 where bet_id = :open', ['named']],
  [
    'a deposit without its record',
    `delete from purser.cash_movement where player = :player
       and version = (select max(version) from purser.cash_movement where player = :player and kind = 'deposit')`,
    ['cash'],
  ],
]

describe.each(DAMAGE)('the audit finds %s', (_what, text, checks) => {
  const TABLES = ['account', 'transfer', 'cash_movement', 'bet', 'bet_call']

  async function withDamage(to: typeof old, work: () => Promise<void>): Promise<void> {
    for (const table of TABLES) {
      const columns = await columnsOf(table)
      await sql.query(`create table public.untouched_${table} as select ${columns} from purser.${table}`)
    }
    const { userId: player, ...bets } = to
    const names: Record<string, string> = { player, ...bets }
    const { rowCount } = await sql.query(
      text.replaceAll(/(?<!:):(\w+)/g, (_all, name: string) => sql.escapeLiteral(names[name] ?? '')),
    )
    expect(rowCount).toBe(1)
    try {
      await work()
    } finally {
      await sql.query(`begin; truncate ${TABLES.map((table) => `purser.${table}`).join(', ')}`)
      for (const table of TABLES) {
        const columns = await columnsOf(table)
        await sql.query(`insert into purser.${table} (${columns}) select ${columns} from public.untouched_${table}`)
        await sql.query(`drop table public.untouched_${table}`)
      }
      await sql.query('commit')
    }
  }

  async function columnsOf(table: string): Promise<string> {
    const { rows } = await sql.query(
      `select string_agg(column_name, ', ') as names from information_schema.columns
       where table_schema = 'purser' and table_name = $1 and is_generated = 'NEVER'`,
      [table],
    )
    return rows[0].names
  }

  test('in rows that changed', () => withDamage(fresh, async () => expect(await found(since)).toEqual(named(checks))))

  test('in rows that did not change only when it reads everything', () =>
    withDamage(old, async () => {
      expect(await found(since)).toEqual([])
      expect(await found(undefined)).toEqual(named(checks))
    }))
})

test('the incremental audit finds a lost row of the feed', async () => {
  await sql.query('create table public.untouched as select * from purser.change')
  await sql.query(
    "delete from purser.change where events::text like '%bet.placed%' and events::text like '%' || $1::text || '%'",
    [fresh.settled],
  )
  expect(await found(since)).toEqual(named(['numbered', 'balanceChain']))
  await sql.query(
    'begin; truncate purser.change; insert into purser.change overriding system value select * from public.untouched; commit',
  )
})
