/**
 * A report of random transfers equals the figures of a plain SQL query, however many days are
 * closed and whichever time zone the server has.
 */

import type { Currency } from '@purser/protocol/wire-ids'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { closeDays, DAY_MS } from '../../src/wallet/ledger/daily-sums.ts'
import { ACCOUNTS } from '../../src/wallet/ledger/posting.ts'
import { createDailyReport, type ReportRow } from '../../src/wallet/operator-api/reports/daily-report.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'

const HOUR_MS = 3_600_000
const DAYS = 6
const TRANSFERS = 400
/** For each choice of rows, with each number of closed days. */
const QUESTIONS = 5
const SCALES = new Map([
  ['EUR', 2],
  ['GOLD', 0],
])
/** The possible transfers. */
const MOVES = [
  ['deposit', 'cash_in', 'player'],
  ['withdrawal', 'player', 'cash_out'],
  ['stake', 'player', 'open_stakes'],
  ['stake', 'promotions', 'open_stakes'],
  ['refund', 'open_stakes', 'player'],
  ['refund', 'open_stakes', 'promotions'],
  ['stake_closed', 'open_stakes', 'house'],
  ['stake_reopened', 'house', 'open_stakes'],
  ['payout', 'house', 'player'],
  ['payout', 'house', 'promotions'],
  ['payout_reversal', 'player', 'house'],
  ['payout_reversal', 'promotions', 'house'],
  ['adjustment', 'adjustments', 'player'],
  ['adjustment', 'player', 'adjustments'],
  ['opening', 'openings', 'player'],
] as const
const BRANDS = { ann: null, bob: 'north', cid: 'south', dan: 'south' } as const
/** The last player does not exist any more. */
const PLAYERS = [...Object.keys(BRANDS), 'gone']
const PLATFORMS = ['', 'acme']
const SITES = ['', 'a', 'b c', ' ']

const COLUMNS = {
  deposits: ['deposit', 'player', 1],
  withdrawals: ['withdrawal', 'player', -1],
  stakes: ['stake', 'player', -1],
  refunds: ['refund', 'player', 1],
  payouts: ['payout', 'player', 1],
  resettlements: ['payout_reversal', 'player', 1],
  adjustments: ['adjustment', 'player', 1],
  openings: ['opening', 'player', 1],
  promotionStakes: ['stake', 'promotions', -1],
  promotionRefunds: ['refund', 'promotions', 1],
  promotionPayouts: ['payout', 'promotions', 1],
  promotionResettlements: ['payout_reversal', 'promotions', 1],
} as const
const NAMES = ['currency', 'brand', 'platform', 'site']
const gained = (account: string) =>
  `(case when credit = '${account}' then amount else 0 end - case when debit = '${account}' then amount else 0 end)`
const BEFORE = 't.at < d.day'
const ON_DAY = "t.at >= d.day and t.at < d.day + interval '24 hours'"
const sumOf = (what: string, when: string) => `coalesce(sum(${what}) filter (where ${when}), 0)::text`

/** In minor units. `by` names the columns with separate rows; any other column is ''. */
function reference(by: readonly string[]): string {
  const part = (name: string) => (by.includes(name) ? name : "''")
  const measures = [
    `count(*) filter (where ${ON_DAY})::int as transfers`,
    ...Object.entries(COLUMNS).map(
      ([name, [kind, account, sign]]) =>
        `${sumOf(`${sign} * ${gained(account)}`, `kind = '${kind}' and ${ON_DAY}`)} as "${name}"`,
    ),
    `${sumOf(`- ${gained('open_stakes')}`, ON_DAY)} as "openStakesChange"`,
    `${sumOf(gained('house'), ON_DAY)} as ggr`,
    ...ACCOUNTS.flatMap((account) => [
      `${sumOf(gained(account), BEFORE)} as "${account}_opening"`,
      `coalesce(sum(${gained(account)}), 0)::text as "${account}_closing"`,
    ]),
  ]
  const rows = `
    select to_char(d.day at time zone 'UTC', 'YYYY-MM-DD') as day, currency,
      ${['brand', 'platform', 'site'].map((name) => `${part(name)} as ${name}`).join(', ')}, ${measures.join(', ')}
    from (select $1::timestamptz + n * interval '24 hours' as day from generate_series(0, $2::int) n) d
      join (select t.*, coalesce(p.brand, '') as brand from purser.transfer t left join purser.player p using (bucket, player)) t
        on t.at < d.day + interval '24 hours'
    where ($3::text is null or currency = $3) and ($4::text is null or brand = $4)
      and ($5::text is null or platform = $5) and ($6::text is null or site = $6)
    group by d.day, 2, 3, 4, 5`
  return `select * from (${rows}) r order by day, ${NAMES.map((name) => `${name} collate "C"`).join(', ')}`
}

/** Converts a row to the form of the reference. */
function flat({ final: _final, accounts, sum, brand = '', platform = '', site = '', ...row }: ReportRow) {
  expect(Number(sum)).toBe(0)
  const minor = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? inMinor(name, value) : value,
  ])
  const balances = ACCOUNTS.flatMap((account) => [
    [`${account}_opening`, inMinor('', accounts[account].opening)],
    [`${account}_closing`, inMinor('', accounts[account].closing)],
  ])
  return { brand, platform, site, ...Object.fromEntries([...minor, ...balances]) }
}
const inMinor = (name: string, value: string) =>
  name === 'day' || name === 'currency' ? value : String(BigInt(value.replace('.', '')))

