/**
 * Account statements and exports of a player name the archive files that have older transfers, and
 * start with the balance after these (O-13).
 */
import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered } from '../wallet/answers.ts'
import { archiveAll, DAY_MS, newFolder, PAST_MIDNIGHT_MS } from './archive-fixtures.ts'

const folder = newFolder()
let wallet: TestWallet

beforeAll(async () => {
  wallet = await startWallet()
  wallet.clock.advance(-60 * DAY_MS)
})
afterEach(() => wallet.auditIsClean())
afterAll(() => wallet.stop())

/** A bet that was won and then corrected. */
async function resettledBet() {
  const player = await playerWithMoney(wallet.operator, '100.00')
  const bet = { ...player, transactionId: randomUUID() }
  expect(answered(await wallet.wire.place({ ...bet, amount: 10, subPartnerId: 'north.example' }))).toBe(200)
  for (const amount of [25, 30])
    expect(answered(await wallet.wire.settle({ ...bet, amount, resultType: 'won' }))).toBe(200)
  return bet
}

const statementOf = async (userId: string, query = '') =>
  (await wallet.operator.request('GET', `/operator/players/${userId}/statement${query}`)).body as unknown as {
    data: { transferId: string; at: string; amount: string; balance: string }[]
    next: string | null
    archived?: { files: { file: string; account: number }[] }[]
  }

async function fileOf(userId: string, accept: string): Promise<string> {
  const headers = { authorization: `Bearer ${wallet.operatorKey}`, accept }
  return (await fetch(`${wallet.url}/operator/players/${userId}/statement`, { headers })).text()
}

test('a statement and an export refer to the archived part, and start with its balance', async () => {
  const { userId, transactionId } = await resettledBet()
  const [last] = (await statementOf(userId)).data
  wallet.clock.advance(PAST_MIDNIGHT_MS)
  await archiveAll(wallet, folder.path)
  const files = (await statementOf(userId)).archived?.flatMap((one) => one.files) ?? []
  const archived = [{ currency: 'EUR', transferId: last?.transferId, at: last?.at, balance: last?.balance, files }]
  expect(files).toEqual([{ file: expect.stringMatching(/^purser-archive-.*\.gz$/), account: expect.any(Number) }])
  expect(readdirSync(folder.path)).toContain(files[0]?.file)
  expect(await statementOf(userId)).toEqual({ data: [], next: null, archived })
  for (const amount of ['5.00', '7.00']) await wallet.operator.deposit(userId, amount)
  const { data, ...whole } = await statementOf(userId)
  expect(data.map(({ amount, balance }) => [amount, balance])).toEqual([
    ['7.00', '132.00'],
    ['5.00', '125.00'],
  ])
  expect([whole, last?.balance]).toEqual([{ next: null, archived }, '120.00'])
  const first = await statementOf(userId, '?limit=1')
  expect([first.data.length, first.next, first.archived]).toEqual([1, expect.any(String), undefined])
  expect(await statementOf(userId, `?limit=1&after=${first.next}`)).toMatchObject({ data: [{}], next: null, archived })
  expect(await statementOf(userId, `?to=${last?.at}`)).toEqual({ data: [], next: null, archived })
  expect((await statementOf(userId, `?from=${data[1]?.at}`)).archived).toBeUndefined()
  const csv = (await fileOf(userId, 'text/csv')).trimEnd().split('\r\n')
  expect(csv.at(-1)).toBe(
    `${last?.at},${last?.transferId},archived,EUR,,120.00,,,,"all transfers up to this one are archived; the requested ones are in ${files[0]?.file} (account ${files[0]?.account})",,,,`,
  )
  const lines = (await fileOf(userId, 'application/x-ndjson')).trimEnd().split('\n')
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ kind: 'archived', ...archived[0] })
  const { code, stdout, stderr } = await run(['export-player', userId], { DATABASE_URL: wallet.databaseUrl })
  const exported = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(exported.filter(({ kind }) => kind === 'archived')).toEqual([{ kind: 'archived', archived: archived[0] }])
  const bet = expect.objectContaining({ transactionId, stake: '10.00', site: 'north.example' })
  expect(exported.filter(({ kind }) => kind === 'bet')).toEqual([{ kind: 'bet', bet }])
  expect([code, stderr]).toEqual([0, expect.stringContaining('the export is not complete')])
  const shown = await wallet.operator.request('GET', `/operator/show/${userId}`)
  expect(shown.body).toMatchObject({ kind: 'player', archived })
})

test('a statement that ends earlier names the archived part up to its end', async () => {
  const { userId } = await resettledBet()
  const [last] = (await statementOf(userId)).data
  const archiveNow = async () => {
    wallet.clock.advance(PAST_MIDNIGHT_MS)
    await archiveAll(wallet, folder.path)
  }
  await archiveNow()
  await wallet.operator.deposit(userId, '7.00')
  const [paidIn] = (await statementOf(userId)).data
  await archiveNow()
  const all = (await statementOf(userId)).archived ?? []
  expect(all).toMatchObject([{ transferId: paidIn?.transferId, balance: '127.00', files: [{}, {}] }])
  const files = all[0]?.files.slice(0, 1)
  expect(await statementOf(userId, `?to=${last?.at}`)).toMatchObject({
    archived: [{ transferId: last?.transferId, at: last?.at, balance: '120.00', files }],
  })
})
