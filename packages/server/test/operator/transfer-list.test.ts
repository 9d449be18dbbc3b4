/**
 * The list of transfers covers all players, in pages. It contains exactly the transfers that the
 * figures of a day sum up.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { type Db, statement } from '../../src/core/database/db.ts'
import { DAY_MS } from '../../src/wallet/ledger/daily-sums.ts'
import { PLAYER_TRANSFER_KINDS } from '../../src/wallet/ledger/player-day-sums.ts'
import { readTransfersByTime, type TransferPosition } from '../../src/wallet/ledger/transfers-by-time.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem, objectOf, readAllPages, rowsOf } from './answers.ts'

/** Transfers of a day: ten of each brand, and a deposit in USD. */
const LINES = 21
const BRANDS = ['north', 'south'] as const
let wallet: TestWallet
let db: Db
let day: string

beforeAll(async () => {
  const env = { PURSER_FREEBET_STAKE: 'promotions', PURSER_BUCKETS: '2' }
  wallet = await startWallet({ env })
  db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  // noon, so that no day ends during the test
  wallet.clock.advance(1.5 * DAY_MS - (wallet.clock.now().getTime() % DAY_MS))
  await aDay()
  wallet.clock.advance(DAY_MS)
  await aDay()
  day = wallet.clock.now().toISOString().slice(0, 10)
})
afterAll(async () => {
  await wallet.auditIsClean()
  await db.close()
  await wallet.stop()
})

async function aDay(): Promise<void> {
  for (const brand of BRANDS) {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR', { brand })
    const place = async (amount: number, more: object = {}) => {
      const bet = { userId, transactionId: randomUUID(), amount }
      expect((await wallet.wire.place({ ...bet, token, ...more })).status).toBe(200)
      return bet
    }
    const won = await place(10)
    for (const amount of [25, 5]) await wallet.wire.settle({ ...won, amount })
    await wallet.wire.rollback(await place(7))
    const free = await place(4, { bonusId: 1, bonusTemplateId: 1, bonusAmount: 4 })
    await wallet.wire.settle({ ...free, amount: 9 })
    await move(userId, 'withdrawals', { amount: '20.00' })
    await move(userId, 'adjustments', { amount: '-1.50', reason: `of ${brand}`, person: 'maria' })
    wallet.clock.advance(60_000)
  }
  await playerWithMoney(wallet.operator, '5.00', 'USD')
}

async function move(userId: string, what: string, body: object): Promise<void> {
  const sent = { currency: 'EUR', reference: 'the same', ...body, ...(what === 'withdrawals' && { reference: 'out' }) }
  expect((await wallet.operator.request('POST', `/operator/players/${userId}/${what}`, sent)).status).toBe(201)
}

const ask = (query: string) => wallet.operator.request('GET', `/operator/transfers?${query}`)
const pages = (query: string, limit = 2) => readAllPages((page) => ask(`${query}&${page}`), limit)
const cents = (amount: unknown) => Math.round(Number(amount) * 100)
const sum = (rows: readonly JsonObject[]) => rows.reduce((total, { amount }) => total + cents(amount), 0)

const REPORTED = {
  ...{ deposit: 'deposits', withdrawal: 'withdrawals', stake: 'stakes', refund: 'refunds', payout: 'payouts' },
  ...{ payout_reversal: 'resettlements', adjustment: 'adjustments', opening: 'openings' },
} as const
const LESS = ['withdrawal', 'stake']

test.each(Object.entries(REPORTED))('the %ss of a day add up to the figure of the report', async (kind, column) => {
  const { body } = await wallet.operator.request('GET', `/operator/reports/daily?from=${day}`)
  for (const brand of BRANDS) {
    const reported = rowsOf(body, 'data').find((row) => row.currency === 'EUR' && row.brand === brand)
    const rows = (await pages(`day=${day}&kind=${kind}&currency=EUR&brand=${brand}`, 1)).flat()
    expect(sum(rows)).toBe(cents(reported?.[column]) * (LESS.includes(kind) ? -1 : 1))
    expect(rows.length > 0).toBe(kind !== 'opening')
  }
})