/** All subsets of a list. */
const partsOf = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((parts, item) => parts.concat(parts.map((part) => part.concat([item]))), [[]])
const FILTERS = { currency: ['EUR'], brand: ['south'], platform: ['acme'], site: ['b c', ' ', 'nowhere'] } as const
const ONLY = partsOf(Object.entries(FILTERS)).flatMap((names) =>
  names.reduce<Record<string, string>[]>(
    (all, [name, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ),
)
const RANGES = [
  [0, 0],
  [0, DAYS - 1],
  [1, 3],
  [2, 2],
  [DAYS - 1, DAYS - 1],
] as const

/** In Berlin the clocks change on the third day, which has 23 hours or 25. */
describe.each([
  ['UTC', '2026-05-01'],
  ['Europe/Berlin', '2026-03-27'],
  ['Europe/Berlin', '2025-10-24'],
  ['Pacific/Apia', '2026-05-01'],
])('the sums of the daily report on a server in %s, from %s', (zone, first) => {
  const start = new Date(`${first}T00:00:00Z`)
  const dayAt = (n: number) => new Date(start.getTime() + n * DAY_MS)
  const now = new Date(dayAt(DAYS).getTime() - HOUR_MS)
  const random = seededRandom(`reports in ${zone}`)
  const oneOf = <T>(items: readonly T[]) => items[random.below(items.length)] as T
  let database: TestDatabase
  let sql: pg.Client
  let db: Db

  beforeAll(async () => {
    database = await createDatabase()
    sql = new pg.Client({ connectionString: database.url })
    await sql.connect()
    await sql.query(`alter database ${new URL(database.url).pathname.slice(1)} set timezone = '${zone}'`)
    db = await openDb({ kind: 'postgres', url: database.url })
    await fill()
  })
  afterAll(async () => {
    await db.close()
    await sql.end()
    await database.drop()
  })

  /**
   * Not every group has transfers on each day, and times near midnight are as frequent as all
   * others.
   */
  async function fill(): Promise<void> {
    for (const [player, brand] of Object.entries(BRANDS))
      await sql.query(
        `insert into purser.player (bucket, player, currency, currencies, created_as, created_at, brand) values (0, $1, 'EUR', '{EUR}', '{}', $2, $3)`,
        [player, start, brand],
      )
    for (let version = 1; version <= TRANSFERS; version += 1) {
      const [kind, debit, credit] = oneOf(MOVES)
      const isBet = /stake|refund|payout/.test(kind)
      const within = random.chance(0.5)
        ? oneOf([0, 1, HOUR_MS - 1, DAY_MS - HOUR_MS, DAY_MS - 1])
        : random.below(DAY_MS)
      await sql.query(
        `insert into purser.transfer (bucket, player, currency, version, kind, debit, credit, amount, balance_after, at, platform, site)
         values (0, $1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10)`,
        [
          ...[oneOf(PLAYERS), oneOf([...SCALES.keys()]), version, kind, debit, credit],
          ...[kind === 'stake' ? random.below(3) : 1 + random.below(10_000)],
          ...[
            new Date(dayAt(random.below(DAYS)).getTime() + within),
            isBet ? oneOf(PLATFORMS) : '',
            isBet ? oneOf(SITES) : '',
          ],
        ],
      )
    }
  }

  /** Each choice of rows with some filters over some days. */
  async function compareSome(kept: number): Promise<void> {
    for (const by of [undefined, ...partsOf(['brand', 'platform', 'site'])])
      for (let i = 0; i < QUESTIONS; i += 1) {
        const only = oneOf(ONLY)
        const [from, to] = oneOf(RANGES)
        const range = { from: dateOf(dayAt(from)), to: dateOf(dayAt(to)) }
        const asked = { ...range, ...only, ...(by && { by: ['currency', ...by].join(',') }) }
        const rows = await createDailyReport(
          { db, clock: { now: () => now }, scales: SCALES },
          asked as { currency?: Currency },
        )
        const names = [...(by ?? ['brand', 'platform']), ...Object.keys(only)]
        const filters = NAMES.map((name) => only[name] ?? null)
        const wanted = await sql.query(reference(names), [dayAt(from), to - from, ...filters])
        expect(rows.map(flat), JSON.stringify(asked)).toEqual(wanted.rows)
        expect(rows.every(({ day, final }) => final === day < dateOf(dayAt(kept)))).toBe(true)
      }
  }
  const dateOf = (day: Date) => day.toISOString().slice(0, 10)

  test.each([0, 1, 3, DAYS - 1])('equal the transfers with %i days closed', async (kept) => {
    await closeDays(db, new Date(dayAt(kept).getTime() + HOUR_MS))
    const { rows } = await sql.query('select count(*)::int as days from purser.daily_close')
    expect(rows).toEqual([{ days: kept }])
    await compareSome(kept)
  })
})
