/** For each kind of damage, the audit reports exactly the checks that the damage violates. */
import { randomUUID } from 'node:crypto'
import { money, STANDARD_SCALES } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { createCommandActor } from '../../src/core/auth/audit-log/audit-log.ts'
import { formatFeedCheckNames } from '../../src/core/change-feed/feed-audit.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { DAILY_CHECKS } from '../../src/wallet/ledger/daily-sums-audit.ts'
import { buildPlayerChecks } from '../../src/wallet/operator-api/audit/player-audit.ts'
import { importRows } from '../../src/wallet/operator-api/players/player-importer.ts'
import { FEED_BALANCE_CHECKS } from '../../src/wallet/store/feed-balance-audit.ts'
import type { Player } from '../../src/wallet/store/player.ts'
import { WALLET_CHANGES } from '../../src/wallet/store/wallet-changes.ts'
import { changeMoneySettings } from '../support/money-settings.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { objectOf, rowsOf } from './answers.ts'
import { CHECKS, type Check, DAMAGE } from './damage.ts'

const EUR = 'EUR' as Currency
/** A player without restrictions. */
const DEFAULT_PLAYER: Omit<Player, 'id' | 'createdAt'> = {
  ...{ currency: EUR, currencies: [EUR], status: 'active', isTest: null, operatorUser: null, customFields: null },
  ...{ brand: null, selfExcludedUntil: null, verified: null, birthday: null, limits: {}, waiting: null },
}

const TABLES = ['account', 'transfer', 'cash_movement', 'bet', 'bet_call', 'change', 'daily_close', 'daily_sum']

test('the check names of this test are those of the audit', async () => {
  const ofPlayers = Object.keys(buildPlayerChecks(false)).filter(
    (check) => !check.match(/second person|own adjustment|approved adjustment equals/),
  ) // these are tested in dual-approval.test.ts
  const others = [DAILY_CHECKS, formatFeedCheckNames(WALLET_CHANGES), FEED_BALANCE_CHECKS].flatMap((checks) =>
    Object.values(checks),
  )
  expect([...ofPlayers, ...others].sort()).toEqual(Object.values(CHECKS).sort())
})

test('every check of the audit is violated by some damage of this test', () => {
  const broken = new Set<Check>([...DAMAGE.flatMap(([, , checks]) => checks), 'negative'])
  expect([...broken].sort()).toEqual(Object.keys(CHECKS).sort())
})