test('the transfer list of a day has those of all players once, newest first, as the statements do', async () => {
  const shown = (await pages(`day=${day}`)).flat()
  const times = shown.map(({ at }) => String(at))
  expect(times).toEqual(times.toSorted().reverse())
  const statements = new Set(shown.map(({ userId }) => String(userId)))
  const lines: JsonObject[] = []
  for (const userId of statements) {
    const { body } = await wallet.operator.request('GET', `/operator/players/${userId}/statement`)
    lines.push(...rowsOf(body, 'data').map((line) => ({ userId, ...line })))
  }
  const nameOf = ({ userId, transferId }: JsonObject) => `${userId} ${transferId}`
  const inOrder = (rows: JsonObject[]) => rows.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
  expect(inOrder(shown)).toEqual(inOrder(lines))
  expect(shown).toHaveLength(LINES)
  expect(shown.filter(({ reason }) => reason !== undefined).map(({ reason }) => reason)).toEqual([
    'of south',
    'of north',
  ])
})

test('the transfer list has a currency, no brand, some hours, and the selections of bets', async () => {
  expect((await pages(`kind=deposit&currency=USD`)).flat().map(({ amount }) => amount)).toEqual(['5.00', '5.00'])
  expect((await pages(`kind=deposit&brand=`)).flat().map(({ amount }) => amount)).toEqual(['5.00', '5.00'])
  expect((await pages(`brand=`)).flat()).toHaveLength(2)
  const [[newest]] = (await pages(`day=${day}`)) as [JsonObject[]]
  const until = (await pages(`to=${newest?.at}`, 50)).flat()
  expect(until).toHaveLength(2 * LINES - 1)
  const since = (await pages(`from=${newest?.at}`, 50)).flat()
  expect(since).toEqual([newest])
  const [stake] = rowsOf((await ask(`kind=stake&bets=true`)).body, 'data')
  expect(stake).toMatchObject({ bet: { status: 'cancelled' } })
})

test('the transfer list refuses invalid and contradictory filters', async () => {
  expectProblem(await ask(`day=${day}&from=${day}T00:00:00Z`), 400, 'invalid_request', ['/query/day'])
  expectProblem(await ask('kind=stake_closed'), 400, 'invalid_request')
  expectProblem(await ask('after=x'), 400, 'invalid_request')
})

/**
 * The scan limit is small, so that time ranges are too long, too short, or a single moment above
 * the limit.
 */
test.each([
  ['stake', 'stake'],
  ['deposit', 'deposit'],
  ['transfer', undefined],
] as const)('a reader who continues after the scan limit of a page finds every %s', async (_name, kind) => {
  const asked = { currency: 'EUR', brand: 'north', from: new Date(0), to: new Date(wallet.clock.now().getTime() + 1) }
  const found: string[] = []
  let after: TransferPosition | undefined
  do {
    const { transfers, stoppedAt } = await readTransfersByTime(db, { kind, ...asked, after, limit: 2, maxScanned: 2 })
    found.push(...transfers.slice(0, 2).map(({ player, version }) => `${player} ${version}`))
    after = transfers.length > 2 ? transfers[1] : stoppedAt
  } while (after !== undefined)
  const all = (await pages(`currency=EUR&brand=north${kind === undefined ? '' : `&kind=${kind}`}`, 50)).flat()
  expect(found).toEqual(all.map(({ userId, transferId }) => `${userId} ${String(transferId).split('-').at(-1)}`))
  expect(found.length).toBeGreaterThan(1)
})

test('a reader who stopped at an instant with more transfers than a page scans continues before it', async () => {
  const times = (await pages(`day=${day}`, 50)).flat().map((row) => String(row.at))
  // a changed result takes back and pays at the same time
  const at = new Date(String(times.find((one, i) => one === times[i + 1])))
  const asked = { kind: undefined, currency: undefined, brand: undefined, from: new Date(0), to: wallet.clock.now() }
  const after = { at, player: '', currency: '', version: 0n }
  const { transfers, stoppedAt } = await readTransfersByTime(db, { ...asked, after, limit: 2, maxScanned: 1 })
  expect((transfers[0]?.at ?? stoppedAt?.at)?.getTime()).toBeLessThan(at.getTime())
})

const ARCHIVE = statement(
  'an_archive',
  "insert into purser.archive (file, before, made_at, accounts, transfers) values ('purser-1', '2001-01-01T00:00:00Z', now(), 1, 1)",
)
test('the last page of the transfer list says that older transfers can be archived', async () => {
  const last = async (query: string) => objectOf((await ask(`kind=deposit&limit=500&${query}`)).body).archivedBefore
  expect(await last('')).toBeUndefined()
  await db.transaction((tx) => tx.execute(ARCHIVE, []))
  expect(await last('')).toBe('2001-01-01T00:00:00.000Z')
  expect(await last(`day=${day}`)).toBeUndefined()
})

test('every kind of transfer that changes a balance is in a report', () => {
  expect(Object.keys(REPORTED).toSorted()).toEqual([...PLAYER_TRANSFER_KINDS].toSorted())
})
