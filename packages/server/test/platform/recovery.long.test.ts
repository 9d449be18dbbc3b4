/**
 * After a kill of a platform process, another process on the same database completes the started
 * work (P16, C-1, C-5).
 */
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LEASE_MS } from '../../src/platform/store/outbox.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { type FakeTime, fakeTime } from '../support/fake-time.ts'
import { aBet, startPlatform, type TestPlatform } from '../support/platform.ts'
import { type PlatformProcess, spawnPlatform } from '../support/platform-process.ts'
import { type ScriptedWallet, startScriptedWallet, status } from '../support/scripted-wallet.ts'

const LATER_MS = 20_000
/** The time for which a successor watches started work before its takeover (C-12). */
const WATCHED_MS = LEASE_MS + 2_000

let database: TestDatabase
let wallet: ScriptedWallet
let killed: PlatformProcess
let frame: string
let successor: TestPlatform | undefined
let time: FakeTime

beforeEach(async () => {
  database = await createDatabase()
  wallet = await startScriptedWallet()
  killed = await spawnPlatform(database.url)
  frame = await killed.api.loadFrame(await killed.api.savePartner(wallet))
})
afterEach(async () => {
  await killed.kill('SIGKILL')
  await successor?.stop()
  successor = undefined
  await wallet.stop()
  await database.drop()
})

/** Starts a successor some time after the kill, with its own clock, so that no test waits. */
async function succeed(after = LATER_MS): Promise<TestPlatform> {
  await killed.kill('SIGKILL')
  time = fakeTime(new Date(Date.now() + after))
  successor = await startPlatform({ time, databaseUrl: database.url })
  await time.advance(WATCHED_MS)
  return successor
}

const operationsOf = (betId: string) =>
  wallet.requests.filter(({ body }) => body.transactionId === betId).map(({ operation }) => operation)

test('a process killed between the partner’s 200 and its own record rolls the bet back with errorCode 50 (P16)', async () => {
  let answer = () => {}
  wallet.next('place', { hold: new Promise<void>((resolve) => (answer = resolve)) })
  const placing = killed.api.place(frame).catch(() => 'nobody answered')
  const [place] = await wallet.seen('place', 1)
  const betId = String(place?.body.transactionId)
  await killed.kill('SIGKILL')
  answer() // the partner has debited the stake, but no process reads its 200
  expect(await placing).toBe('nobody answered')
  const { api } = await succeed()
  await wallet.seen('rollback', 1)
  await time.settle()
  expect(await api.bet(betId)).toMatchObject({ status: 'cancelled', reason: 'rollback 50' })
  expect(wallet.of('rollback', betId).map(({ body }) => [body.errorCode, body.amount])).toEqual([[50, 10]])
  await time.advance(60_000)
  expect(operationsOf(betId)).toEqual(['place', 'rollback'])
})

test('a process killed while a rollback waits for its next attempt delivers the same rollback (P16)', async () => {
  wallet.next('place', status(500))
  wallet.always('rollback', status(500))
  const { betId } = await killed.api.place(frame)
  await wallet.seen('rollback', 3)
  await killed.kill('SIGKILL')
  wallet.always('rollback', {})
  const { api } = await succeed()
  await time.advance(60_000)
  const rollbacks = wallet.of('rollback', betId)
  expect(rollbacks.length).toBeLessThanOrEqual(10)
  expect(new Set(rollbacks.map(({ text }) => text)).size).toBe(1)
  const { status: state, deliveries } = await api.bet(betId)
  expect([state, deliveries[1]?.status, deliveries[1]?.attempts]).toEqual(['cancelled', 'done', rollbacks.length])
})

test('after an outage of more than 6 minutes a rollback is stuck without a late attempt, and is sent by hand (C-4)', async () => {
  wallet.next('place', status(500))
  wallet.always('rollback', status(500))
  const { betId } = await killed.api.place(frame)
  await wallet.seen('rollback', 2)
  await killed.kill('SIGKILL')
  const sent = wallet.of('rollback', betId).length
  wallet.always('rollback', {})
  const { api } = await succeed(7 * 60_000)
  await time.advance(60_000)
  expect(wallet.of('rollback', betId)).toHaveLength(sent)
  const [, rollback] = (await api.bet(betId)).deliveries
  expect(rollback).toMatchObject({ status: 'stuck', error: expect.stringContaining('no attempt or no time is left') })
  expect((await api.deliveries('?status=stuck')).map((delivery) => delivery.betId)).toEqual([betId])
  await api.request('POST', `/deliveries/${rollback?.deliveryId}/retry`)
  await time.advance(1_000)
  expect((await api.bet(betId)).deliveries[1]?.status).toBe('done')
})

