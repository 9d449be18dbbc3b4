/**
 * The report by site (`subPartnerId`) sums up the transfers of each site's bets in all their
 * states, with and without the fast path.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { closeDays, DAY_MS } from '../../src/wallet/ledger/daily-sums.ts'
import { archiveAll, findingsInFiles, keepTokens, newFolder, PAST_MIDNIGHT_MS } from '../archive/archive-fixtures.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type JsonObject, partnerWire } from '../support/wire.ts'
import { answered } from '../wallet/answers.ts'
import { expectProblem, rowsOf } from './answers.ts'
import { CHECKS } from './damage.ts'

/** Each transfer of a bet by the site in its Place bet, which its details contain unchanged. */
const TRANSFERS_BY_SITE = `
  select coalesce(d.details ->> 'subPartnerId', '') as site, count(*)::int as transfers,
    to_char(coalesce(sum(t.amount) filter (where t.kind = 'stake'), 0) / 100.0, 'FM990.00') as stakes,
    to_char(coalesce(sum(t.amount) filter (where t.kind = 'payout'), 0) / 100.0, 'FM990.00') as payouts
  from purser.transfer t left join purser.bet_details d on d.bucket = t.bucket and d.player = t.player and d.bet_id = t.bet_id
  where (t.at at time zone 'UTC')::date = $1 group by 1 order by 1`

