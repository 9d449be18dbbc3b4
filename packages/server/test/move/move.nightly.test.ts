/**
 * A wallet under load moves to a database with four buckets and back, although `purser move` is
 * killed repeatedly.
 */
import { once } from 'node:events'
import pg from 'pg'
import { expect, test } from 'vitest'
import { run } from '../cli/command.ts'
import { MONEY, newDatabase, newPlayers } from '../support/fault-scene.ts'
import { seededRandom } from '../support/random.ts'
import { expectSameBets } from '../support/reckoning.ts'
import { inSql } from '../support/second-postgres.ts'
import { until } from '../support/server-settings.ts'
import { moveTo, startMove, untilReleased, walletInUse, walletOn } from './under-load.ts'

const PLAYERS = 12
const BETTORS = 6
const KILLS = 3

const random = seededRandom('move')

test('every answered call exists once after a move and a move back, and all work continues', async (context) => {
  const [one, four, back] = [await newDatabase(context), await newDatabase(context), await newDatabase(context)]
  const inUse = await walletInUse(context, one, { players: PLAYERS, ofCash: 3, bettors: BETTORS, random })
  await inUse.move({ from: one, to: four, buckets: 4 }, KILLS)
  expect((await inSql(four, 'select distinct bucket from purser.bet')).length).toBeGreaterThan(1)
  await inUse.move({ from: four, to: back, buckets: 1 }, KILLS)
  await inUse.end()
  for (const audit of [['audit'], ['audit', '--changed']])
    expect(await run(audit, { DATABASE_URL: back })).toMatchObject({ code: 0, stdout: 'audit: no findings\n' })
})

test('a move that is killed before the new database is ready leaves both databases closed until it is run again', async (context) => {
  const move = { from: await newDatabase(context), to: await newDatabase(context), buckets: 2 }
  const wallet = await walletOn(context, move.from)
  const players = await newPlayers(wallet, 3)
  await moveTo(move)
  const holder = new pg.Client({ connectionString: move.to })
  await holder.connect()
  await holder.query("begin; select from purser.setting where name = 'move' for update")
  const child = startMove(move, '--finish')
  const ended = once(child, 'exit')
  const isClosed = "select from purser.setting where name = 'moved'"
  await until(async () => (await inSql(move.from, isClosed)).length === 1)
  child.kill('SIGKILL')
  await ended
  await holder.end()
  await untilReleased(move)
  const env = { PARTNER_SECRET: wallet.secret, OPERATOR_API_KEY: wallet.operatorKey, PORT: '0' }
  for (const url of [move.from, move.to])
    expect(await run(['wallet'], { ...env, DATABASE_URL: url })).toMatchObject({ code: 2 })
  await moveTo(move, '--finish')
  const moved = await walletOn(context, move.to, wallet)
  await expectSameBets(moved, players, [], MONEY)

  const reopened = await run(['move', '--reopen'], { DATABASE_URL: move.from })
  expect(reopened).toMatchObject({ code: 0, stdout: expect.stringContaining('wallets can use this database again') })
  const again = await walletOn(context, move.from, wallet)
  await again.operator.deposit(players[0]?.userId ?? '', '1.00')
  await again.auditIsClean()
})

test('a missing argument, a number that is too large and an unreachable address are explained', async (context) => {
  const [from, to] = [await newDatabase(context), await newDatabase(context)]
  const env = { DATABASE_URL: from }
  expect(await run(['move'], env)).toMatchObject({
    code: 2,
    stderr: 'purser: the target database is missing: give --to postgres://…\n',
  })
  expect((await run(['move', '--to', to, '--buckets', '1025'], env)).code).toBe(2)
  const gone = to.replace(/\/[^/]+$/, '/gone')
  expect(await run(['move', '--to', gone], env)).toMatchObject({ code: 2, stderr: expect.stringContaining('gone') })
  expect(await run(['move', '--to', to], {})).toMatchObject({ code: 3 })
})
