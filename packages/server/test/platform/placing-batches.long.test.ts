/**
 * Concurrent placements and cashouts share transactions. Each one still has its own answer, and no
 * fault of one delays another.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { auditPlatform } from '../../src/platform/platform-audit.ts'
import { hang, refusal, type Script, status } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

const MANY = 60

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())
afterEach(async () => {
  const db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
  expect(await auditPlatform(db)).toEqual([])
  await db.close()
})

const on = (eventId: string, over: object = {}) => ({
  selections: [{ eventId, outcomeId: 'home', coefficient: '2.5' }],
  ...over,
})
const place = (over: object = {}) => scene.api.place(scene.frame, on(randomUUID(), over))
const manyOf = <T>(one: (i: number) => Promise<T>) => Promise.all(Array.from({ length: MANY }, (_, i) => one(i)))

/** Number of transactions that wrote rows of these bets, by the rows that are written once. */
async function transactionsOn(table: 'selection' | 'attempt' | 'action', betIds: readonly string[]): Promise<number> {
  const rows = {
    selection: 'platform.selection where bet_id = any($1::uuid[])',
    attempt:
      'platform.attempt where delivery_id in (select delivery_id from platform.delivery where bet_id = any($1::uuid[]))',
    action: 'platform.action where subject = any($1::text[])',
  }
  const [row] = await scene.platform.sql(`select count(distinct xmin::text)::int as count from ${rows[table]}`, [
    betIds,
  ])
  return Number(row?.count)
}

test(`${MANY} concurrent bets use far fewer transactions than two each, and all are accepted`, async () => {
  const placed = await manyOf(() => place())
  expect(placed.map((bet) => bet.status)).toEqual(placed.map(() => 'accepted'))
  const betIds = placed.map(({ betId }) => betId)
  const [openings, closings] = [await transactionsOn('selection', betIds), await transactionsOn('attempt', betIds)]
  expect(openings + closings).toBeLessThan(MANY)
})

test('each of many concurrent bets gets its own answer of the partner', async () => {
  const scripts: [Script, string, string | undefined][] = [
    [{}, 'accepted', undefined],
    [refusal(7), 'declined', 'partner code 7'],
    [status(500), 'cancelled', 'rollback 52'],
    [refusal(100), 'cancelled', 'rollback 52'],
    [{ body: '{' }, 'cancelled', 'rollback 52'],
  ]
  const before = scene.wallet.of('place').length
  const given = Array.from({ length: MANY }, (_, i) => scripts[i % scripts.length] as (typeof scripts)[number])
  scene.wallet.next('place', ...given.map(([script]) => script))
  const placed = new Map((await manyOf(() => place())).map((bet) => [bet.betId, bet]))
  const asked = scene.wallet.of('place').slice(before) // in the order of their scripts
  expect(asked).toHaveLength(MANY)
  for (const [i, { body }] of asked.entries()) {
    const [, expected, reason] = given[i] as (typeof scripts)[number]
    const bet = placed.get(String(body.transactionId))
    expect([bet?.status, bet?.reason]).toEqual([expected, reason])
  }
  await scene.time.settle()
})

