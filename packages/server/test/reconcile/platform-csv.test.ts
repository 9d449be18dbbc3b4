/**
 * Reconcile compares a CSV file from another platform with a wallet. The first line of the file
 * names its columns (C-9).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { runReconcile } from '../../src/reconcile/reconcile-command.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Books, betIdOf, writeBooks } from './books.ts'

const BETS = 20

let database: TestDatabase
let books: Books
const folder = mkdtempSync(join(tmpdir(), 'purser-test-'))
beforeAll(async () => {
  database = await createDatabase()
  books = await writeBooks(database.url, database.url, BETS)
})
afterAll(async () => {
  await books.close()
  await database.drop()
  rmSync(folder, { recursive: true })
})

const HEADER = 'status,betId,stake,currency,player,resultType,payout,more'
const STATES = ['open,ID,10.00,EUR,NAME,,,', 'settled,ID,10,EUR,NAME,won,21.0,x', 'settled,ID,10.00,EUR,NAME,lost,0,']
const OTHERS = ['cancelled,ID,10.00,EUR,NAME,,,', 'declined,ID,10.00,EUR,NAME,,,"a, b"']

/** Bet `i` as another platform would export it. */
function rowOf(i: number): string {
  const row = [...STATES, ...OTHERS][i % 5] ?? ''
  return row.replace('ID', betIdOf(i)).replace('NAME', `player-${i % 7}`)
}

const ROWS = Array.from({ length: BETS }, (_, i) => rowOf(i + 1)).reverse()

async function compare(text: string, options: object = {}) {
  const platformCsv = join(folder, 'bets.csv')
  writeFileSync(platformCsv, text)
  const config = readConfig({ DATABASE_URL: database.url }, PROCESS_ROLES.tool)
  let printed = ''
  const isClean = await runReconcile({ platformCsv, ...options }, config, (piece) => {
    printed += piece
  })
  return { isClean, printed }
}

test.each([
  ['in any order, with columns in any order', [HEADER, ...ROWS].join('\n')],
  ['with a byte order mark, CRLF and a last line end', `\u{FEFF}${[HEADER, ...ROWS].join('\r\n')}\r\n`],
  [
    'with everything in quotes',
    [HEADER, ...ROWS]
      .map((row) =>
        row
          .replace('"a, b"', 'a')
          .split(',')
          .map((cell) => `"${cell}"`)
          .join(','),
      )
      .join('\n'),
  ],
])('a file that agrees has no difference, %s', async (_what, text) => {
  expect(await compare(text)).toEqual({
    isClean: true,
    printed: 'reconcile: no differences; 20 bets of the file compared, 0 in flight, 0 notes\n',
  })
})

test('every difference is found in a file, and the exit code reports it', async () => {
  const rows = ROWS.filter((row) => !row.includes(betIdOf(5))) // open at the wallet
    .map((row) => (row.includes(betIdOf(6)) ? row.replace('21.0', '20.99') : row))
    .map((row) => (row.includes(betIdOf(10)) ? row.replace('open', 'cancelled') : row))
    .map((row) => (row.includes(betIdOf(15)) ? row.replace('10.00', '10.01').replace('EUR', 'USD') : row))
  const { isClean, printed } = await compare([HEADER, ...rows, `open,unknown-bet-1,5,EUR,ann,,,`].join('\n'), {
    json: true,
  })
  expect(isClean).toBe(false)
  const found: { kind: string; betId: string }[] = JSON.parse(printed).findings
  expect(found.map(({ kind, betId }) => `${kind} ${betId}`)).toEqual([
    `missing_at_platform ${betIdOf(5)}`,
    `payout ${betIdOf(6)}`,
    `status ${betIdOf(10)}`,
    `stake ${betIdOf(15)}`,
    `currency ${betIdOf(15)}`,
    'missing_at_wallet unknown-bet-1',
  ])
})

test.each([
  ['without a column', 'betId,player\n1,2', 'lacks the columns status, currency, stake'],
  ['without one column', 'betId,player,status,currency\nbet-1,ann,open,EUR', 'lacks the columns stake;'],
  ['that is empty', '', 'lacks the columns betId, player, status, currency, stake'],
  [
    'with another status',
    `${HEADER}\nlive,bet-1,1,EUR,ann,,,`,
    'line 2: status must be one of open, settled, cancelled, declined, not "live"',
  ],
  [
    'with an amount that is none',
    `${HEADER}\nopen,bet-1,"1,00",EUR,ann,,,`,
    'line 2: stake must be an amount like 12.10, not "1,00"',
  ],
  ['with a settled bet without payout', `${HEADER}\nsettled,bet-1,1,EUR,ann,won,,`, 'line 2: payout must be an amount'],
  [
    'with a settled bet without result',
    `${HEADER}\nsettled,bet-1,1,EUR,ann,,1,`,
    'line 2: a settled bet has a resultType',
  ],
  ['without a player', `${HEADER}\nopen,bet-1,1,EUR,,,,`, 'line 2: player is empty'],
  ['without a currency', `${HEADER}\nopen,bet-1,1,,ann,,,`, 'line 2: currency is empty'],
  ['without a bet id', `${HEADER}\nopen,,1,EUR,ann,,,`, 'line 2: betId is empty'],
  [
    'with a bet twice',
    `${HEADER}\nopen,bet-1,1,EUR,ann,,,\nopen,bet-1,1,EUR,bob,,,`,
    'has the bet bet-1 twice, in lines 2 and 3',
  ],
  ['with a row too short', `${HEADER}\nopen,bet-1`, 'cannot be read as CSV'],
  ['with quotes that do not end', `${HEADER}\n"open,bet-1`, 'cannot be read as CSV'],
])('a file %s is a usage error', async (_what, text, words) => {
  await expect(compare(text)).rejects.toThrow(words)
})

test('a file replaces the platform, and a second source is a usage error', async () => {
  await expect(compare(HEADER, { partner: 'acme' })).rejects.toThrow('leave out --partner')
})

test('a file is compared with the bets of the given platforms, which must have valid and known names', async () => {
  const text = [HEADER, ...ROWS].join('\n')
  expect((await compare(text, { platform: [''] })).isClean).toBe(true)
  const withPlatform = (name: string) => compare(text, { platform: ['', name] })
  await expect(withPlatform('acme')).rejects.toThrow('no wallet of this database was started for a platform acme')
  await expect(withPlatform('Acme Ltd')).rejects.toThrow('"Acme Ltd" is not a valid name')
})