test('after an outage of more than 6 minutes an unsent rollback is sent, and its schedule starts then (C-4)', async () => {
  wallet.next('place', { fault: 'hang' })
  killed.api.place(frame).catch(() => {})
  const [place] = await wallet.seen('place', 1)
  const { api } = await succeed(7 * 60_000)
  await time.advance(1_000)
  const { status: state, deliveries } = await api.bet(String(place?.body.transactionId))
  expect([state, deliveries[1]?.operation, deliveries[1]?.status]).toEqual(['cancelled', 'rollback', 'done'])
})

test('a process killed while it applies a result settles the remaining bets afterwards (P16)', async () => {
  const { amount, selections } = aBet()
  const { betId } = await killed.api.place(frame, { amount, selections })
  const [{ eventId, outcomeId } = {}] = selections
  const held = new pg.Client({ connectionString: database.url })
  await held.connect()
  await held.query('begin')
  await held.query('select 1 from platform.bet where bet_id = $1 for update', [betId])
  const setting = killed.api.results(String(eventId), { [String(outcomeId)]: 'won' }).catch(() => 'nobody answered')
  await expect.poll(() => resultsOf(String(eventId))).toBe(1)
  await killed.kill('SIGKILL')
  expect(await setting).toBe('nobody answered')
  await held.end()
  const { api } = await succeed()
  await wallet.seen('settle', 1)
  await time.settle()
  expect((await api.bet(betId)).status).toBe('settled')
  expect(operationsOf(betId)).toEqual(['place', 'settle'])
})

async function resultsOf(eventId: string): Promise<number> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rowCount } = await client.query('select 1 from platform.outcome where event_id = $1 and result is not null', [
    eventId,
  ])
  await client.end()
  return rowCount ?? 0
}

test('a Settle in flight during a kill is sent again with the same bytes, and the waiting deliveries follow (P16)', async () => {
  const { betId } = await killed.api.place(frame)
  wallet.next('settle', { fault: 'hang' })
  await killed.api.settle(betId, 'won', '25')
  await killed.api.settle(betId, 'lost', '0')
  await wallet.seen('settle', 1)
  const { api } = await succeed()
  await wallet.seen('settle', 3)
  await time.settle()
  expect(wallet.of('settle', betId).map(({ body }) => body.resultType)).toEqual(['won', 'won', 'lost'])
  expect(wallet.of('settle', betId)[1]?.text).toBe(wallet.of('settle', betId)[0]?.text)
  const { deliveries } = await api.bet(betId)
  expect(deliveries.map((d) => [d.operation, d.status, d.attempts])).toEqual([
    ['place', 'done', 1],
    ['settle', 'done', 2],
    ['settle', 'done', 1],
  ])
})

test('a repeat after a kill returns the first bet, without a second bet or Place bet (P16)', async () => {
  wallet.next('place', { fault: 'hang' })
  const request = { frameSessionId: frame, idempotencyKey: 'a-key-of-the-user', amount: '10' }
  const bet = { ...request, selections: [{ eventId: 'derby', outcomeId: 'home', coefficient: '2' }] }
  const placing = killed.api.request('POST', '/bets', bet).catch(() => 'nobody answered')
  const [place] = await wallet.seen('place', 1)
  await killed.kill('SIGKILL')
  expect(await placing).toBe('nobody answered')
  const { api } = await succeed()
  await wallet.seen('rollback', 1)
  const { status: answered, body } = await api.request('POST', '/bets', bet)
  const betId = place?.body.transactionId
  expect([answered, body]).toEqual([201, { betId, status: 'cancelled', reason: 'rollback 50' }])
  expect(wallet.of('place')).toHaveLength(1)
})
