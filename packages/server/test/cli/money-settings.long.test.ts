/**
 * The database stores the settings that affect money. All servers on that database use the same
 * values, and only a command changes them (O-1).
 */
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { auditIsClean } from '../support/audit.ts'
import { createDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'
import { partnerWire } from '../support/wire.ts'
import { run } from './command.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function newDatabase(): Promise<string> {
  const database = await createDatabase()
  cleanups.push(() => database.drop())
  return database.url
}

async function wallet(databaseUrl: string, env: Record<string, string> = {}) {
  const started = await startWallet({ databaseUrl, env })
  cleanups.push(() => started.stop())
  return started
}

const FIRST = { PURSER_CLAWBACK: 'allow-negative', PURSER_RESETTLE_WINDOW: '30', PURSER_CURRENCIES: 'GOLD:2,USD:4' }
const OTHER = {
  PURSER_CLAWBACK: 'refuse',
  PURSER_RESETTLE_WINDOW: '7',
  PURSER_FREEBET_STAKE: 'promotions',
  PURSER_BEHIND_AGGREGATOR: 'true',
  PURSER_CURRENCIES: 'GOLD:3',
}

describe('a second wallet on the database', () => {
  test('starts with the same settings in any order', async () => {
    const databaseUrl = await newDatabase()
    await wallet(databaseUrl, FIRST)
    await wallet(databaseUrl, { ...FIRST, PURSER_CURRENCIES: 'USD:4, GOLD:2,EUR:2' })
  })

  test('is refused with other settings, each named with both values, in production and elsewhere', async () => {
    const databaseUrl = await newDatabase()
    await wallet(databaseUrl, FIRST)
    const env = { DATABASE_URL: databaseUrl, PORT: '0', PARTNER_SECRET: 'a', OPERATOR_API_KEY: 'b' }
    const { code, stderr } = await run(['wallet'], { ...env, ...OTHER })
    expect(code).toBe(2)
    for (const line of [
      'PURSER_CLAWBACK is refuse here and allow-negative in the database',
      'PURSER_RESETTLE_WINDOW is 7 here and 30 in the database',
      'PURSER_FREEBET_STAKE is promotions here and player in the database',
      'PURSER_BEHIND_AGGREGATOR is true here and false in the database',
      'PURSER_CURRENCIES is GOLD:3 here and GOLD:2,USD:4 in the database',
      'purser settings wallet --apply',
    ])
      expect(stderr).toContain(line)
    await expect(wallet(databaseUrl)).rejects.toThrow('PURSER_RESETTLE_WINDOW is none here and 30 in the database')
  })

  test('is refused, or the first one is, when both start together with different settings', async () => {
    const databaseUrl = await newDatabase()
    const both = await Promise.allSettled([wallet(databaseUrl, FIRST), wallet(databaseUrl, OTHER)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('purser settings', () => {
  test('prints the recorded and the configured values, changes nothing, and ends with 1', async () => {
    const databaseUrl = await newDatabase()
    await wallet(databaseUrl, FIRST)
    const env = { DATABASE_URL: databaseUrl, ...FIRST, PURSER_CLAWBACK: 'refuse' }
    const shown = await run(['settings', 'wallet'], env)
    expect(shown).toMatchObject({ code: 1, stderr: '' })
    expect(shown.stdout).toContain(
      'PURSER_CLAWBACK: allow-negative in the database, refuse here\n  from now on a lower',
    )
    expect(shown.stdout).toContain('PURSER_RESETTLE_WINDOW: 30\n')
    expect(shown.stdout).toContain('--apply')
    const json = await run(['settings', 'wallet', '--json'], env)
    expect(JSON.parse(json.stdout)).toContainEqual(
      expect.objectContaining({ name: 'PURSER_CLAWBACK', recorded: 'allow-negative', configured: 'refuse' }),
    )
    const same = await run(['settings', 'wallet'], { DATABASE_URL: databaseUrl, ...FIRST })
    expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing differs') })
  })

  test('with --apply records the new settings: wallets with them start, wallets with the old ones are refused', async () => {
    const databaseUrl = await newDatabase()
    await (await startWallet({ databaseUrl, env: FIRST })).stop()
    const applied = await run(['settings', 'wallet', '--apply'], { DATABASE_URL: databaseUrl, ...OTHER })
    expect(applied).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('restart every server') })
    await wallet(databaseUrl, OTHER)
    await expect(wallet(databaseUrl, FIRST)).rejects.toThrow('PURSER_CLAWBACK is allow-negative here and refuse')
  })

  test('with --apply changes no scale of a currency in use, for the wallet and the platform', async () => {
    const databaseUrl = await newDatabase()
    const first = await startWallet({ databaseUrl, env: FIRST })
    const { userId } = await playerWithMoney(first.operator, '5.0001', 'USD')
    await first.stop()
    const env = { DATABASE_URL: databaseUrl, ...FIRST, PURSER_CURRENCIES: 'USD:3' }
    const refused = await run(['settings', 'wallet', '--apply'], env)
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('USD is stored with 4 decimals, configured are 3')
    const again = await wallet(databaseUrl, FIRST)
    expect(await again.operator.balance(userId, 'USD')).toBe('5.0001')
    await auditIsClean(again.operator)
  })

  test.each([['bank'], []])('ends with a usage error for the arguments %s', async (...names) => {
    expect(await run(['settings', ...names])).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('a second platform', () => {
  const start = (databaseUrl: string, currencies: string) =>
    startPlatform({ databaseUrl, env: { PURSER_CURRENCIES: currencies } })

  test('is refused with other scales, and the command changes a scale only while no bet has the currency', async () => {
    const databaseUrl = await newDatabase()
    const first = await start(databaseUrl, 'GOLD:2,EUR:3')
    await expect(start(databaseUrl, '')).rejects.toThrow('PURSER_CURRENCIES is none here and EUR:3,GOLD:2')
    const { partnerId } = await first.partner()
    await first.api.place(await first.api.loadFrame(partnerId))
    await first.stop()
    const apply = (currencies: string) =>
      run(['settings', 'platform', '--apply'], { DATABASE_URL: databaseUrl, PURSER_CURRENCIES: currencies })
    const refused = await apply('GOLD:2')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('EUR is stored with 3 decimals, configured are 2')
    expect(await apply('GOLD:4,EUR:3')).toMatchObject({ code: 0 })
    await (await start(databaseUrl, 'EUR:3,GOLD:4')).stop()
  })
})

test('purser audit uses the clawback of the database, whatever its environment says', async () => {
  const databaseUrl = await newDatabase()
  const { wire, operator, stop } = await startWallet({ databaseUrl, env: { PURSER_CLAWBACK: 'allow-negative' } })
  const player = await playerWithMoney(operator, '10.00')
  const bet = { ...player, amount: 10, transactionId: 'a-bet-that-was-won' }
  await wire.place(bet)
  await wire.settle({ ...bet, amount: 20, resultType: 'won' })
  await wire.place({ ...bet, amount: 20, transactionId: 'a-bet-that-takes-all' })
  expect(await wire.settle({ ...bet, amount: 0, resultType: 'lost' })).toMatchObject({ status: 200 })
  expect(await operator.balance(player.userId)).toBe('-20.00')
  await stop()
  expect(await run(['audit'], { DATABASE_URL: databaseUrl })).toMatchObject({ code: 0, stdout: 'audit: no findings\n' })
})

describe('a platform name with bets', () => {
  const SECRET = 'the-secret-of-one-platform'
  const NAMED = { PARTNER_SECRET: '', PARTNER_SECRETS: `acme:${SECRET}` }
  const both = { ...NAMED, PARTNER_SECRET: 'the-secret-of-another-one' }

  /** Places an open bet, then stops the wallet. */
  async function betOf(
    env: Record<string, string>,
  ): Promise<{ databaseUrl: string; bet: Record<string, string | number>; userId: string }> {
    const databaseUrl = await newDatabase()
    const { url, operator, stop } = await startWallet({ databaseUrl, env })
    const player = await playerWithMoney(operator, '10.00')
    const bet = { ...player, amount: 10, transactionId: 'a-bet-that-stays-open' }
    expect(await partnerWire(url, SECRET).place(bet)).toMatchObject({ status: 200 })
    await stop()
    return { databaseUrl, bet, userId: player.userId }
  }

  test('keeps its setting, since its Rollback under a new name would be answered 200 without money', async () => {
    const { databaseUrl, bet, userId } = await betOf({ PARTNER_SECRET: SECRET })
    await expect(wallet(databaseUrl, NAMED)).rejects.toThrow('bets of the platform without a name, and PARTNER_SECRET')
    const again = await wallet(databaseUrl, { PARTNER_SECRET: SECRET, PARTNER_SECRETS: 'acme:another-secret' })
    await partnerWire(again.url, SECRET).rollback(bet)
    expect(await again.operator.balance(userId)).toBe('10.00')
    await auditIsClean(again.operator)
  })

  test('must stay in the settings, and a name without bets may go', async () => {
    const { databaseUrl } = await betOf({ PARTNER_SECRET: SECRET })
    const { stop } = await wallet(databaseUrl, { PARTNER_SECRET: SECRET, PARTNER_SECRETS: 'acmee:another-secret' })
    await stop()
    await wallet(databaseUrl, { PARTNER_SECRET: SECRET, PARTNER_SECRETS: 'acme:another-secret' })
  })

  test('keeps its place until a command declares it ended', async () => {
    const { databaseUrl } = await betOf(both)
    const unnamed = { PARTNER_SECRET: both.PARTNER_SECRET }
    await expect(wallet(databaseUrl, unnamed)).rejects.toThrow('purser settings wallet --end-platform acme')
    const end = (name: string) => run(['settings', 'wallet', '--end-platform', name], { DATABASE_URL: databaseUrl })
    expect(await end('best')).toMatchObject({ code: 2, stderr: expect.stringContaining('a platform best') })
    expect(await end('acme')).toMatchObject({ code: 0, stdout: expect.stringContaining('acme has ended') })
    await wallet(databaseUrl, unnamed)
  })

  test.each([
    ['the platform without a name', { PARTNER_SECRET: SECRET }, NAMED],
    ['the platform acme', both, { PARTNER_SECRET: SECRET }],
  ])('is found by its bets where no wallet has recorded it yet: %s', async (name, before, after) => {
    const { databaseUrl } = await betOf(before)
    const owner = new pg.Client({ connectionString: databaseUrl })
    await owner.connect()
    await owner.query("delete from purser.setting where name like 'platform%'")
    await owner.end()
    await expect(wallet(databaseUrl, after)).rejects.toThrow(`this database has bets of ${name}`)
    const ended = name.replace(/^the platform (without a name)?/, '') || 'PARTNER_SECRET'
    const end = await run(['settings', 'wallet', '--end-platform', ended], { DATABASE_URL: databaseUrl })
    expect(end.code).toBe(0)
    await wallet(databaseUrl, after)
  })
})
