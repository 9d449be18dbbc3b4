/**
 * The journal records malformed calls so that a search finds them by their ids. Bets do not wait
 * for a slow journal (W-30).
 */
import { randomUUID } from 'node:crypto'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { identifyMalformedCall } from '../../src/wallet/wire/call-decoder.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { callsOf } from './calls.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

test.each([
  ['POST', '/payment/bet', { type: 1, amount: 'ten' }],
  ['PUT', '/payment/bet', { type: 99 }],
  ['POST', '/user/balance', { currency: 7 }],
  ['POST', '/payment/check', { type: 1 }],
] as const)('%s %s with a malformed body is found by its player, bet or request', async (...call) => {
  const [method, path, wrong] = call
  const about = { userId: randomUUID(), transactionId: randomUUID(), requestId: randomUUID() }
  const reply = await wallet.wire.call(method, path, { ...about, ...wrong })
  expect([reply.status, reply.body]).toEqual([400, expect.objectContaining({ code: 5 })])
  const { userId: player, ...ids } = about
  for (const [name, value] of Object.entries({ player, ...ids })) {
    const [found] = await callsOf(wallet, `${name}=${value}`, 1)
    expect(found).toMatchObject({ outcome: 'invalid_request', player, ...ids })
  }
})

test('the ids of a malformed call are recorded as far as possible: truncated, and a number as its digits', async () => {
  const [userId, requestId] = [Number.parseInt(randomUUID().replaceAll(/\D/g, '').slice(0, 9), 10), randomUUID()]
  const long = randomUUID().repeat(9)
  await wallet.wire.call('POST', '/payment/bet', { type: 1, userId, requestId, transactionId: long })
  const [found] = await callsOf(wallet, `player=${userId}`, 1)
  expect(found).toMatchObject({ requestId, transactionId: long.slice(0, 64) })
  await wallet.wire.call('POST', '/payment/bet', { type: 1, userId: ['x'], requestId: `${requestId}-2` })
  const [other] = await callsOf(wallet, `requestId=${requestId}-2`, 1)
  expect([other?.player, other?.transactionId]).toEqual([undefined, undefined])
})

test('a malformed call through an aggregator is recorded for its operatorUser (I-1)', () => {
  const body = Buffer.from(JSON.stringify({ type: 1, userId: 'the-aggregator', operatorUser: 'ada', amount: 'ten' }))
  const player = (behindAggregator: boolean) =>
    identifyMalformedCall(body, { scales: STANDARD_SCALES, behindAggregator }).player
  expect([player(true), player(false)]).toEqual(['ada', 'the-aggregator'])
})

test('bets are answered while the journal cannot be written', async () => {
  const bettor = await playerWithMoney(wallet.operator)
  const sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  await sql.query('begin; lock table purser.journal in access exclusive mode')
  await wallet.wire.place({ ...bettor, transactionId: randomUUID(), amount: 1 })
  const waits =
    'select count(*)::int as n from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())'
  await expect.poll(async () => (await sql.query(waits)).rows[0].n, { timeout: 4_000 }).toBeGreaterThan(0)
  const bets = Array.from({ length: 20 }, () => ({ ...bettor, transactionId: randomUUID(), amount: 1 }))
  const replies = await Promise.all(bets.map((bet) => wallet.wire.place(bet)))
  await sql.end()
  expect(replies.map(({ status }) => status)).toEqual(bets.map(() => 200))
})
