/**
 * Our own wallet passes the conformance kit with players from the operator API and with players
 * from a file. Without a balance call, the kit finds balances by bets.
 */

import { type CaseResult, type ConformanceReport, isGood } from '@purser/conformance/reports/conformance-report'
import { formatTerminalReport, plainReportPaint } from '@purser/conformance/reports/terminal-report'
import { WALLET_CASES } from '@purser/conformance/wallet/cases/wallet-cases'
import { runWalletKit } from '@purser/conformance/wallet/play/wallet-kit-run'
import { parseFixturesFile } from '@purser/conformance/wallet/players/fixtures-file'
import { createOperatorFixtures } from '@purser/conformance/wallet/players/operator-fixtures'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Front, frontOf } from '../../../conformance/test/faulty-proxy.ts'
import { dueOf, isDue } from '../support/nightly.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

/** Milliseconds for one run of the kit during other tests on two cores; alone it takes seconds. */
vi.setConfig({ testTimeout: 180_000 })

/**
 * Days until each other kind of players was judged; players made for each case are judged every
 * day.
 */
const DAYS = 5

let wallet: TestWallet
let front: Front

beforeAll(async () => {
  wallet = await startWallet()
  front = await frontOf(wallet.url, { hides: '/user/balance' })
})
afterAll(async () => {
  await front?.close()
  await wallet?.stop()
})

function resultsOf({ results }: ConformanceReport, kind: CaseResult['verdict']['kind']): string[] {
  return results.filter(({ verdict }) => verdict.kind === kind).map(({ id }) => id)
}

function expectGood(report: ConformanceReport): void {
  expect(isGood(report), formatTerminalReport(report, plainReportPaint)).toBe(true)
  expect(resultsOf(report, 'failed'), formatTerminalReport(report, plainReportPaint)).toEqual([])
}

test('our wallet passes every case with players that the kit creates', async () => {
  const fixtures = createOperatorFixtures({ url: wallet.url, key: wallet.operatorKey })
  const report = await runWalletKit({ baseUrl: wallet.url, secret: wallet.secret, fixtures, isStrict: true })
  await fixtures.close()
  expectGood(report)
  expect(resultsOf(report, 'not judged')).toEqual([])
  await wallet.auditIsClean()
})

test.each(dueOf(['JPY', 'KWD'], DAYS))('every case judges a partner that has only %s', async (currency) => {
  const fixtures = createOperatorFixtures({ url: wallet.url, key: wallet.operatorKey, currency })
  const report = await runWalletKit({ baseUrl: wallet.url, secret: wallet.secret, fixtures, isStrict: true })
  await fixtures.close()
  expectGood(report)
  expect(resultsOf(report, 'not judged')).toEqual([])
  await wallet.auditIsClean()
})

test('a run with --patient waits once before it repeats everything', async () => {
  const fixtures = createOperatorFixtures({ url: wallet.url, key: wallet.operatorKey })
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  const cases = WALLET_CASES.filter(({ id }) => id.startsWith('late'))
  const options = { baseUrl: wallet.url, secret: wallet.secret, fixtures, cases, lateRepeatDelayMs: 300_000, wait }
  const report = await runWalletKit(options)
  await fixtures.close()
  expect(waits).toEqual([300_000])
  expect(resultsOf(report, 'passed')).toEqual(cases.map(({ id }) => id))
  expect(report.notes).toContain('all repeated at the end, after 300 s')
  await wallet.auditIsClean()
})

async function fixturesFile(
  count: number,
  currency = 'EUR',
  balance = '2500.00',
): Promise<{ text: string; userIds: string[] }> {
  const players = await Promise.all(
    Array.from({ length: count }, () => playerWithMoney(wallet.operator, balance, currency)),
  )
  const described = players.map(({ userId, token }) => ({ userId, token, balance }))
  return { text: JSON.stringify({ currency, players: described }), userIds: players.map(({ userId }) => userId) }
}

async function expectMoneyBack(userIds: readonly string[], currency = 'EUR', balance = '2500.00'): Promise<void> {
  const balances = await Promise.all(userIds.map((userId) => wallet.operator.balance(userId, currency)))
  expect(balances).toEqual(userIds.map(() => balance))
}

test.runIf(isDue(2, DAYS))(
  'players with only JPY are enough for a run, and get their money back at the end',
  async () => {
    const { text, userIds } = await fixturesFile(4, 'JPY', '2500')
    const report = await runWalletKit({ baseUrl: wallet.url, secret: wallet.secret, fixtures: parseFixturesFile(text) })
    expectGood(report)
    expect(resultsOf(report, 'not judged')).not.toContain('money-01')
    await expectMoneyBack(userIds, 'JPY', '2500')
    await wallet.auditIsClean()
  },
)

test.runIf(isDue(3, DAYS))('players of a file are enough for a run, and get their money back at the end', async () => {
  const { text, userIds } = await fixturesFile(4)
  const options = { baseUrl: wallet.url, secret: wallet.secret, fixtures: parseFixturesFile(text) }
  const report = await runWalletKit(options)
  expectGood(report)
  expect(resultsOf(report, 'not judged')).toContain('profile-04')
  expect(resultsOf(report, 'not judged')).not.toContain('place-01')
  await expectMoneyBack(userIds)
  await wallet.auditIsClean()
})

test.runIf(isDue(4, DAYS))('a wallet without /user/balance is judged by bets', async () => {
  const { text, userIds } = await fixturesFile(4)
  const report = await runWalletKit({ baseUrl: front.url, secret: wallet.secret, fixtures: parseFixturesFile(text) })
  expectGood(report)
  expect(report.notes.join()).toContain('probed')
  expect(resultsOf(report, 'not judged')).toContain('profile-05')
  await expectMoneyBack(userIds)
  await wallet.auditIsClean()
})

test('a fixtures file is refused when its crypto player has too few decimal places', () => {
  const player = { userId: 'ordinary', token: 'a-token-of-it', balance: '1000' }
  const file = (over: object) => JSON.stringify({ currency: 'EUR', players: [player], ...over })
  expect(() => parseFixturesFile(file({ crypto: player }))).toThrow('at least 6 decimal places, not EUR')
  expect(() => parseFixturesFile(file({ crypto: { ...player, userId: 'coins', currency: 'USDT' } }))).not.toThrow()
})
