/**
 * The command `purser reconcile` suits a script: output, files, exit code and memory limit are as
 * documented.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WalletSide } from '../../src/reconcile/bet-sides.ts'
import { compareIdAndPlayer, sortById } from '../../src/reconcile/external-sort.ts'
import { run } from '../cli/command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { seededRandom } from '../support/random.ts'
import { spawnWallet, type WalletProcess } from '../support/wallet.ts'
import { type Books, betIdOf, writeBooks } from './books.ts'

const MANY = 100_000
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

describe('reconcile over many bets', () => {
  let databases: TestDatabase[]
  let books: Books
  let wallet: WalletProcess
  const folder = mkdtempSync(join(tmpdir(), 'purser-test-'))

  beforeAll(async () => {
    databases = await Promise.all([createDatabase(), createDatabase()])
    books = await writeBooks(databases[0]?.url ?? '', databases[1]?.url ?? '', MANY)
    await books.wallet('update purser.bet set payout = 2101 where bet_id = $1', 77_771)
    await books.wallet('delete from purser.bet where bet_id = $1', 5)
    wallet = await spawnWallet({ databaseUrl: databases[1]?.url ?? '', env: { LOG_LEVEL: 'info' } })
  }, 120_000)
  afterAll(async () => {
    await wallet.kill('SIGKILL')
    await books.close()
    await Promise.all(databases.map((database) => database.drop()))
    rmSync(folder, { recursive: true })
  })

  const sides = () => [
    '--platform-database-url',
    databases[0]?.url ?? '',
    '--wallet-database-url',
    databases[1]?.url ?? '',
  ]

  test('finds two differences with bounded memory', async () => {
    const { code, stdout } = await runMeasured(['reconcile', ...sides()])
    expect(stdout.split('\n').slice(0, 2).sort()).toEqual([
      expect.stringMatching(
        new RegExp(`^missing at wallet +bet ${betIdOf(5)} +player player-5 +platform: open, .* wallet: nothing$`),
      ),
      expect.stringMatching(
        new RegExp(`^payout differs +bet ${betIdOf(77_771)} .* platform: 21.00 EUR \\| wallet: 21.01 EUR$`),
      ),
    ])
    expect(stdout.split('\n')[2]).toBe(
      `reconcile: 2 differences; ${MANY} bets of partner acme compared, 0 in flight, 0 notes`,
    )
    expect(code).toBe(1)
  }, 60_000)

  test('writes the findings as JSON and CSV', async () => {
    const csv = join(folder, 'out.csv')
    const { code, stdout } = await run(['reconcile', ...sides(), '--json', '--csv', csv])
    const report = JSON.parse(stdout)
    expect(code).toBe(1)
    expect(report).toMatchObject({ ok: false, partnerId: 'acme', bets: MANY, differences: 2, notes: 0, inFlight: 0 })
    expect(report.findings).toHaveLength(2)
    expect(report.findings).toContainEqual({
      ...{ type: 'difference', kind: 'payout', betId: betIdOf(77_771), player: 'player-1' },
      ...{ platform: '21.00 EUR', wallet: '21.01 EUR' },
      details: expect.objectContaining({ acknowledgedPayout: '21.00', walletPayout: '21.01', walletCurrency: 'EUR' }),
    })
    const lines = readFileSync(csv, 'utf8').split('\r\n')
    expect(lines[0]).toMatch(/^type,kind,betId,player,platformStatus,platformCurrency,.*,platform,wallet$/)
    expect(lines).toContain(
      `difference,missing_at_wallet,${betIdOf(5)},player-5,accepted,EUR,10.00,,,open,,,,,,,,,,,"open, stake 10.00 EUR",`,
    )
    expect(lines).toHaveLength(4)
  }, 60_000)

  test('reads the wallet through its operator API', async () => {
    const api = ['--operator-api', wallet.url, '--operator-key', wallet.operatorKey]
    const { code, stdout } = await run(['reconcile', ...sides().slice(0, 2), ...api, '--json'])
    expect(JSON.parse(stdout)).toMatchObject({ bets: MANY, differences: 2 })
    expect(code).toBe(1)
  }, 60_000)

  test('exits with 3 if a side cannot be reached, and with 2 for wrong options', async () => {
    const dead = ['--operator-api', 'http://127.0.0.1:1', '--operator-key', 'x']
    expect(await run(['reconcile', ...sides().slice(0, 2), ...dead])).toMatchObject({ code: 3, stdout: '' })
    const nowhere = ['--wallet-database-url', 'postgres://purser@127.0.0.1:1/purser']
    expect(await run(['reconcile', ...sides().slice(0, 2), ...nowhere])).toMatchObject({ code: 3, stdout: '' })
    const wrongKey = ['--operator-api', wallet.url, '--operator-key', 'wrong']
    expect(await run(['reconcile', ...sides().slice(0, 2), ...wrongKey])).toMatchObject({ code: 2, stdout: '' })
    expect(await run(['reconcile', ...sides(), '--partner', 'nobody'])).toMatchObject({ code: 2, stdout: '' })
  })
})

/** MB of heap, less than both sides need in memory together. */
const MOST_MB = 64

/** Runs with a small heap, so that a run which keeps all bets fails. */
async function runMeasured(args: string[]): Promise<{ code: number | null; stdout: string }> {
  const child = spawn(process.execPath, [`--max-old-space-size=${MOST_MB}`, MAIN, ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, stdout }
}

test('sorted runs on disk are merged into one order, and a bet that was listed twice appears once', async () => {
  const random = seededRandom('sorted runs')
  const ids = random.shuffled(Array.from({ length: 950 }, (_, i) => betIdOf(i)))
  async function* pages(): AsyncGenerator<WalletSide[]> {
    for (let first = 0; first < ids.length; first += 50) {
      const page = ids.slice(first, first + 50)
      yield [...page, ...ids.slice(0, 3)].map((betId) => side(betId, 'é'))
    }
  }
  const sorted = await sortById(pages(), compareIdAndPlayer, 100)
  const found: string[] = []
  for await (const page of sorted.pages) found.push(...page.map(({ betId, player }) => `${betId}${player}`))
  await sorted.close()
  expect(found).toEqual([...ids].sort().map((betId) => `${betId}é`))
})

function side(betId: string, player: string): WalletSide {
  return {
    betId,
    ownId: betId,
    player,
    status: 'open',
    currency: 'EUR',
    stake: '10.00',
    payout: null,
    resultType: null,
  }
}
