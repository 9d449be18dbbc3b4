/** The reports of reconcile are safe to open and share, and reconcile changes neither database. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import type { ReconcileFinding } from '../../src/reconcile/bet-comparison.ts'
import { runReconcile } from '../../src/reconcile/reconcile-command.ts'
import { createCsvFindingsReport, formatFinding } from '../../src/reconcile/reconcile-report.ts'
import { toFindingDetails } from '../../src/reconcile/side-description.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'purser-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function findingOf(player: string): ReconcileFinding {
  const wallet = { betId: 'bet-1', ownId: 'bet-1', player, status: 'open', currency: 'EUR', stake: '10.00' } as const
  const details = toFindingDetails(undefined, { ...wallet, payout: null, resultType: null })
  const rest = { platform: null, wallet: 'open, stake 10.00 EUR', details }
  return { type: 'difference', kind: 'missing_at_platform', betId: 'bet-1', player, ...rest }
}

function csvOf(player: string): string[] {
  const path = join(folder, 'out.csv')
  const report = createCsvFindingsReport(path)
  report.found(findingOf(player))
  report.end({ partnerId: 'acme', bets: 1, inFlight: 0, differences: 1, notes: 0 })
  return readFileSync(path, 'utf8').split('\r\n')
}

test('the CSV has a column for each status, amount, currency and code', () => {
  const [names = '', row = ''] = csvOf('ann')
  const cells = row.replace('"open, stake 10.00 EUR"', 'words').split(',')
  const found = Object.fromEntries(names.split(',').map((name, i) => [name, cells[i]]))
  expect(found).toMatchObject({ betId: 'bet-1', player: 'ann', walletStatus: 'open', walletStake: '10.00' })
  expect(found).toMatchObject({
    walletCurrency: 'EUR',
    platformStake: '',
    decidedPayout: '',
    acknowledgedPayout: '',
    code: '',
  })
  expect(cells).toHaveLength(names.split(',').length)
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '＝1+1', '=1","x'])(
  'no cell of the CSV is a formula: %j',
  (player) => {
    const [, row = ''] = csvOf(player)
    const cell = row.slice('difference,missing_at_platform,bet-1,'.length)
    expect(cell).toMatch(/^"'/)
  },
)

test.each([
  ['\u001b[2J', '\\u001b[2J'],
  ['a\r\nb', 'a\\u000d\\u000ab'],
  ['\u0000', '\\u0000'],
  ['\u009b1m', '\\u009b1m'],
  ['a\u202eb', 'a\\u202eb'],
  ['a\u2028b', 'a\\u2028b'],
])('no control character is written to a file or to a terminal: %j', (player, shown) => {
  const lines = csvOf(player)
  expect(lines[1]).toContain(`bet-1,${shown},`)
  expect(lines).toHaveLength(3)
  expect(formatFinding(findingOf(player))).toContain(`player ${shown}  platform`)
})

test('a folder without a database is not changed', async () => {
  const dataDir = join(folder, 'data')
  const config = readConfig({ PURSER_DATA_DIR: dataDir }, PROCESS_ROLES.tool)
  await expect(runReconcile({}, config, () => {})).rejects.toThrow(`there is no database in ${dataDir}`)
  const other = join(folder, 'other')
  await expect(runReconcile({ platformDatabaseUrl: other }, config, () => {})).rejects.toThrow('there is no database')
  expect([existsSync(dataDir), existsSync(other)]).toEqual([false, false])
})
