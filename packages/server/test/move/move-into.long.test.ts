/**
 * The target of a move must be empty, or partly filled by the same move. A difference at the end
 * undoes the last part of the move.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bucketOf } from '../../src/wallet/store/bucket.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type Player, send } from '../support/journal.ts'
import { playerWithMoney } from '../support/operator.ts'
import { inSql } from '../support/second-postgres.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { placeMessage, rollbackMessage, settleMessage } from '../support/wire.ts'
import { moveInto } from './moving.ts'

const databases: TestDatabase[] = []
const newDatabase = async () => {
  const database = await createDatabase()
  databases.push(database)
  return database.url
}

let wallet: TestWallet
const env = () => ({ PARTNER_SECRET: wallet.secret, OPERATOR_API_KEY: wallet.operatorKey })
const players: Player[] = []
const answers: { call: Parameters<typeof send>[1]; text: string }[] = []

beforeAll(async () => {
  wallet = await startWallet({ databaseUrl: await newDatabase() })
  while (players.length < 12) players.push(await playerWithMoney(wallet.operator))
  await Promise.all(
    players.map(async (player, i) => {
      for (let bet = 0; bet < 3; bet += 1) {
        const of = { userId: player.userId, transactionId: randomUUID(), currency: 'EUR' }
        await asked({ operation: 'place', message: placeMessage({ ...player, ...of, amount: 5 }) })
        if (bet === 1) await asked({ operation: 'settle', message: settleMessage({ ...of, amount: 7 + i }) })
        if (bet === 2) await asked({ operation: 'rollback', message: rollbackMessage({ ...of, amount: 5 }) })
      }
    }),
  )
  // A user id without a player can have bets too.
  const of = { userId: `nobody-${randomUUID()}`, transactionId: randomUUID() }
  await asked({ operation: 'rollback', message: rollbackMessage({ ...of, amount: 5 }) })
})
afterAll(async () => {
  await wallet?.stop()
  for (const database of databases) await database.drop()
})

async function asked(call: (typeof answers)[0]['call']): Promise<void> {
  const { text } = await send(wallet.wire, call)
  answers.push({ call, text })
}

const BALANCES = 'select player, currency, balance::text, version::text from purser.account order by 1, 2'

test('a move accepts only an empty database, or one that the same move has started to fill', async () => {
  const [first, second, third] = [await newDatabase(), await newDatabase(), await newDatabase()]
  await expect(moveInto(wallet.databaseUrl, wallet.databaseUrl)).rejects.toThrow(/is not empty \(.*player/)
  await expect(moveInto(third, third)).rejects.toThrow('the same database')
  await inSql(second, "insert into purser.currency values ('EUR', 2)")
  await expect(moveInto(wallet.databaseUrl, second)).rejects.toThrow('is not empty (currency)')
  expect(await moveInto(wallet.databaseUrl, first, { buckets: 4 })).toMatchObject({ state: 'copied', differences: [] })
  expect(await inSql(first, BALANCES)).toEqual(await inSql(wallet.databaseUrl, BALANCES))
  await expect(moveInto(second, first)).rejects.toThrow('another database is being moved to the target database')
  await expect(moveInto(wallet.databaseUrl, first, { buckets: 2 })).rejects.toThrow('PURSER_BUCKETS=4')
  await expect(startWallet({ databaseUrl: first, env: env() })).rejects.toThrow(
    'the move to this database is not complete',
  )
  await wallet.auditIsClean()
})

test('rows that are changed or deleted during the move are changed or deleted in the new database', async () => {
  const to = await newDatabase()
  await moveInto(wallet.databaseUrl, to, { buckets: 3 })
  const [player] = players as [Player]
  await inSql(to, `delete from purser.bet_call where player = '${player.userId}'`)
  await inSql(to, `update purser.bet set stake = stake + 1 where player = '${player.userId}'`)
  await inSql(
    to,
    `insert into purser.session select bucket, 'x', player, currency, ip, country, created_at, expires_at from purser.session limit 1`,
  )
  await inSql(
    to,
    `insert into purser.action select 'x', at, request_id, operation, ids, key_name, key_hash, person, before, after from purser.action limit 1`,
  )
  await inSql(to, 'update purser.change set at = now() where change_id = (select min(change_id) from purser.change)')
  const extraPlayer = `insert into purser.player (bucket, player, currency, currencies, created_as, created_at) values (${bucketOf('stranger', 3)}, 'stranger', 'EUR', '{EUR}', '{}', now())`
  await inSql(to, extraPlayer)
  await moveInto(wallet.databaseUrl, to)
  for (const table of [
    'player',
    'session',
    'account',
    'transfer',
    'bet_call',
    'bet',
    'bet_details',
    'action',
    'cash_movement',
  ]) {
    const rows = `select md5(string_agg(r, ',' order by r collate "C")) as rows
      from (select (to_jsonb(t) - 'bucket')::text as r from purser.${table} t) t`
    expect([table, await inSql(to, rows)]).toEqual([table, await inSql(wallet.databaseUrl, rows)])
  }
  const strays =
    'select count(*)::int as strays from purser.bet b where not exists (select from purser.player p where p.player = b.player)'
  expect(await inSql(to, strays)).toEqual([{ strays: 1 }])
})

test('a difference at the end is reported, and the wallet continues', async () => {
  const to = await newDatabase()
  await inSql(
    to,
    `create function purser.wrong() returns trigger language plpgsql as 'begin new.balance := new.balance + 1; return new; end';
     create trigger wrong before insert or update on purser.account for each row execute function purser.wrong()`,
  )
  const done = await moveInto(wallet.databaseUrl, to, { buckets: 2, isLast: true })
  expect(done.state).toBe('different')
  expect(done.differences).toContain(`account of ${players[0]?.userId}`)
  expect(done.differences.filter((text) => text.startsWith('money: {"currency":"EUR"')).length).toBe(2)
  await wallet.operator.deposit(players[0]?.userId ?? '', '1.00')
  await expect(startWallet({ databaseUrl: to, env: env() })).rejects.toThrow(
    'the move to this database is not complete',
  )
  await inSql(to, 'drop trigger wrong on purser.account')
  await inSql(to, "insert into purser.account values (0, 'nobody', 'EUR', 5, 0, now(), 0)")
  const again = await moveInto(wallet.databaseUrl, to, { isLast: true })
  expect(again.differences.some((text) => text.startsWith('account: '))).toBe(true)
})

test('a move that was stopped at any point has closed nothing, and continues when it is run again', async () => {
  const to = await newDatabase()
  const first = new AbortController()
  const stopped = await moveInto(wallet.databaseUrl, to, {
    ...{ buckets: 4, isLast: true, signal: first.signal },
    progress: () => first.abort(),
  })
  expect(stopped.state).toBe('stopped')
  const last = new AbortController()
  const again = await moveInto(wallet.databaseUrl, to, {
    ...{ isLast: true, signal: last.signal },
    print: (line) => void (line.startsWith('the final step') && last.abort()),
  })
  expect(again.state).toBe('stopped')
  await wallet.operator.deposit(players[0]?.userId ?? '', '1.00')
  expect(await inSql(wallet.databaseUrl, "select from purser.setting where name = 'moved'")).toEqual([])
  expect(await moveInto(wallet.databaseUrl, to)).toMatchObject({ state: 'copied', players: players.length + 1 })
  expect(await inSql(to, BALANCES)).toEqual(await inSql(wallet.databaseUrl, BALANCES))
})

test('a second move at the same time is rejected until the first one ends', async () => {
  const to = await newDatabase()
  const results = await Promise.allSettled([moveInto(wallet.databaseUrl, to), moveInto(wallet.databaseUrl, to)])
  const refused = results.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  expect(refused).toEqual([expect.stringContaining('another purser move is running on this database')])
})

test('after the last part the old database rejects writes, and a wallet on the new one gives the same answers', async () => {
  const to = await newDatabase()
  const before = await inSql(wallet.databaseUrl, BALANCES)
  const repeats: string[] = []
  for (const { call } of answers) repeats.push((await send(wallet.wire, call)).text)
  expect(repeats.filter((text, i) => text === answers[i]?.text).length).toBeGreaterThan(players.length)
  const done = await moveInto(wallet.databaseUrl, to, { buckets: 4, isLast: true })
  expect(done).toMatchObject({ state: 'ready', differences: [] })
  const [player] = players as [Player]
  const late = await send(wallet.wire, { operation: 'place', message: placeMessage({ ...player, amount: 5 }) })
  expect([late.status, JSON.parse(late.text)]).toMatchObject([400, { code: 100 }])
  const result = await send(wallet.wire, {
    operation: 'settle',
    message: settleMessage({ userId: player.userId, transactionId: randomUUID(), amount: 7 }),
  })
  expect(result.status).toBe(500)
  const cash = { currency: 'EUR', amount: '1.00', reference: randomUUID() }
  const deposited = await wallet.operator.request('POST', `/operator/players/${player.userId}/deposits`, cash)
  expect(deposited.status).toBe(503)
  expect(await inSql(wallet.databaseUrl, BALANCES)).toEqual(before)
  await expect(startWallet({ databaseUrl: wallet.databaseUrl, env: env() })).rejects.toThrow(
    'was moved to there/purser',
  )
  await expect(moveInto(wallet.databaseUrl, await newDatabase())).rejects.toThrow('was moved to there/purser')
  expect(await moveInto(wallet.databaseUrl, to, { isLast: true })).toMatchObject({ state: 'ready' })

  const moved = await startWallet({ databaseUrl: to, env: { ...env(), PURSER_BUCKETS: '4' } })
  try {
    expect(await inSql(to, BALANCES)).toEqual(before)
    const places = await inSql(
      to,
      'select bucket, player from purser.account union select bucket, player from purser.bet',
    )
    expect(places.filter(({ bucket, player }) => bucket !== bucketOf(String(player), 4))).toEqual([])
    for (const [i, { call }] of answers.entries()) expect((await send(moved.wire, call)).text).toBe(repeats[i])
    // These tokens were issued with one bucket.
    for (const { userId, token } of players) {
      expect(await moved.wire.profile(token)).toMatchObject({ status: 200, body: { userId } })
      expect((await moved.wire.balance({ userId, token })).status).toBe(200)
      const found = await moved.operator.request('GET', `/operator/show/${encodeURIComponent(token)}`)
      expect(found.body).toMatchObject({ kind: 'session', session: { userId } })
    }
    expect(await moved.wire.profile(player.token.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')))).toMatchObject({
      status: 400,
      body: { code: 3 },
    })
    await moved.operator.deposit(player.userId, '1.00')
    await moved.auditIsClean()
  } finally {
    await moved.stop()
  }
})
