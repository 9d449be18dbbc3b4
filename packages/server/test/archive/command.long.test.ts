/**
 * `purser archive` moves old transfers to files while a wallet runs. Afterwards views, corrections,
 * erasures and audits still give the right results (O-13).
 */
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { ARCHIVE_CHECKS } from '../../src/wallet/archive/archive-audit.ts'
import { newFolder as newTemporaryFolder, run } from '../cli/command.ts'
import { CHECKS } from '../operator/damage.ts'
import { asServer } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered } from '../wallet/answers.ts'
import { archiveAll, DAY_MS, findingsInFiles, keepTokens, newFolder, PAST_MIDNIGHT_MS } from './archive-fixtures.ts'

const folder = newFolder()
let wallet: TestWallet
let sql: pg.Client

beforeAll(async () => {
  wallet = await startWallet()
  wallet.clock.advance(-60 * DAY_MS)
  sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
})
afterEach(() => wallet.auditIsClean())
afterAll(async () => {
  await sql.end()
  await wallet.stop()
})

const command = (args: string[], url = wallet.databaseUrl) => run(args, { DATABASE_URL: url })
const dayOf = (time: Date) => time.toISOString().slice(0, 10)

async function nextDay(): Promise<void> {
  wallet.clock.advance(PAST_MIDNIGHT_MS)
  await keepTokens(wallet)
}

/** A bet that was won and then corrected. */
async function resettledBet() {
  const player = await playerWithMoney(wallet.operator, '100.00')
  const bet = { ...player, transactionId: randomUUID() }
  expect(answered(await wallet.wire.place({ ...bet, amount: 10 }))).toBe(200)
  for (const amount of [25, 30])
    expect(answered(await wallet.wire.settle({ ...bet, amount, resultType: 'won' }))).toBe(200)
  return bet
}

async function shown(id: string, ...flags: string[]) {
  const { code, stdout, stderr } = await run(['show', id, '--json', '--api', wallet.url, ...flags], {
    OPERATOR_API_KEY: wallet.operatorKey,
  })
  return code === 0 ? JSON.parse(stdout) : { code, stderr }
}

/**
 * Archives in this process by the wallet's clock. The command uses the real clock and would close
 * days that this wallet has not reached.
 */
const archiveNow = () => archiveAll(wallet, folder.path)
const auditFiles = () => command(['audit', '--archive', folder.path])

test('an archived bet is shown as before with the folder, and without it the files are named', async () => {
  const bet = await resettledBet()
  const before = await shown(bet.transactionId)
  await nextDay()
  expect(await archiveNow()).toMatchObject({ files: 1, bets: 1, heldBack: 0, broken: 0 })
  const without = await shown(bet.transactionId)
  expect(without.bet.history.map(({ transfers }: { transfers: unknown[] }) => transfers)).toEqual([[], [], []])
  expect(without.bet.history[0].archived).toEqual([
    { transferId: 'EUR-2', file: readdirSync(folder.path)[0], account: 1 },
  ])
  const { ip: _ip, info: _info, ...details } = before.bet.details
  expect((await shown(bet.transactionId, '--archive', folder.path)).bet).toEqual({ ...before.bet, details })
  expect(await shown(`${bet.userId}/EUR-2`)).toMatchObject({
    stderr: expect.stringContaining('EUR-2 lies in purser-archive-'),
  })
  expect(await auditFiles()).toMatchObject({ code: 0, stdout: 'audit: no findings\n' })
  expect(await command(['audit', '--changed'])).toMatchObject({ code: 0 })
})

test('the balance at a time is shown from the archive on, and rejected for earlier times', async () => {
  const bet = await resettledBet()
  const path = `/operator/players/${bet.userId}/balances?at=`
  const [then, night] = [wallet.clock.now(), new Date(wallet.clock.now().getTime() + PAST_MIDNIGHT_MS)]
  await nextDay()
  await archiveNow()
  wallet.clock.advance(1_000)
  expect((await wallet.operator.request('GET', path + night.toISOString())).body).toEqual({
    balances: expect.arrayContaining([{ currency: 'EUR', amount: '120.00' }]),
  })
  const early = new Date(then.getTime() - DAY_MS)
  expect(await wallet.operator.request('GET', path + early.toISOString())).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/query/at', detail: expect.stringContaining('archived in files') }] },
  })
})

