import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { run } from './command.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_CURRENCIES: 'GOLD:0', PARTNER_SECRETS: 'acme:the-secret-of-acme' } })
  await playerWithMoney(wallet.operator, '12.50')
  await playerWithMoney(wallet.operator, '7', 'GOLD', { brand: 'mine' })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const report = (...flags: string[]) => run(['report', ...flags], { DATABASE_URL: wallet.databaseUrl })
const today = new Date().toISOString().slice(0, 10)

test('purser report prints each currency and brand as a sum in its own decimals', async () => {
  const { code, stdout, stderr } = await report('--from', today)
  expect([code, stderr]).toEqual([0, ''])
  const [euro = '', gold = ''] = stdout.split('\n\n')
  expect(euro).toMatch(/^\d{4}-\d\d-\d\d {2}EUR {2}\(not final\) {2}1 transfers\n/)
  expect(euro).toMatch(/deposits +12\.50\n.*a day later +12\.50\n.*sum of all accounts +0\.00$/s)
  expect(gold).toMatch(/GOLD {2}mine.*deposits +7\n/s)
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('purser report sums by the site that a Place bet names', async () => {
  const player = await playerWithMoney(wallet.operator, '20.00', 'EUR', { brand: 'sited' })
  const bet = { ...player, transactionId: randomUUID(), amount: 5, subPartnerId: 'north \u001b[2J' }
  expect((await wallet.wire.place(bet)).status).toBe(200)
  const { stdout } = await report('--from', today, '--site', bet.subPartnerId)
  expect(stdout).toMatch(/EUR {2}sited {2}north \\u001b\[2J {2}\(not final\) {2}1 transfers\n/)
  expect(stdout).toMatch(/stakes +-5\.00\n/)
  expect((await report('--from', today, '--csv', '--site', bet.subPartnerId)).stdout).toMatch(
    /,site\r\n.*,north \\u001b\[2J\r\n$/s,
  )
})

test('purser report of one currency prints one sum, unless brands are requested', async () => {
  const sums = async (...flags: string[]) =>
    (await report('--from', today, '--currency', 'EUR', ...flags)).stdout.split('\n\n')
  expect(await sums('--by', 'currency')).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\d {2}EUR {2}\(not final\) {2}3 transfers\n/),
  ])
  expect(await sums()).toEqual([expect.any(String), expect.stringContaining('EUR  sited  (not final)')])
})

test('purser report prints CSV and JSON', async () => {
  expect((await report('--from', today, '--csv', '--currency', 'GOLD')).stdout).toMatch(/^day,currency,.*,GOLD,mine,/s)
  expect(JSON.parse((await report('--from', today, '--json', '--brand', 'mine')).stdout).data).toHaveLength(1)
})

test('purser report says that names which exist have no money', async () => {
  expect((await report()).stdout).toBe('report: no money moved on these days\n')
  for (const flags of [
    ['--currency', 'NOK'],
    ['--brand', 'mine'],
    ['--platform', 'acme'],
    ['--site', 'north \u001b[2J'],
  ])
    expect(await report(...flags)).toMatchObject({ code: 0, stdout: 'report: no money moved on these days\n' })
})

test.each([
  ['no such day', ['--from', '2026-02-30'], '--from: 2026-02-30 is not a day'],
  ['a site longer than any', ['--site', 's'.repeat(65)], '--site: must not have more than 64'],
  ['no such part', ['--by', 'brand, site'], '--by: must match'],
  ['a currency that is none', ['--currency', 'EURO'], '--currency: EURO is not a currency of this wallet'],
  ['an unknown brand', ['--brand', 'yours'], '--brand: no player has the brand yours'],
  ['an unknown platform', ['--platform', 'amce'], '--platform: no wallet of this database was started for'],
  ['an unknown site', ['--site', 'south'], '--site: no bet came from the site south'],
  ['days the wrong way round', ['--from', today, '--to', '2020-01-01'], '--to: is before from'],
])('purser report ends with a usage error for %s', async (_name, flags, message) => {
  const { code, stderr } = await report(...flags)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
