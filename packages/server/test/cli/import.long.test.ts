/**
 * `purser import` imports each player of a file once, with money and restrictions, and reports
 * faults by line number.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { objectOf, rowsOf } from '../operator/answers.ts'
import { createDatabase } from '../support/database.ts'
import { IS_NIGHTLY } from '../support/nightly.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { run } from './command.ts'

const HEAD =
  'userId,currency,balance,balance:USD,status,selfExcludedUntil,verified,birthday,limits.stake,limits.betCount,brand,isTest,customFields.email,customFields.isVIP,customFields.team'

describe.each(['1', '3'])('purser import into %s buckets', (buckets) => {
  let wallet: TestWallet
  const folder = mkdtempSync(join(tmpdir(), 'import-'))

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: buckets, PURSER_CURRENCIES: 'GOLD:0' } })
  })
  afterEach(() => wallet.auditIsClean())
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await wallet.stop()
  })

  const importFile = async (lines: readonly string[], ...flags: string[]) => {
    const file = join(folder, 'players.csv')
    writeFileSync(file, lines.join('\n'))
    const env = { DATABASE_URL: wallet.databaseUrl, PURSER_CURRENCIES: 'GOLD:0' }
    const { code, stdout, stderr } = await run(['import', file, ...flags], env)
    if (code === 70) throw new Error(stderr)
    return { code, said: stdout.replaceAll(file, 'F').trim(), faults: stderr.replaceAll(file, 'F').trim().split('\n') }
  }
  const player = async (userId: string) => (await wallet.operator.request('GET', `/operator/players/${userId}`)).body

  test('imports each player with all columns of the file, and the player can bet', async () => {
    const full = `full,EUR,12.50,3,active,2999-01-01T00:00:00Z,false,1990-02-28,100,7,north,true,"Ada@x.org",1,"Brann, Bergen"`
    const { code, said } = await importFile([HEAD, full, 'plain,GOLD,7,,,,,,,,,,,,'])
    expect([code, said]).toEqual([0, 'F: 2 imported, 0 already here, 0 refused'])
    expect(await player('full')).toMatchObject({
      ...{ currency: 'EUR', currencies: ['EUR', 'USD'], status: 'active', verified: false, birthday: '1990-02-28' },
      ...{ selfExcludedUntil: '2999-01-01T00:00:00.000Z', brand: 'north', isTest: true },
      limits: { stake: '100', betCount: 7 },
      customFields: { email: 'Ada@x.org', isVIP: 1, team: 'Brann, Bergen' },
    })
    const history = async (userId: string) =>
      rowsOf((await wallet.operator.request('GET', `/operator/players/${userId}/history`)).body, 'data')
    const rules = {
      status: 'active',
      selfExcludedUntil: '2999-01-01T00:00:00.000Z',
      limits: { stake: '100', betCount: 7 },
    }
    expect(await history('full')).toMatchObject([
      { operation: 'createPlayer', key: { name: 'purser import' }, before: {}, after: { ...rules, line: 2 } },
    ])
    expect(await history('plain')).toEqual([])
    expect(await wallet.operator.balance('full')).toBe('12.50')
    expect(await wallet.operator.balance('full', 'USD')).toBe('3.00')
    const { body } = await wallet.operator.request('GET', '/operator/players/plain/statement')
    expect(rowsOf(body, 'data')).toMatchObject([
      { kind: 'opening', amount: '7', balance: '7', reference: 'opening-GOLD' },
    ])
    const token = await wallet.operator.session('plain')
    const bet = { userId: 'plain', token, transactionId: 'first-bet-of-all', amount: 2, currency: 'GOLD' }
    expect((await wallet.wire.place(bet)).status).toBe(200)
    const found = await wallet.operator.request('GET', '/operator/players?q=ada@X.org')
    expect(rowsOf(found.body, 'data').map(({ userId }) => userId)).toEqual(['full'])
  })

  test('reports the line of a player with two balances in one currency and imports the others, and so does --check', async () => {
    const lines = ['userId,currency,balance,balance:EUR,balance:USD', 'twice,EUR,1,1,3', 'good,EUR,1,,3']
    for (const flags of [['--check'], []]) {
      const { code, faults } = await importFile(lines, ...flags)
      expect([code, faults]).toEqual([1, [expect.stringContaining('F:2: balance:EUR: is a second balance in EUR')]])
    }
    expect(await wallet.operator.balance('good')).toBe('1.00')
  })

  test('imports only missing players when it is repeated or was interrupted, whatever changed for the others since', async () => {
    const lines = Array.from({ length: 1_203 }, (_, i) => `many-${i},EUR,${i}.25`)
    expect((await importFile(['userId,currency,balance', ...lines.slice(0, 700)])).said).toMatch(/ 700 imported/)
    await wallet.operator.deposit('many-3', '5.00')
    await wallet.operator.patch('many-4', { status: 'blocked' })
    const again = await importFile(['userId,currency,balance', ...lines])
    expect(again).toMatchObject({ code: 0, said: 'F: 503 imported, 700 already here, 0 refused' })
    expect(await wallet.operator.balance('many-3')).toBe('8.25')
    expect(await wallet.operator.balance('many-1202')).toBe('1202.25')
    const actions = await wallet.operator.request('GET', '/operator/actions')
    expect(rowsOf(actions.body, 'data').map(({ operation }) => operation)).toContain('importPlayers')
  })

  test('reports each invalid line and imports all other players', async () => {
    const { code, said, faults } = await importFile([
      'userId,currency,currencies,balance,balance:USD,birthday,verified',
      'wrong-1,XXX,,1,,,',
      'wrong-2,EUR,,1.234,,,',
      'wrong-3,EUR,,-5,,,',
      'wrong-4,EUR,EUR,1,2,,',
      'wrong-5,EUR,,1,,2001-02-30,',
      'wrong-6,EUR,,1,,,maybe',
      ',EUR,,1,,,',
      'wrong-7,EUR',
      'wrong-8,EUR,,1,,,,,',
      'right-1,EUR,,1,,,',
      'right-1,EUR,,1,,,',
      'right-1,EUR,,2,,,',
      'right-1,USD,,,,,',
    ])
    expect([code, said]).toEqual([1, 'F: 1 imported, 0 already here, 12 refused'])
    const names = faults.map((fault) => fault.split(':').slice(0, 3).join(':'))
    expect(faults[9]).toBe('F:12: userId: is also in line 11: remove one line, because a player has one line')
    expect(names).toEqual([
      'F:2: currency',
      'F:3: balance',
      'F:4: balance',
      'F:5: balance',
      'F:6: birthday',
      'F:7: verified',
      'F:8: userId',
      'F:9: has not as many cells as the first line',
      'F:10: has not as many cells as the first line',
      'F:12: userId',
      'F:13: userId',
      'F:14: userId',
    ])
    expect(await wallet.operator.balance('right-1')).toBe('1.00')
    expect(objectOf(await player('wrong-4')).status).toBe(404)
  })

  test('refuses a player who exists with other data, and changes nothing', async () => {
    const head = 'userId,currency,balance'
    await importFile([head, 'stays,EUR,1'])
    for (const [line, why] of [
      ['stays,EUR,2', 'this player exists with another opening balance'],
      ['stays,USD,', 'a player with this userId exists with other data'],
    ] as const)
      expect(await importFile([head, line])).toMatchObject({ code: 1, faults: [`F:2: ${why}`] })
    expect(await wallet.operator.balance('stays')).toBe('1.00')
  })

  test('never merges two players whose ids a spreadsheet has shortened, and --check reports them', async () => {
    const lines = ['userId,currency,balance', `4.02771E+11,EUR,10.00`, `4.02771E+11,EUR,10.00`]
    const shortened = (line: number) =>
      `F:${line}: warning: userId: a spreadsheet has shortened 4.02771E+11: format the column as text, and export it again`
    for (const [flags, said] of [
      [['--check'], 'F: 1 can be imported, 1 refused'],
      [[], 'F: 1 imported, 0 already here, 1 refused'],
    ] as const) {
      const result = await importFile(lines, ...flags)
      const twin = 'F:3: userId: is also in line 2: remove one line, because a player has one line'
      expect(result).toEqual({ code: 1, said, faults: [shortened(2), shortened(3), twin] })
    }
  })

  test('ignores what a spreadsheet adds, and accepts TRUE and FALSE', async () => {
    const lines = ['userId,currency,isTest,verified,', 'sheet-1,EUR,TRUE,FALSE,', ',,,,', ',,,,']
    expect(await importFile(lines)).toMatchObject({ code: 0, said: 'F: 1 imported, 0 already here, 0 refused' })
    expect(await player('sheet-1')).toMatchObject({ isTest: true, verified: false })
  })

  test('keeps ids as they stand in quotation marks, and refuses ids that a URL or quotation marks cannot carry', async () => {
    const { said, faults } = await importFile(['userId,currency', 'ends ,EUR', '" ends ",EUR', '..,EUR', '.,EUR'])
    expect(said).toBe('F: 1 imported, 0 already here, 3 refused')
    expect(faults).toEqual([
      expect.stringMatching(/^F:2: userId: has white space at an end/),
      expect.stringMatching(/^F:4: userId: .* because the path of a URL cannot contain it$/),
      expect.stringMatching(/^F:5: userId: .* because the path of a URL cannot contain it$/),
    ])
    expect(objectOf(await player('%20ends%20')).userId).toBe(' ends ')
  })

  test('with --check changes nothing, and reports opening balances separately', async () => {
    const lines = ['userId,currency,balance', 'later,EUR,5']
    // `--check` does not look up which players exist.
    const checked = { code: 0, said: 'F: 1 can be imported, 0 refused' }
    expect(await importFile(lines, '--check')).toMatchObject(checked)
    expect(objectOf(await player('later')).status).toBe(404)
    await importFile(lines)
    expect(await importFile(lines, '--check')).toMatchObject(checked)
    expect((await importFile(lines, '--check', '--json')).said).toBe('{"imported":1,"refused":0}')
    const today = new Date().toISOString().slice(0, 10)
    const report = await wallet.operator.request('GET', `/operator/reports/daily?from=${today}&currency=EUR`)
    const total = rowsOf(report.body, 'data').map(({ openings, deposits, sum }) => [openings === '0.00', deposits, sum])
    expect(total).toContainEqual([false, '5.00', '0.00'])
  })

  test.each([
    [['userId,currency,ballance', 'a,EUR,1'], 'unknown columns: ballance'],
    [['userId,currency,constructor', 'a,EUR,1'], 'unknown columns: constructor'],
    [['userId,balance', 'a,1'], 'lacks the columns currency'],
    [['userId,currency,currency', 'a,EUR,EUR'], 'the column currency twice'],
    [[''], 'lacks the columns'],
    [['userId,currency', '"a,EUR'], 'cannot be read as CSV'],
  ])('refuses the file %j', async (lines, message) => {
    const { code, faults } = await importFile(lines)
    expect([code, faults.join()]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('purser import of a whole site', () => {
  const PLAYERS = IS_NIGHTLY ? 50_000 : 4_000
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  test('imports every player and every cent once, and prints the seconds', async () => {
    const wallet = await startWallet()
    const file = join(folder, 'players.csv')
    const lines = Array.from({ length: PLAYERS }, (_, i) => `site-${i},EUR,${i}.25,north,player-${i}@example.com`)
    writeFileSync(file, ['userId,currency,balance,brand,customFields.email', ...lines].join('\n'))
    const begun = performance.now()
    const { code, stdout, stderr } = await run(['import', file], { DATABASE_URL: wallet.databaseUrl })
    console.log(`${PLAYERS} players in ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`${PLAYERS} imported, 0 already here, 0 refused`)
    const sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
    const { rows } = await sql.query(
      'select count(*)::int as players, sum(balance)::bigint as cents from purser.account',
    )
    await sql.end()
    expect(rows).toEqual([{ players: PLAYERS, cents: String((PLAYERS * (PLAYERS - 1) * 100) / 2 + PLAYERS * 25) }])
    const again = await run(['import', file], { DATABASE_URL: wallet.databaseUrl })
    expect(again.stdout).toContain(`0 imported, ${PLAYERS} already here, 0 refused`)
    await wallet.auditIsClean()
    await wallet.stop()
  })
})

describe('purser import from a shell without the currencies of the wallet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  const file = join(folder, 'players.csv')
  const lines = (currency: string) => writeFileSync(file, `userId,currency,balance\nalice,${currency},12.50\n`)
  afterAll(() => rmSync(folder, { recursive: true }))

  test('imports no player, since the wallet would read the money in another scale', async () => {
    const wallet = await startWallet({ env: { PURSER_CURRENCIES: 'EUR:4' } })
    lines('EUR')
    for (const flags of [['--check'], []]) {
      const { code, stdout, stderr } = await run(['import', file, ...flags], { DATABASE_URL: wallet.databaseUrl })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain('PURSER_CURRENCIES is none here and EUR:4 in the database')
    }
    expect((await wallet.operator.request('GET', '/operator/players/alice')).status).toBe(404)
    const env = { DATABASE_URL: wallet.databaseUrl, PURSER_CURRENCIES: 'EUR:4' }
    expect((await run(['import', file], env)).code).toBe(0)
    expect(await wallet.operator.balance('alice')).toBe('12.5000')
    const token = await wallet.operator.session('alice')
    const bet = { userId: 'alice', token, transactionId: 'a-bet-of-ten-cents', amount: 0.1, currency: 'EUR' }
    expect((await wallet.wire.place(bet)).status).toBe(200)
    expect(await wallet.operator.balance('alice')).toBe('12.4000')
    await wallet.auditIsClean()
    await wallet.stop()
  })

  test('reads amounts as they were stored, since a command that only reads needs no setting', async () => {
    const wallet = await startWallet({ env: { PURSER_CURRENCIES: 'EUR:4' } })
    await wallet.operator.createPlayer({ userId: 'alice' })
    await wallet.operator.deposit('alice', '12.5001')
    const env = { DATABASE_URL: wallet.databaseUrl }
    const today = new Date().toISOString().slice(0, 10)
    for (const command of [
      ['export-player', 'alice'],
      ['report', '--from', today, '--json'],
    ]) {
      const { code, stdout } = await run(command, env)
      expect([code, stdout]).toEqual([0, expect.stringContaining('"12.5001"')])
    }
    await wallet.stop()
  })

  test('names the settings that the first wallet must have, when no wallet has started before', async () => {
    const { url, drop } = await createDatabase()
    lines('USD')
    expect((await run(['import', file, '--check'], { DATABASE_URL: url })).code).toBe(0)
    const settings = await run(['settings', 'wallet'], { DATABASE_URL: url })
    expect(settings.stdout).toContain('PURSER_CURRENCIES: not yet recorded')
    expect((await run(['import', file], { DATABASE_URL: url })).code).toBe(0)
    const start = startWallet({ databaseUrl: url, env: { PURSER_CURRENCIES: 'EUR:4' } })
    await expect(start).rejects.toThrow('PURSER_CURRENCIES is EUR:4 here and none in the database')
    await drop()
  })
})
