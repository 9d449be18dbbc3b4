/**
 * `purser audit --changed` reads only rows that have changed since the last clean audit. It audits
 * all rows when the feed cannot prove which ones changed.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { run } from './command.ts'

let wallet: TestWallet
let owner: pg.Client
beforeAll(async () => {
  wallet = await startWallet()
  owner = new pg.Client({ connectionString: wallet.databaseUrl })
  await owner.connect()
  await playerWithMoney(wallet.operator, '12.50')
})
afterAll(async () => {
  await owner.end()
  await wallet.auditIsClean()
  await wallet.stop()
})

const audit = async (...flags: string[]) => {
  const { code, stderr } = await run(['audit', ...flags], { DATABASE_URL: wallet.databaseUrl })
  return [code, stderr.includes('everything is checked') ? 'whole' : stderr]
}

test('purser audit skips rows that were clean, until a whole audit has findings', async () => {
  expect(await audit('--changed')).toEqual([0, 'whole']) // the first audit is always whole
  expect(await audit('--changed')).toEqual([0, ''])
  await owner.query('update purser.account set version = version + 1')
  // The change feed has no event for this update, so that `--changed` does not see it.
  expect(await audit('--changed')).toEqual([0, ''])
  expect(await audit()).toEqual([1, ''])
  expect(await audit('--changed')).toEqual([1, 'whole'])
  await owner.query('update purser.account set version = version - 1')
  expect(await audit('--changed')).toEqual([0, 'whole'])
  expect(await audit('--changed')).toEqual([0, ''])
}, 300_000) // seven process starts

test('purser audit reads everything when retention has deleted events since the last audit', async () => {
  expect(await audit()).toEqual([0, ''])
  for (let i = 0; i < 2; i++) await playerWithMoney(wallet.operator, '5.00')
  await wallet.operator.request('GET', '/operator/changes') // assigns the feed numbers
  await owner.query('delete from purser.change where last_number < (select max(last_number) from purser.change)')
  expect(await audit('--changed')).toEqual([0, 'whole'])
  expect(await audit('--changed')).toEqual([0, ''])
})
