/**
 * The data of a person can be exported (O-9) and erased, while the ledger stays complete (O-10).
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { answered } from '../wallet/answers.ts'
import { rowsOf } from './answers.ts'

const IP = '203.0.113.77'
const PROFILE = { nickname: 'Nick-of-Ada', email: 'ada@person.example', firstName: 'Ada-Augusta', phone: '+4712345678' }
const TRACES = [
  'ada-player',
  'site-id-of-ada',
  IP,
  ...Object.values(PROFILE),
  PROFILE.email.toUpperCase(),
  '1815-12-10',
]

describe.each(['1', '3'])('the personal data of a player with %s buckets', (buckets) => {
  let wallet: TestWallet
  let sql: pg.Client
  const ada = 'ada-player'
  const bob = 'bob-player'
  const bet = { userId: ada, transactionId: randomUUID(), amount: 10, ip: IP, info: 'ada-player likes this\u0000' }
  let token = ''

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets } })
    sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    const players = '/operator/players'
    const profile = { customFields: PROFILE, operatorUser: 'site-id-of-ada', brand: 'north' }
    await ask('POST', players, { userId: ada, currency: 'EUR', ...profile })
    await ask('POST', players, { userId: bob, currency: 'EUR' })
    await ask('PATCH', `${players}/${ada}`, { birthday: '1815-12-10', customFields: { lastName: 'Lovelace' } })
    for (const one of [ada, bob]) await move(one, 'deposits', { amount: '100.00' })
    await move(ada, 'adjustments', { amount: '1.00', reason: 'a gift', person: 'maria' })
    const { body } = await ask('POST', `${players}/${ada}/sessions`, { ip: IP, country: 'NO' })
    token = String((body as JsonObject).token)
    const bobs = { userId: bob, token: await wallet.operator.session(bob), transactionId: randomUUID(), amount: 5 }
    const placed = await Promise.all([wallet.wire.place({ ...bet, token }), wallet.wire.place(bobs)])
    expect(placed.map(answered)).toEqual([200, 200])
    await wallet.wire.profile(token)
  })
  afterAll(async () => {
    await sql.end()
    await wallet.stop()
  })

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await wallet.operator.request(method, path, body)
    expect(answer.status).toBeLessThan(300)
    return answer
  }
  const move = (userId: string, what: string, body: object) =>
    ask('POST', `/operator/players/${userId}/${what}`, { currency: 'EUR', reference: randomUUID(), ...body })
  const callsOf = async (player: string) => rowsOf((await ask('GET', `/operator/calls?player=${player}`)).body, 'data')
  const purser = (...args: string[]) => run(args, { DATABASE_URL: wallet.databaseUrl })
  const erase = () => purser('erase-player', ada, '--apply', '--person', 'maria', '--reason', 'request 4711')

  test('is exported with the person, the money, the bets, the actions and the calls', async () => {
    await expect.poll(async () => (await callsOf(ada)).length).toBe(2)
    const { code, stdout } = await purser('export-player', ada)
    expect(code).toBe(0)
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as JsonObject)
    const of = (kind: string) => lines.filter((line) => line.kind === kind)
    expect(of('player')).toMatchObject([{ player: { customFields: PROFILE, birthday: '1815-12-10', brand: 'north' } }])
    expect(of('balances')).toMatchObject([{ balances: [{ currency: 'EUR', amount: '91.00' }] }])
    expect(of('session')).toMatchObject([{ session: { ip: IP, country: 'NO' } }])
    expect(of('transfer')).toHaveLength(3)
    expect(of('bet')).toMatchObject([{ bet: { transactionId: bet.transactionId, details: { ip: IP } } }])
    expect(of('action').length).toBeGreaterThan(3)
    expect(of('call')).toHaveLength(2)
    expect(stdout).not.toContain(bob)
    expect((await purser('export-player', 'nobody-here')).code).toBe(2)
  })

  test('is not erased while the player has money or open bets, and not without --apply', async () => {
    const { code, stderr } = await erase()
    expect(code).toBe(2)
    expect(stderr).toMatch(/money in 1 currencies.*1 open bets/s)
    expect((await purser('erase-player', ada)).stderr).toMatch(/money in 1 currencies.*1 open bets/s)
    expect((await ask('GET', `/operator/players/${ada}`)).body).toMatchObject({ customFields: PROFILE })
    expect(await callsOf(ada)).toHaveLength(2)
  })

  test('is erased to a ledger under a pseudonym that leads to no person', async () => {
    expect(answered(await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' }))).toBe(200)
    await move(ada, 'withdrawals', { amount: '91.00' })
    await expect.poll(async () => (await callsOf(ada)).length).toBe(3)
    for (const trace of TRACES) expect((await placesOf(trace)).length, trace).toBeGreaterThan(0)
    expect((await purser('erase-player', ada)).stdout).toContain('nothing was changed')
    const before = await sums()
    // simulates a player with 100,000 bets: longer than the time limit of a statement for a call
    await sql.query(
      `create function purser.slow() returns trigger language plpgsql as 'begin perform pg_sleep(2.5); return new; end'`,
    )
    await sql.query('create trigger slow before update on purser.account for each row execute function purser.slow()')
    const { code, stdout, stderr } = await erase()
    expect([code, stderr]).toEqual([0, ''])
    const pseudonym = /is (erased-[0-9a-f]{24}) now; 3 calls/.exec(stdout)?.[1] ?? ''
    await sql.query('drop function purser.slow cascade')
    expect(await sums()).toEqual(before)
    await wallet.auditIsClean()
    for (const trace of TRACES) expect(await placesOf(trace), trace).toEqual([])
    expect(await callsOf(ada)).toEqual([])
    expect(await callsOf(bob)).toHaveLength(1)
    expect((await ask('GET', `/operator/players/${bob}`)).status).toBe(200)
    expect((await ask('GET', `/operator/players/${pseudonym}`)).body).toMatchObject({
      status: 'blocked',
      brand: 'north',
    })
    const { body } = await ask('GET', `/operator/players/${pseudonym}/bets/${bet.transactionId}`)
    expect(body).toMatchObject({ status: 'settled', stake: '10.00', details: { ticketType: 'single' } })
    const { body: actions } = await ask('GET', `/operator/actions?player=${pseudonym}`)
    expect(rowsOf(actions, 'data')[0]).toMatchObject({
      operation: 'erasePlayer',
      person: 'maria',
      reason: 'request 4711',
    })
    const { body: feed } = await ask('GET', '/operator/changes?limit=500')
    expect(JSON.stringify(feed)).toContain(pseudonym)
  })

  test('is unknown to later calls about the erased player', async () => {
    expect(answered(await wallet.wire.place({ ...bet, token, transactionId: randomUUID() }))).toBe(3)
    expect(answered(await wallet.wire.place({ ...bet, token }))).toBe(3)
    expect(answered(await wallet.wire.profile(token))).toBe(3)
    expect(answered(await wallet.wire.settle({ ...bet, amount: 50 }))).toBe(5)
    expect(answered(await wallet.wire.check(bet))).toBe(5)
    expect(answered(await wallet.wire.rollback({ ...bet, transactionId: randomUUID() }))).toBe(200)
    await wallet.auditIsClean()
    const { code, stdout } = await erase()
    expect([code, stdout]).toEqual([0, expect.stringContaining('is not a player here')])
  })

  test('is erased with its name, which another player can use', async () => {
    await ask('POST', '/operator/players', { userId: ada, currency: 'EUR' })
    await move(ada, 'deposits', { amount: '5.00' })
    expect(await wallet.operator.balance(ada)).toBe('5.00')
    await wallet.auditIsClean()
  })

  async function sums() {
    const { rows } = await sql.query('select kind, count(*), sum(amount) from purser.transfer group by 1 order by 1')
    return rows
  }

  /**
   * The wallet's tables with a text in any row, in any case. The journal is compressed, so it is
   * searched by its calls.
   */
  async function placesOf(text: string): Promise<string[]> {
    const { rows } = await sql.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'purser' and tablename not like 'journal%'",
    )
    const found = await Promise.all(
      rows.map(async ({ name }) => {
        const { rows: hits } = await sql.query(`select 1 from purser.${name} t where t::text ilike $1 limit 1`, [
          `%${text}%`,
        ])
        return hits.length > 0 ? [name] : []
      }),
    )
    return found.flat()
  }
})