describe.each(['on', 'off'])('the report of sites with the fast path %s', (fastPath) => {
  const folder = newFolder()
  let wallet: TestWallet
  let sql: pg.Client

  beforeAll(async () => {
    wallet = await startWallet({
      env: { PURSER_FAST_PATH: fastPath, PURSER_BUCKETS: '2', PARTNER_SECRETS: 'acme:secret-of-acme' },
    })
    wallet.clock.advance(-100 * DAY_MS) // the database's clock also decides if a day has ended
    sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    await nextDay()
  })
  afterEach(async () => {
    await wallet.auditIsClean()
    await nextDay()
  })
  afterAll(async () => {
    await sql.end()
    await wallet.stop()
  })

  const today = () => wallet.clock.now().toISOString().slice(0, 10)
  const bySite = '&by=brand,platform,site'
  const report = async (query = bySite): Promise<JsonObject[]> => {
    const { status, body } = await wallet.operator.request('GET', `/operator/reports/daily?from=${today()}${query}`)
    expect(status).toBe(200)
    return rowsOf(body, 'data').filter(({ transfers }) => transfers !== 0)
  }
  const keep = async () => {
    const db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
    await closeDays(db, wallet.clock.now()).finally(() => db.close())
  }
  async function nextDay() {
    wallet.clock.advance(PAST_MIDNIGHT_MS)
    await keepTokens(wallet)
    await keep()
  }

  const send = async (operation: 'place' | 'settle' | 'unsettle' | 'rollback', bet: object) =>
    expect(answered(await wallet.wire[operation](bet as never))).toBe(200)
  async function placed(subPartnerId?: string | null, amount = 10) {
    const player = await playerWithMoney(wallet.operator, '100.00')
    const bet = { ...player, transactionId: randomUUID(), amount }
    await send('place', { ...bet, subPartnerId })
    return bet
  }
  const won = (bet: object, amount: number) => send('settle', { ...bet, token: undefined, amount, resultType: 'won' })

  test('has the sums of the transfers of each site, and of the bets without a site', async () => {
    await won(await placed('north'), 25)
    const south = await placed('south', 20)
    await won(south, 50)
    await won(south, 40)
    await send('unsettle', south)
    await won(south, 30)
    await send('rollback', await placed('north', 7))
    await placed('south', 3)
    for (const none of [null, undefined, '']) await won(await placed(none, 4), 1)
    const rows = await report()
    expect(rows.map(({ site = '', transfers, stakes, payouts }) => ({ site, transfers, stakes, payouts }))).toEqual(
      (await sql.query(TRANSFERS_BY_SITE, [today()])).rows,
    )
    const [none, north, south2] = rows
    expect(none).toMatchObject({ deposits: '700.00', stakes: '12.00', payouts: '3.00', ggr: '9.00' })
    expect(none).not.toHaveProperty('site')
    expect(north).toMatchObject({
      site: 'north',
      deposits: '0.00',
      refunds: '7.00',
      ggr: '-15.00',
      openStakesChange: '0.00',
    })
    expect(south2).toMatchObject({
      site: 'south',
      resettlements: '-90.00',
      payouts: '120.00',
      ggr: '-10.00',
      openStakesChange: '-3.00',
    })
    expect(rows.map(({ sum }) => sum)).toEqual(['0.00', '0.00', '0.00'])
    expect(await report('&site=north')).toEqual([north])
    expect(await report('&site=nowhere')).toEqual([])
  })

  test('accepts any text as a site, truncated after 64 characters, and replaces what Postgres cannot store', async () => {
    const texts = ['z'.repeat(100_000), 'NUL \u0000 inside', 'half \ud83c alone', '=cmd|"1"!A0, ⚽']
    for (const text of texts) await won(await placed(text), 5)
    const sites = ['half \ufffd alone', 'NUL \ufffd inside', '=cmd|"1"!A0, ⚽', 'z'.repeat(64)]
    const rows = await report()
    expect(rows.flatMap(({ site }) => site ?? []).toSorted()).toEqual(sites.toSorted())
    for (const site of sites)
      expect(await report(`&site=${encodeURIComponent(site)}`)).toMatchObject([{ site, stakes: '10.00' }])
    const headers = { authorization: `Bearer ${wallet.operatorKey}`, accept: 'text/csv' }
    const table = await request(`${wallet.url}/operator/reports/daily?from=${today()}&by=site`, { headers })
    const [head, ...lines] = (await table.body.text()).split('\r\n')
    expect(head).toMatch(/,sum,platform,site$/)
    expect(lines.filter((line) => line.endsWith(`,"'=cmd|""1""!A0, ⚽"`))).toHaveLength(1)
  })

  test('has one row for each platform when two have sites of the same name', async () => {
    const bet = { ...(await playerWithMoney(wallet.operator, '100.00')), transactionId: randomUUID(), amount: 10 }
    const acme = partnerWire(wallet.url, 'secret-of-acme')
    expect(answered(await acme.place({ ...bet, subPartnerId: 'north' }))).toBe(200)
    expect(answered(await acme.settle({ ...bet, amount: 3 }))).toBe(200)
    await won(await placed('north', 20), 5)
    expect(await report('&site=north')).toMatchObject([
      { site: 'north', stakes: '20.00', ggr: '15.00' },
      { site: 'north', platform: 'acme', stakes: '10.00', ggr: '7.00' },
    ])
    expect(await report('&platform=acme&by=site')).toMatchObject([{ site: 'north', ggr: '7.00' }])
  })

  test('uses the site of the bet that was placed, whatever other calls said', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
    const bet = { userId, token, transactionId: randomUUID(), amount: 10 }
    expect(answered(await wallet.wire.settle({ ...bet, resultType: 'won' }))).toBe(5)
    await send('place', { ...bet, subPartnerId: 'late' })
    await send('place', { ...bet, subPartnerId: 'other' })
    await won(bet, 4)
    expect(await report('&site=late')).toMatchObject([{ stakes: '10.00', payouts: '4.00', ggr: '6.00' }])
    expect(await report('&site=other')).toEqual([])
  })

  test('assigns a late transfer to the site of its bet when its day is closed and its transfers are archived', async () => {
    const before = today()
    const bets = [await placed('north'), await placed('south'), await placed('south')] as const
    for (const bet of bets) await won(bet, 25)
    await nextDay()
    const { transfers } = await archiveAll(wallet, folder.path)
    expect(transfers).toBeGreaterThanOrEqual(9)
    await won(bets[0], 5)
    await send('unsettle', bets[1])
    await send('unsettle', bets[2])
    await send('rollback', bets[2])
    const late = await report()
    expect(late).toMatchObject([
      { site: 'north', payouts: '5.00', resettlements: '-25.00', ggr: '20.00', transfers: 2 },
      {
        site: 'south',
        refunds: '10.00',
        resettlements: '-50.00',
        openStakesChange: '-10.00',
        ggr: '30.00',
        transfers: 5,
      },
    ])
    const { body } = await wallet.operator.request('GET', `/operator/reports/daily?from=${before}&site=south`)
    expect(rowsOf(body, 'data')).toMatchObject([{ final: true, stakes: '20.00', payouts: '50.00', ggr: '-30.00' }])
    expect(await findingsInFiles(wallet, folder.path)).toEqual([])
  })

  test.each([
    [
      'a kept sum',
      "update purser.daily_sum set site = 'x' where site = 'north' and day = $1",
      "update purser.daily_sum set site = 'north' where site = 'x'",
      [CHECKS.kept],
    ],
    [
      'a transfer',
      "update purser.transfer set site = 'x' where site = 'north' and kind = 'payout' and (at at time zone 'UTC')::date = $1",
      "update purser.transfer set site = 'north' where site = 'x'",
      [CHECKS.kept, CHECKS.perBet, CHECKS.once],
    ],
  ])('is audited: %s under another site is found', async (_name, damage, repair, checks) => {
    await won(await placed('north'), 25)
    const day = today()
    await nextDay()
    expect((await sql.query(damage, [day])).rowCount).toBeGreaterThan(0)
    const { body } = await wallet.operator.request('GET', '/operator/audit')
    expect([...new Set(rowsOf(body, 'findings').map(({ check }) => check))].toSorted()).toEqual(checks.toSorted())
    await sql.query(repair)
  })

  test('has all sites in one row unless each or one is requested', async () => {
    await won(await placed('north', 20), 5)
    await won(await placed('south', 10), 5)
    expect(await report('')).toMatchObject([{ stakes: '30.00', deposits: '200.00', ggr: '20.00', sum: '0.00' }])
    expect(await report('&site=south')).toMatchObject([{ site: 'south', stakes: '10.00', ggr: '5.00' }])
    expect((await report('&by=site')).map(({ site = '' }) => site)).toEqual(['', 'north', 'south'])
  })

  test('is 400 by site when each bet has a site of its own, and is answered for one site and for all', async () => {
    const insert = `insert into purser.daily_sum (day, currency, brand, kind, debit, credit, platform, site, transfers, amount)
      select '2020-01-01', 'EUR', '', kind, debit, credit, '', n::text, 1, 1 from generate_series(1, 100001) n,
        (values ('stake', 'player', 'open_stakes'), ('refund', 'open_stakes', 'player')) k (kind, debit, credit)`
    await sql.query(insert)
    const all = await wallet.operator.request('GET', `/operator/reports/daily?from=2020-01-01${bySite}`)
    const one = await wallet.operator.request('GET', '/operator/reports/daily?from=2020-01-01&site=77')
    const together = await wallet.operator.request('GET', '/operator/reports/daily?from=2020-01-01')
    await sql.query("delete from purser.daily_sum where day = '2020-01-01'")
    expectProblem(all, 400, 'invalid_request', ['/query/by'])
    expect(rowsOf(one.body, 'data')).toMatchObject([{ site: '77', stakes: '0.01', refunds: '0.01', transfers: 2 }])
    expect(rowsOf(together.body, 'data')).toMatchObject([{ stakes: '1000.01', refunds: '1000.01', transfers: 200_002 }])
  })
})