test('a bet that is corrected and archived again has transfers in two files', async () => {
  const bet = await resettledBet()
  await nextDay()
  await archiveNow()
  expect(answered(await wallet.wire.unsettle({ ...bet, amount: 10 }))).toBe(200)
  expect(answered(await wallet.wire.rollback({ ...bet, amount: 10, errorCode: 52 }))).toBe(200)
  await wallet.auditIsClean()
  expect(await wallet.operator.balance(bet.userId, 'EUR')).toBe('100.00')
  const before = await shown(bet.transactionId, '--archive', folder.path)
  await nextDay()
  await archiveNow()
  expect((await shown(bet.transactionId, '--archive', folder.path)).bet).toEqual(before.bet)
  const { rows } = await sql.query(
    'select archived_to_player::int as player, archived_to_open_stakes as open, archived_to_promotions as promotions from purser.bet where bet_id = $1',
    [bet.transactionId],
  )
  expect(rows).toEqual([{ player: 0, open: null, promotions: null }])
  const files = new Set(
    (await shown(bet.transactionId)).bet.history.flatMap(({ archived }: { archived: { file: string }[] }) =>
      archived.map(({ file }) => file),
    ),
  )
  expect(files.size).toBe(2)
})

const ANY = 1_000_000
const SMALL = [
  ['of 1 transfer', { portion: { transfers: 1, bytes: ANY }, file: { transfers: 4, bytes: ANY } }],
  ['of 2 transfers', { portion: { transfers: 2, bytes: ANY }, file: { transfers: 4, bytes: ANY } }],
  ['of few bytes', { portion: { transfers: ANY, bytes: 1 }, file: { transfers: ANY, bytes: 1 } }],
] as const