test('concurrent bets on one event are accepted up to the limit, to the cent', async () => {
  const eventId = randomUUID()
  await scene.api.limits({ currencies: { EUR: { outcomeMaxStake: '200' } } })
  const placed = await manyOf(() => scene.api.place(scene.frame, on(eventId, { amount: '6.70' })))
  await scene.api.limits({})
  expect(placed.filter((bet) => bet.status === 'accepted')).toHaveLength(29) // 194.30
  expect(placed.filter((bet) => bet.reason === 'rollback 110')).toHaveLength(MANY - 29)
  await scene.time.settle()
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: scene.platform.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test('a locked bet waits alone, and the other bets are answered meanwhile', async () => {
  const holder = await connect()
  let answer = () => {}
  const count = scene.wallet.of('place').length
  scene.wallet.next('place', { hold: new Promise<void>((resolve) => (answer = resolve)) })
  let isAnswered = false
  const held = place().finally(() => (isAnswered = true))
  const call = (await scene.wallet.seen('place', count + 1)).at(-1)
  await holder.query('begin')
  await holder.query('select from platform.bet where bet_id = $1 for update', [call?.body.transactionId])
  answer()
  expect((await manyOf(() => place())).map((bet) => bet.status)).toEqual(Array(MANY).fill('accepted'))
  expect(isAnswered).toBe(false)
  await holder.query('rollback')
  expect((await held).status).toBe('accepted')
})

test('while the totals of one event are locked, bets on other events are answered, and the rest afterwards', async () => {
  const eventId = randomUUID()
  await scene.api.place(scene.frame, on(eventId))
  const holder = await connect()
  await holder.query('begin')
  await holder.query('select from platform.outcome_total where event_id = $1 for update', [eventId])
  let isAnswered = false
  const held = scene.api.place(scene.frame, on(eventId)).finally(() => (isAnswered = true))
  expect((await manyOf(() => place())).map((bet) => bet.status)).toEqual(Array(MANY).fill('accepted'))
  expect(isAnswered).toBe(false)
  await holder.query('rollback')
  expect((await held).status).toBe('accepted')
})

test('a bet that cannot be stored fails alone', async () => {
  await scene.platform.sql(
    `create function platform.refuse() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$`,
  )
  await scene.platform.sql(`create trigger refuse before insert on platform.bet for each row when (new.stake = 666)
    execute function platform.refuse()`)
  const replies = await manyOf((i) =>
    scene.api.request('POST', '/bets', {
      frameSessionId: scene.frame,
      ...on(randomUUID()),
      amount: i === 7 ? '6.66' : '5',
    }),
  )
  await scene.platform.sql('drop function platform.refuse cascade')
  expect(replies.filter((reply) => reply.status === 201)).toHaveLength(MANY - 1)
  expect(replies[7]?.status).toBe(500)
})

test('a bet whose answer cannot be recorded fails alone, and is rolled back without a retry by the caller (C-1)', async () => {
  await scene.platform.sql(
    `create function platform.refuse() returns trigger language plpgsql as $$ begin raise 'poisoned'; end $$`,
  )
  await scene.platform.sql(`create trigger refuse before update on platform.bet for each row when (new.stake = 666 and new.status = 'accepted')
    execute function platform.refuse()`)
  const replies = await manyOf((i) =>
    scene.api.request('POST', '/bets', {
      frameSessionId: scene.frame,
      ...on(randomUUID()),
      amount: i === 7 ? '6.66' : '5',
    }),
  )
  await scene.platform.sql('drop function platform.refuse cascade')
  expect(replies.filter((reply) => reply.status === 201)).toHaveLength(MANY - 1)
  expect(replies[7]?.status).toBe(500)
  await scene.time.advance(9_000)
  const [row] = await scene.platform.sql('select status, reason from platform.bet where stake = 666')
  expect(row).toEqual({ status: 'cancelled', reason: 'rollback 50' })
})

const cashOut = (betId: string, amount: string) =>
  scene.api.request('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount })

test('concurrent cashouts share transactions, and one whose bet is locked waits alone', async () => {
  const bets = (await manyOf(() => place())).map(({ betId }) => betId)
  const [held = '', ...others] = bets
  const holder = await connect()
  await holder.query('begin')
  await holder.query('select from platform.bet where bet_id = $1 for update', [held])
  let isAnswered = false
  const waiting = cashOut(held, '5').finally(() => (isAnswered = true))
  const replies = await Promise.all(others.map((betId) => cashOut(betId, '5')))
  expect(replies.map((reply) => reply.status)).toEqual(others.map(() => 202))
  expect(await transactionsOn('action', others)).toBeLessThan(MANY / 2)
  expect(isAnswered).toBe(false)
  await holder.query('rollback')
  expect((await waiting).status).toBe(202)
  await scene.time.settle()
  expect(bets.map((betId) => scene.wallet.of('settle', betId).length)).toEqual(bets.map(() => 1))
})

test('the first of concurrent cashouts of one bet is kept, a repeat returns it, and other amounts are rejected', async () => {
  const { betId } = await place()
  const replies = await Promise.all(['5', '6', '5', '7'].map((amount) => cashOut(betId, amount)))
  const { payout } = await scene.api.bet(betId)
  const amounts = ['5.00', '6.00', '5.00', '7.00']
  expect(replies.map((reply) => reply.status)).toEqual(amounts.map((amount) => (amount === payout ? 202 : 409)))
  expect(await cashOut(betId.toUpperCase(), `${payout}`)).toMatchObject({ status: 202 })
  await scene.time.settle()
  expect(scene.wallet.of('settle', betId)).toHaveLength(1)
})

test('a partner that hangs delays only its own bets', async () => {
  const other = await scene.platform.partner()
  const frame = await scene.api.loadFrame(other.partnerId)
  const giveBack = scene.time.takeOverTimeOuts()
  onTestFinished(giveBack)
  other.wallet.always('place', hang)
  const hanging = Promise.all(Array.from({ length: 4 }, () => scene.api.place(frame, on(randomUUID()))))
  await other.wallet.seen('place', 4)
  expect((await manyOf(() => place())).map((bet) => bet.status)).toEqual(Array(MANY).fill('accepted'))
  await scene.time.advance(5_000)
  expect((await hanging).map(({ reason }) => reason)).toEqual(Array(4).fill('rollback 10'))
  await scene.time.settle()
})
