/**
 * Reconcile names every difference that a test adds on either side, and reports no difference in
 * books that agree.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { ReconcileFinding } from '../../src/reconcile/bet-comparison.ts'
import { reconcile, type Summary, type WalletSource } from '../../src/reconcile/reconcile.ts'
import { serveWallet } from '../../src/servers/wallet-server.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Books, betIdOf, PARTNER, writeBooks } from './books.ts'

const BETS = 40
const KEY = 'operator-key'

let databases: TestDatabase[]
let books: Books

const urlOf = (i: number) => databases[i]?.url ?? ''

async function open(ways: number): Promise<void> {
  databases = await Promise.all(Array.from({ length: ways }, createDatabase))
  books = await writeBooks(urlOf(0), urlOf(ways - 1), BETS)
}

afterEach(async () => {
  await books.close()
  await Promise.all(databases.map((database) => database.drop()))
})

type Way = 'one database' | 'two databases' | 'the operator API'

interface Result extends Summary {
  findings: ReconcileFinding[]
}

async function compare(way: Way, partnerId?: string): Promise<Result> {
  const platform = await openDb({ kind: 'postgres', url: urlOf(0) })
  const { source, close } = await walletOf(way)
  const findings: ReconcileFinding[] = []
  try {
    const summary = await reconcile({ platform, wallet: source, partnerId }, (one) => findings.push(one))
    return { ...summary, findings }
  } finally {
    await close()
    await platform.close()
  }
}

async function walletOf(way: Way): Promise<{ source: WalletSource; close(): Promise<void> }> {
  if (way === 'one database') return { source: { kind: 'same' }, close: async () => {} }
  if (way === 'two databases') {
    const db = await openDb({ kind: 'postgres', url: urlOf(1) })
    return { source: { kind: 'database', db }, close: () => db.close() }
  }
  const env = { DATABASE_URL: urlOf(1), PORT: '0', PARTNER_SECRET: 's', OPERATOR_API_KEY: KEY, LOG_LEVEL: 'silent' }
  const wallet = await serveWallet(readConfig(env))
  return { source: { kind: 'api', api: { url: wallet.url, key: KEY } }, close: () => wallet.close() }
}

const summaryOf = (findings: readonly ReconcileFinding[]) =>
  findings.map(({ kind, betId }) => `${kind} ${betId}`).sort()

/** Bets 5, 10, 15 … are open, 1, 6 … won, 2, 7 … lost, 3, 8 … cancelled, 4, 9 … declined. */
const GAPS: [string, string, string, { side: 'platform' | 'wallet'; sql: string; i: number }][] = [
  [
    'a settle that never reached the wallet',
    'status',
    'settled won 21.00 EUR',
    {
      side: 'wallet',
      i: 6,
      sql: "update purser.bet set status = 'open', payout = null, result_type = null, payee = null where bet_id = $1",
    },
  ],
  [
    'a bet that the wallet does not know',
    'missing_at_wallet',
    'open, stake 10.00 EUR',
    { side: 'wallet', i: 5, sql: 'delete from purser.bet where bet_id = $1' },
  ],
  [
    'an open bet that the platform does not know',
    'missing_at_platform',
    'open, stake 10.00 EUR',
    { side: 'platform', i: 10, sql: 'delete from platform.bet where bet_id = $1' },
  ],
  [
    'a settled bet that the platform does not know',
    'missing_at_platform',
    'settled won 21.00 EUR',
    { side: 'platform', i: 11, sql: 'delete from platform.bet where bet_id = $1' },
  ],
  [
    'another stake',
    'stake',
    '10.01 EUR',
    { side: 'wallet', i: 15, sql: 'update purser.bet set stake = 1001 where bet_id = $1' },
  ],
  [
    'another payout',
    'payout',
    '21.01 EUR',
    { side: 'wallet', i: 16, sql: 'update purser.bet set payout = 2101 where bet_id = $1' },
  ],
  [
    'another payout at the platform',
    'payout',
    '20.99 EUR',
    {
      side: 'platform',
      i: 21,
      sql: 'update platform.bet set payout = 2099, acknowledged_payout = 2099 where bet_id = $1',
    },
  ],
  [
    'another currency',
    'currency',
    'USD',
    { side: 'wallet', i: 20, sql: "update purser.bet set currency = 'USD' where bet_id = $1" },
  ],
  [
    'another result with the same payout',
    'status',
    'settled refund 21.00 EUR',
    { side: 'wallet', i: 26, sql: "update purser.bet set result_type = 'refund' where bet_id = $1" },
  ],
  [
    'a rollback that did not happen at the wallet',
    'status',
    'cancelled',
    {
      side: 'wallet',
      i: 3,
      sql: "update purser.bet set status = 'open' where bet_id = $1",
    },
  ],
  [
    'a declined bet with money on it',
    'status',
    'declined, never acknowledged',
    {
      side: 'wallet',
      i: 4,
      sql: `update purser.bet set status = 'open', refusal = null, stake = 1000, currency = 'EUR', funder = 'player' where bet_id = $1`,
    },
  ],
  [
    'a withdrawn result that the wallet did not take back',
    'status',
    'open',
    {
      side: 'platform',
      i: 7,
      sql: "update platform.bet set status = 'accepted', payout = null, result_type = null, acknowledged_status = 'open', acknowledged_payout = null, acknowledged_result_type = null where bet_id = $1",
    },
  ],
]