test.each(SMALL)('a portion can end within a bet: %s', async (_of, sizes) => {
  const bet = await resettledBet()
  const before = await shown(bet.transactionId)
  await nextDay()
  const done = await archiveAll(wallet, folder.path, sizes)
  expect(done).toMatchObject({ changed: 0, heldBack: 0 })
  expect(done.files).toBeGreaterThan(1)
  const { ip: _ip, info: _info, ...details } = before.bet.details
  expect((await shown(bet.transactionId, '--archive', folder.path)).bet).toEqual({ ...before.bet, details })
  expect(await findingsInFiles(wallet, folder.path)).toEqual([])
  expect(answered(await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' }))).toBe(200)
  expect(await wallet.operator.balance(bet.userId, 'EUR')).toBe('90.00')
})

test('an open bet is kept in the database, as is everything of the player after it', async () => {
  const player = await playerWithMoney(wallet.operator, '100.00')
  const [over, open, later] = [randomUUID(), randomUUID(), randomUUID()]
  for (const transactionId of [over, open, later]) {
    expect(answered(await wallet.wire.place({ ...player, transactionId, amount: 10 }))).toBe(200)
    if (transactionId === open) continue
    expect(answered(await wallet.wire.settle({ ...player, transactionId, amount: 0, resultType: 'lost' }))).toBe(200)
  }
  await nextDay()
  expect(await archiveNow()).toMatchObject({ heldBack: 1 })
  const { rows } = await sql.query<{ bet_id: string }>(
    'select distinct bet_id from purser.transfer where player = $1 and bet_id is not null',
    [player.userId],
  )
  expect(rows.map(({ bet_id }) => bet_id).sort()).toEqual([open, later].sort())
})

test('an account that changes after it was written to a file stays, and the copy in the file is ignored', async () => {
  const [bet, other] = [await resettledBet(), await resettledBet()]
  await nextDay()
  const owner = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  const before = readdirSync(folder.path).length
  let isChanged = false
  const unhurried: Db['longTransaction'] = async (work) => {
    if (!isChanged && readdirSync(folder.path).length > before) {
      isChanged = true
      expect(answered(await wallet.wire.settle({ ...bet, amount: 5, resultType: 'won' }))).toBe(200)
    }
    return owner.longTransaction(work)
  }
  const done = await archiveAll(wallet, folder.path, { db: { ...owner, longTransaction: unhurried } }).finally(() =>
    owner.close(),
  )
  expect(done).toMatchObject({ files: 1, changed: 1 })
  const { rows } = await sql.query('select player from purser.carried_balance where player = any($1)', [
    [bet.userId, other.userId],
  ])
  expect(rows).toEqual([{ player: other.userId }])
  expect(await findingsInFiles(wallet, folder.path)).toEqual([])
  expect((await shown(bet.transactionId)).bet.history.at(-1)).toMatchObject({
    transfers: [{ kind: 'payout_reversal' }, {}],
  })
})

test('an erased player appears in no file, and archived transfers belong to the pseudonym (O-10)', async () => {
  const player = await playerWithMoney(wallet.operator, '10.00')
  const bet = { ...player, transactionId: randomUUID() }
  expect(answered(await wallet.wire.place({ ...bet, amount: 10 }))).toBe(200)
  expect(answered(await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' }))).toBe(200)
  await nextDay()
  await archiveNow()
  const { code } = await command(['erase-player', player.userId, '--apply', '--person', 'maria'])
  expect(code).toBe(0)
  const names = readdirSync(folder.path).map((name) => gunzipSync(readFileSync(join(folder.path, name))).toString())
  expect(names.some((text) => text.includes(player.userId))).toBe(false)
  const { rows } = await sql.query('select from purser.carried_balance where player = $1', [player.userId])
  expect(rows).toHaveLength(0)
  expect(await auditFiles()).toMatchObject({ code: 0 })
})

test('the command rejects the role of a server and a day that is not long over', async () => {
  const [env, folder] = [await startWallet(), newTemporaryFolder()]
  env.clock.advance(-20 * DAY_MS)
  const player = await playerWithMoney(env.operator, '10.00')
  const before = ['archive', '--to', folder.path, '--before']
  const day = dayOf(new Date(Date.now() - 10 * DAY_MS))
  const denied = await command([...before, day], asServer('wallet', env.databaseUrl))
  expect([denied.code, denied.stderr]).toEqual([2, expect.stringContaining('as the owner of the tables')])
  for (const wrong of ['2026-02-30', 'yesterday', dayOf(new Date()), '2999-01-01'])
    expect((await command([...before, wrong], env.databaseUrl)).code, wrong).toBe(2)
  expect(await command([...before, day], env.databaseUrl)).toMatchObject({
    code: 0,
    stdout: `1 transfers and the details of 0 bets are in 1 new files in ${folder.path}\n`,
  })
  expect(await env.operator.balance(player.userId, 'EUR')).toBe('10.00')
  await env.auditIsClean()
  await env.stop()
  folder.remove()
})

const IN_FILES: [string, (name: string) => void][] = [
  [
    'a byte',
    (name) =>
      writeFileSync(
        name,
        readFileSync(name).map((byte, i) => (i === 100 ? byte ^ 1 : byte)),
      ),
  ],
  ['its end', (name) => writeFileSync(name, readFileSync(name).subarray(0, -1))],
  ['all of it', (name) => renameSync(name, `${name}.elsewhere`)],
]

test.each(IN_FILES)('damage to a file is found: %s', async (_what, damage) => {
  const name = readdirSync(folder.path).find((one) => one.endsWith('.gz')) ?? 'none'
  const content = readFileSync(join(folder.path, name))
  damage(join(folder.path, name))
  const { code, stdout } = await auditFiles()
  expect([code, stdout.includes(ARCHIVE_CHECKS.file), stdout.includes(name)]).toEqual([1, true, true])
  writeFileSync(join(folder.path, name), content)
  expect(await findingsInFiles(wallet, folder.path)).toEqual([])
})

const IN_DATABASE: [string, string, string[]][] = [
  [
    'a carried balance',
    'update purser.carried_balance c set balance = balance + 1 where (player, currency, version) = (select player, currency, max(version) from purser.carried_balance group by 1, 2 order by 1, 2 limit 1)',
    [CHECKS.last, ARCHIVE_CHECKS.carried],
  ],
  ['a sum', 'update purser.archived_sum set amount = amount + 1', [CHECKS.kept, ARCHIVE_CHECKS.sums]],
  [
    'a carried balance that is lost',
    'delete from purser.carried_balance where player = (select min(player) from purser.carried_balance)',
    [CHECKS.last, ARCHIVE_CHECKS.sums],
  ],
  ['what a bet came to', 'update purser.bet set archived_to_player = archived_to_player + 1', [CHECKS.perBet]],
  ['that a bet is in a file', 'update purser.bet set archived_to_player = null', [CHECKS.perBet]],
]

test.each(IN_DATABASE)('damage to the database is found: %s', async (_what, damage, checks) => {
  await sql.query('create table kept as select * from purser.carried_balance')
  await sql.query('create table kept_sums as select * from purser.archived_sum')
  await sql.query('create table kept_bets as select player, bet_id, archived_to_player from purser.bet')
  await sql.query(damage)
  const { code, stdout } = await auditFiles()
  await sql.query('truncate purser.carried_balance, purser.archived_sum')
  await sql.query('insert into purser.carried_balance select * from kept')
  await sql.query('insert into purser.archived_sum select * from kept_sums')
  await sql.query(
    'update purser.bet b set archived_to_player = k.archived_to_player from kept_bets k where k.player = b.player and k.bet_id = b.bet_id',
  )
  await sql.query('drop table kept, kept_sums, kept_bets')
  expect(code).toBe(1)
  expect(checks.filter((check) => !stdout.includes(check))).toEqual([])
})