describe.each(['1', '4'])('the audit with %s buckets', (buckets) => {
  let wallet: TestWallet
  let sql: pg.Client
  const names: Record<string, string> = {}
  /** Only the writable columns of each table. */
  const columns: Record<string, string> = {}

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
    sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    await playScene()
    await importOne()
    await Promise.all([1, 2, 3].map(() => playBystander()))
    // the first read of the feed numbers it
    await wallet.operator.request('GET', '/operator/changes')
    await wallet.auditIsClean()
    await sql.query('create schema untouched')
    for (const table of TABLES) {
      columns[table] = await columnsOf(table)
      await sql.query(`create table untouched.${table} as select ${columns[table]} from purser.${table}`)
    }
  })
  afterEach(repair)
  afterAll(async () => {
    await sql.end()
    await wallet.stop()
  })

  async function columnsOf(table: string): Promise<string> {
    const { rows } = await sql.query(
      `select string_agg(column_name, ', ') as names from information_schema.columns
       where table_schema = 'purser' and table_name = $1 and is_generated = 'NEVER'`,
      [table],
    )
    return rows[0].names
  }

  /** A player with one bet in each state, and transfers on two days. */
  async function playScene(): Promise<void> {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
    const bet = (state: string) => {
      names[state] = randomUUID()
      return { userId, token, transactionId: names[state] }
    }
    names.player = userId
    await wallet.wire.place({ ...bet('settled'), amount: 10 })
    await wallet.wire.settle({ userId, transactionId: names.settled, amount: 25 })
    wallet.clock.advance(86_400_000)
    const fresh = await wallet.operator.session(userId)
    await wallet.operator.request('POST', `/operator/players/${userId}/withdrawals`, {
      currency: 'EUR',
      amount: '5.00',
      reference: 'out',
    })
    for (const amount of ['3.00', '-3.00']) await adjust(userId, amount)
    await wallet.wire.place({ ...bet('open'), token: fresh, amount: 10 })
    await wallet.wire.place({ ...bet('cancelled'), token: fresh, amount: 10 })
    await wallet.wire.rollback({ userId, transactionId: names.cancelled, amount: 10 })
    await wallet.wire.place({ ...bet('refused'), token: fresh, amount: 9_999 })
    await wallet.wire.rollback({ userId, transactionId: bet('tombstone').transactionId, amount: 10 })
  }

  async function adjust(userId: string, amount: string): Promise<void> {
    const why = { reason: 'a correction', person: 'maria', transactionId: names.settled }
    const body = { currency: 'EUR', amount, reference: `adjusted by ${amount}`, ...why }
    expect((await wallet.operator.request('POST', `/operator/players/${userId}/adjustments`, body)).status).toBe(201)
  }

  /** A player with an opening balance from another wallet (O-8). */
  async function importOne(): Promise<void> {
    names.imported = `imported-${randomUUID()}`
    const db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
    const deps = { db, buckets: Number.parseInt(buckets, 10), scales: STANDARD_SCALES, now: wallet.clock.now() }
    const player = { ...DEFAULT_PLAYER, id: names.imported as PlayerId, createdAt: wallet.clock.now() }
    const rows = [{ line: 2, player, openings: [{ currency: EUR, amount: money(700n) }] }]
    const { imported } = await importRows(deps, () => createCommandActor('purser', 'a test', 'importPlayers'), rows)
    await db.close()
    expect(imported).toBe(1)
  }

  /** A player whose money no damage affects. */
  async function playBystander(): Promise<void> {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const transactionId = randomUUID()
    await wallet.wire.place({ userId, token, transactionId, amount: 10 })
    await wallet.wire.settle({ userId, transactionId, amount: 15 })
  }

  async function repair(): Promise<void> {
    const copies = TABLES.map(
      (table) =>
        `insert into purser.${table} (${columns[table]}) overriding system value select ${columns[table]} from untouched.${table}`,
    )
    await sql.query(
      `begin; truncate ${TABLES.map((table) => `purser.${table}`).join(', ')}; ${copies.join('; ')}; commit`,
    )
    await wallet.auditIsClean()
  }

  async function damage(text: string): Promise<void> {
    const statement = text.replaceAll(/(?<!:):(\w+)/g, (_all, name: string) => sql.escapeLiteral(names[name] ?? ''))
    const { rowCount } = await sql.query(statement)
    expect(rowCount).toBeGreaterThan(0)
  }

  async function findings(): Promise<{ check: string; row: Record<string, unknown> }[]> {
    const { status, body } = await wallet.operator.request('GET', '/operator/audit')
    const found = rowsOf(body, 'findings').map(({ check, row }) => ({ check: String(check), row: objectOf(row) }))
    expect({ status, ok: objectOf(body).ok }).toEqual({ status: 200, ok: found.length === 0 })
    return found
  }

  test.each(DAMAGE)('finds %s', async (_name, text, checks) => {
    await damage(text)
    const found = await findings()
    expect(new Set(found.map(({ check }) => check))).toEqual(new Set(checks.map((check) => CHECKS[check])))
    const players = new Set(found.flatMap(({ row }) => ('player' in row ? [row.player] : [])))
    const damaged = [names.player, names.imported, 'mallory']
    expect([...players].filter((player) => !damaged.includes(player as string))).toEqual([])
  })

  test('names the fault of a row in minor units', async () => {
    await damage("update purser.account set balance = balance + 1 where player = :player and currency = 'EUR'")
    const found = await findings()
    const row = found.find(({ check }) => check === CHECKS.sum)?.row
    expect(row).toEqual({ player: names.player, currency: 'EUR', balance: '10001', total: '10000' })
  })

  test('names a hundred of a thousand damaged rows for each check', async () => {
    await sql.query(
      `insert into purser.account select 0, 'ghost-' || i, 'SEK', 1, 0, current_date, 0 from generate_series(1, 1000) i`,
    )
    const found = await findings()
    expect(found.filter(({ check }) => check === CHECKS.sum)).toHaveLength(100)
  })
})

test('the audit reports a balance below zero when clawback is refused, and not when it is allowed (L-2)', async () => {
  const lenient = await startWallet({ env: { PURSER_CLAWBACK: 'allow-negative' } })
  let strict: Awaited<ReturnType<typeof startWallet>> | undefined
  try {
    const { userId, token } = await playerWithMoney(lenient.operator, '10.00')
    const transactionId = randomUUID()
    await lenient.wire.place({ userId, token, transactionId, amount: 10 })
    await lenient.wire.settle({ userId, transactionId, amount: 25 })
    await lenient.operator.request('POST', `/operator/players/${userId}/withdrawals`, {
      currency: 'EUR',
      amount: '20.00',
      reference: 'out',
    })
    expect((await lenient.wire.unsettle({ userId, transactionId, amount: 25 })).status).toBe(200)
    expect(await lenient.operator.balance(userId)).toBe('-20.00')
    await lenient.auditIsClean()
    await changeMoneySettings(lenient.databaseUrl, {})
    strict = await startWallet({ databaseUrl: lenient.databaseUrl })
    const { body } = await strict.operator.request('GET', '/operator/audit')
    expect(rowsOf(body, 'findings')).toEqual([
      { check: CHECKS.negative, row: { player: userId, currency: 'EUR', balance: '-2000' } },
    ])
  } finally {
    await strict?.stop()
    await lenient.stop()
  }
})

/** Citus permits no change of a row's bucket. */
const isOnCitus = inject('citusWorkers') !== undefined

test.skipIf(isOnCitus).each([
  ['of other players', '(bucket + 1) % 4'],
  ['that there is none', '1000'],
])('the audit finds a row in a bucket %s, whose player has no money there', async (_, bucket) => {
  const wallet = await startWallet({ env: { PURSER_BUCKETS: '4' } })
  const sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  try {
    const { userId } = await playerWithMoney(wallet.operator, '100.00')
    await sql.query(`update purser.account set bucket = ${bucket} where player = $1`, [userId])
    const { body } = await wallet.operator.request('GET', '/operator/audit')
    const found = new Set(rowsOf(body, 'findings').map(({ check }) => check))
    // The house's accounts belong to a bucket too.
    expect(found).toEqual(new Set([CHECKS.balanced, CHECKS.sum, CHECKS.last, CHECKS.account]))
  } finally {
    await sql.end()
    await wallet.stop()
  }
})