describe.each<[Way, number]>([
  ['one database', 1],
  ['two databases', 2],
  ['the operator API', 2],
])('reconcile with the wallet in %s', (way, count) => {
  beforeEach(() => open(count))

  test('finds no difference in books that agree', async () => {
    expect(await compare(way)).toEqual({
      partnerId: PARTNER,
      bets: BETS,
      inFlight: 0,
      differences: 0,
      notes: 0,
      findings: [],
    })
  })

  test('finds every kind of difference once, and nothing else', async () => {
    for (const [, , , { side, sql, i }] of GAPS) await books[side](sql, i)
    const { findings, differences, bets } = await compare(way)
    expect(summaryOf(findings)).toEqual(GAPS.map(([, kind, , { i }]) => `${kind} ${betIdOf(i)}`).sort())
    expect({ differences, bets }).toEqual({ differences: GAPS.length, bets: BETS })
    for (const [name, , words, { i }] of GAPS) {
      const found = findings.find(({ betId }) => betId === betIdOf(i))
      expect(`${found?.platform} ${found?.wallet}`, name).toContain(words)
      expect(found?.player).toBe(`player-${i % 7}`)
    }
  })

  test('reports a bet with a call in progress as in flight, with any state in the wallet', async () => {
    await books.platform("update platform.delivery set status = 'pending' where bet_id = $1", 5)
    for (const i of [10, 15])
      await books.platform(
        "update platform.bet set status = 'placing', acknowledged_status = null where bet_id = $1",
        i,
      )
    for (const i of [5, 10]) await books.wallet("update purser.bet set status = 'cancelled' where bet_id = $1", i)
    await books.wallet('delete from purser.bet where bet_id = $1', 15)
    expect(await compare(way)).toMatchObject({ inFlight: 3, differences: 0, findings: [] })
  })

  test('compares the player, stake and currency of a bet also while a call is in progress (C-9)', async () => {
    for (const i of [5, 10, 15, 20])
      await books.platform("update platform.delivery set status = 'pending' where bet_id = $1", i)
    await books.wallet('delete from purser.bet where bet_id = $1', 5)
    await books.wallet('update purser.bet set stake = 1001 where bet_id = $1', 10)
    await books.wallet("update purser.bet set currency = 'USD' where bet_id = $1", 15)
    await books.wallet("update purser.bet set player = 'player-0' where bet_id = $1", 20)
    const { findings, inFlight } = await compare(way)
    expect(inFlight).toBe(4)
    const kinds = ['missing_at_wallet', 'stake', 'currency', 'missing_at_wallet']
    const expected = kinds.map((kind, i) => `${kind} ${betIdOf(5 * (i + 1))}`)
    expect(summaryOf(findings)).toEqual([...expected, `missing_at_platform ${betIdOf(20)}`].sort())
  })
})

describe('reconcile', () => {
  beforeEach(() => open(1))
  test('accepts a tombstone, a refused bet or an unknown bet of the wallet that the platform does not have', async () => {
    for (const i of [3, 4, 8]) {
      await books.platform('delete from platform.bet where bet_id = $1', i)
    }
    await books.wallet("update purser.bet set status = 'unknown', stake = null, currency = null where bet_id = $1", 8)
    expect(await compare('one database')).toMatchObject({ differences: 0, findings: [], bets: BETS })
  })

  test('compares amounts, not their minor units, because the wallet may use more decimals', async () => {
    await books.wallet("update purser.currency set scale = 4 where $1 <> '' and currency = 'EUR'", 1)
    await books.wallet("update purser.bet set stake = stake * 100, payout = payout * 100 where $1 <> ''", 1)
    expect(await compare('one database')).toMatchObject({ differences: 0, bets: BETS })
  })

  test('reads the platform’s amounts in the platform’s scale, with any environment of its own (M-5)', async () => {
    await books.platform("update platform.currency set scale = 4 where $1 <> '' and currency = 'EUR'", 1)
    await books.platform(
      'update platform.bet set stake = stake * 100, payout = payout * 100, acknowledged_payout = acknowledged_payout * 100 where bet_id <> $1',
      41,
    )
    expect(await compare('one database')).toMatchObject({ differences: 0, bets: BETS })
  })

  test('finds a player of an aggregator under operatorUser, or else under userId', async () => {
    for (const i of [5, 10, 15])
      await books.platform("update platform.bet set operator_user = 'op-' || user_id where bet_id = $1", i)
    await books.wallet("update purser.bet set player = 'op-' || player where bet_id = $1", 5)
    await books.wallet("update purser.bet set player = 'somebody-else' where bet_id = $1", 15)
    const { findings } = await compare('one database')
    expect(summaryOf(findings)).toEqual([`missing_at_platform ${betIdOf(15)}`, `missing_at_wallet ${betIdOf(15)}`])
    expect(findings.map(({ player }) => player).sort()).toEqual(['op-player-1', 'somebody-else'])
  })

  test('requires the partner if there are several, and reads no other partner', async () => {
    await books.platform(
      "insert into platform.partner select 'other', base_url, secrets, now() from platform.partner where $1 <> ''",
      1,
    )
    await expect(compare('one database')).rejects.toThrow('--partner')
    await expect(compare('one database', 'nobody')).rejects.toThrow('no partner has the id nobody')
    expect(await compare('one database', PARTNER)).toMatchObject({ differences: 0, bets: BETS })
    expect((await compare('one database', 'other')).differences).toBe((BETS / 5) * 3)
  })
})
