/**
 * The wallet's audit log (O-4) records every change through the operator API, with author and
 * earlier and later values, but no secret.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectProblem } from '../operator/answers.ts'
import { asServer } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import {
  type Asking,
  type AuditedCall,
  asking,
  asMaria,
  changesOf,
  expectAction,
  keyCases,
  keyOf,
  storedText,
} from './audited-calls.ts'
import { webhookCases } from './webhook-cases.ts'

let wallet: TestWallet
let asked: Asking

beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_APPROVE_ABOVE: '1000', PURSER_CONFORMANCE: 'on' } })
  asked = asking(wallet.url, wallet.operatorKey, '/operator/actions')
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

const PLAYERS = '/operator/players'
const time = expect.stringMatching(/Z$/)
const cash = { currency: 'EUR', reference: 'r-1' }

/** A player with 50.00 EUR and a bet of 10. */
async function aPlayer() {
  const player = await playerWithMoney(wallet.operator, '50.00')
  const transactionId = randomUUID()
  await wallet.wire.place({ ...player, transactionId, amount: 10 })
  return { ...player, transactionId, path: `${PLAYERS}/${player.userId}` }
}

type Player = Awaited<ReturnType<typeof aPlayer>>
const moved = (amount: string, balance: string) => ({
  before: { balance: '40.00' },
  after: { ...cash, amount, balance, transferId: 'EUR-3' },
})

/** An adjustment of 2000.00 that another key has requested. */
async function aProposal(path: string, userId: string) {
  const name = `desk-${randomUUID()}`
  const { key } = await asked.must('POST', '/operator/keys', { name, role: 'cash' })
  const other = asking(wallet.url, String(key), '/operator/actions')
  await other.must('POST', `${path}/adjustments`, { ...cash, amount: '2000.00', reason: 'jackpot' })
  return { on: { userId }, proposedBy: { key: name, person: name } }
}

const CASES: Record<string, (player: Player) => AuditedCall | Promise<AuditedCall>> = {
  ...keyCases(() => asked, '/operator'),
  createPlayer: () => {
    const player = { userId: `new-${randomUUID()}`, currency: 'EUR', currencies: ['EUR', 'USD'] }
    const made = { ...player, status: 'active', isTest: false, limits: {}, createdAt: time }
    return { call: ['POST', PLAYERS, player], on: { userId: player.userId }, before: {}, after: made }
  },
  changePlayer: async ({ userId, path }) => {
    await wallet.operator.patch(userId, {
      limits: { stake: '10', betCount: 3 },
      customFields: { email: 'a@b.c', nickname: 'a' },
    })
    const patch = {
      status: 'blocked',
      limits: { stake: '20', loss: '5' },
      customFields: { email: 'x@y.z' },
      currencies: ['EUR'],
    }
    return {
      call: ['PATCH', path, patch],
      on: { userId },
      before: {
        status: 'active',
        limits: { stake: '10' },
        customFields: { email: 'a@b.c' },
        currencies: ['EUR', 'USD'],
      },
      after: patch,
    }
  },
  openPersonalData: async ({ userId, path }) => {
    await wallet.operator.request('PATCH', path, { customFields: { email: 'a@b.c' } })
    return { call: ['POST', `${path}/personal-data`], on: { userId }, before: {}, after: { opened: ['email'] } }
  },
  startSession: ({ userId, path }) => ({
    call: ['POST', `${path}/sessions`, { ttlSeconds: 60, ip: '203.0.113.9' }],
    ...{ on: { userId }, before: {}, after: { session: { currency: 'EUR', expiresAt: time, ip: '203.0.113.9' } } },
  }),
  endSessions: async ({ userId, path }) => {
    await wallet.operator.session(userId)
    return { call: ['DELETE', `${path}/sessions`], on: { userId }, before: {}, after: { sessionsEnded: 2 } }
  },
  switchCurrency: ({ userId, path }) => ({
    call: ['POST', `${path}/currency`, { currency: 'USD' }],
    ...{ on: { userId }, before: { currency: 'EUR' } },
    after: { currency: 'USD', sessionsEnded: 1, session: { currency: 'USD', expiresAt: time } },
  }),
  deposit: ({ userId, path }) => ({
    ...{ call: ['POST', `${path}/deposits`, { ...cash, amount: '5.00' }], on: { userId }, ...moved('5.00', '45.00') },
  }),
  withdrawal: ({ userId, path }) => ({
    ...{ call: ['POST', `${path}/withdrawals`, { ...cash, amount: '5' }], on: { userId }, ...moved('-5.00', '35.00') },
  }),
  adjustment: ({ userId, path, transactionId }) => {
    const why = { reason: 'paid twice', ticket: 'SUP-7', transactionId }
    const { before, after } = moved('-1.00', '39.00')
    return {
      call: ['POST', `${path}/adjustments`, { ...cash, ...why, amount: '-1.00' }],
      ...{ on: { userId }, before, after: { ...after, ...why } },
    }
  },
  approveAdjustment: async ({ userId, path }) => {
    const { on, proposedBy } = await aProposal(path, userId)
    const { before, after } = moved('2000.00', '2040.00')
    return {
      call: ['POST', `${path}/adjustments/approve`, { reference: cash.reference }],
      ...{ on, before, after: { ...after, reason: 'jackpot', proposedBy } },
    }
  },
  refuseAdjustment: async ({ userId, path }) => {
    const { on } = await aProposal(path, userId)
    return {
      call: ['POST', `${path}/adjustments/refuse`, { reference: cash.reference }],
      on: { ...on, reference: cash.reference },
      ...{ before: { status: 'pending' }, after: { status: 'refused' } },
    }
  },
  ...webhookCases(() => asked),
  lockBet: ({ userId, path, transactionId }) => ({
    call: ['PUT', `${path}/bets/${transactionId}/lock`],
    ...{ on: { userId, transactionId }, before: { locked: false }, after: { locked: true } },
  }),
  unlockBet: async ({ userId, path, transactionId }) => {
    await wallet.operator.lock(userId, transactionId)
    return {
      call: ['DELETE', `${path}/bets/${transactionId}/lock`],
      ...{ on: { userId, transactionId }, before: { locked: true }, after: { locked: false } },
    }
  },
  startConformance: () => {
    const after = { state: 'running', cases: expect.any(Number) }
    return { call: ['POST', '/operator/conformance'], on: { runId: expect.any(String) }, before: {}, after }
  },
}

test('the cases of the wallet’s action log cover each call that changes something', () => {
  expect(Object.keys(CASES).sort()).toEqual(changesOf('wallet'))
})

const LEAVES_AN_ACTION = '%s writes an action with its person and the values before and after'
async function leavesAnAction(operation: string): Promise<void> {
  const expected = await CASES[operation]?.(await aPlayer())
  await expectAction(asked, keyOf('OPERATOR_API_KEY', wallet.operatorKey), operation, expected as AuditedCall)
}
/** A run of the kit takes a while, so it starts last. */
const LAST = 'startConformance'

test.each(Object.keys(CASES).filter((operation) => operation !== LAST))(LEAVES_AN_ACTION, leavesAnAction)

describe('no action is written for a call without effect:', () => {
  const operationsOn = async (userId: string) =>
    (await asked.log(`?player=${userId}`)).data.map(({ operation }) => operation)

  const again: [string, (player: Player) => Promise<unknown>][] = [
    [
      'a player who is created again',
      ({ userId }) => asked.must('POST', PLAYERS, { userId, currency: 'EUR', currencies: ['EUR', 'USD'] }),
    ],
    [
      'a change to what is so already',
      ({ userId }) => wallet.operator.patch(userId, { status: 'active', currencies: ['EUR', 'USD'] }),
    ],
    ['a deposit that is repeated', ({ path }) => asked.must('POST', `${path}/deposits`, { ...cash, amount: '1.00' })],
    [
      'a withdrawal of too much',
      ({ path }) => asked.send('POST', `${path}/withdrawals`, { ...cash, reference: 'r-2', amount: '99' }),
    ],
    ['a bet that is unlocked', ({ path, transactionId }) => asked.send('DELETE', `${path}/bets/${transactionId}/lock`)],
    ['the end of sessions that have ended', ({ path }) => asked.send('DELETE', `${path}/sessions`)],
    ['a call that is refused', ({ path }) => asked.send('PATCH', path, { status: 'asleep' })],
    ['what is read', ({ path }) => asked.must('GET', path)],
    ['a bet', ({ userId, token }) => wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 1 })],
  ]
  test.each(again)('%s', async (_name, act) => {
    const player = await aPlayer()
    await asked.must('POST', `${player.path}/deposits`, { ...cash, amount: '1.00' })
    await asked.send('DELETE', `${player.path}/sessions`)
    const before = await operationsOn(player.userId)
    expect(before).toEqual(['endSessions', 'deposit', 'startSession', 'deposit', 'createPlayer'])
    await act(player)
    expect(await operationsOn(player.userId)).toEqual(before)
  })
})

describe('the person in the action log', () => {
  const adjustmentBody = { ...cash, amount: '1.00', reason: 'why' }

  test('of an adjustment is taken from the body, in any letters, or from the header, and else from the key', async () => {
    const { userId, path } = await aPlayer()
    const adjust = (over: object, headers = {}) =>
      asked.send('POST', `${path}/adjustments`, { ...adjustmentBody, ...over }, headers)
    expect((await adjust({ reference: 'r-0' })).status).toBe(201)
    expect((await adjust({ person: 'Jörg' })).status).toBe(201)
    expect((await adjust({ reference: 'r-2' }, asMaria)).status).toBe(201)
    expect((await adjust({ reference: 'r-2', person: 'maria' }, asMaria)).status, 'the same again').toBe(201)
    expectProblem(await adjust({ reference: 'r-3', person: 'bob' }, asMaria), 400, 'invalid_request', ['/person'])
    const { data } = await asked.log(`?player=${userId}&limit=3`)
    expect(data.map(({ person }) => person)).toEqual(['maria', 'Jörg', undefined])
    const statement = await asked.must('GET', `${path}/statement?limit=3`)
    expect((statement.data as JsonObject[]).map(({ person }) => person)).toEqual(['maria', 'Jörg', 'OPERATOR_API_KEY'])
  })

  test('is unknown when a call names none', async () => {
    const { userId } = await aPlayer()
    const { data } = await asked.log(`?player=${userId}&limit=1`)
    expect(data[0]).not.toHaveProperty('person')
  })

  test.each(['ma\tria', 'J\u00f6rg', 'm'.repeat(129)])(
    'must be printable ASCII of limited length in the header: %j is 400',
    async (person) => {
      const { path } = await aPlayer()
      const reply = await asked.send('PATCH', path, { status: 'blocked' }, { 'x-purser-person': person })
      expectProblem(reply, 400, 'invalid_request', ['/headers/x-purser-person'])
    },
  )
})

test('the pages of the action log have every action once, newest first, within a range, and an unknown filter is 400', async () => {
  const { userId } = await wallet.operator.createPlayer()
  for (let i = 1; i <= 7; i++) {
    wallet.clock.advance(60_000)
    await wallet.operator.deposit(userId, `${i}.00`)
  }
  const amounts: unknown[] = []
  let after = ''
  for (;;) {
    const page = await asked.log(`?player=${userId}&limit=3${after}`)
    amounts.push(...page.data.map((action) => (action.after as JsonObject).amount))
    if (page.next === null) break
    after = `&after=${page.next}`
  }
  expect(amounts).toEqual(['7.00', '6.00', '5.00', '4.00', '3.00', '2.00', '1.00', undefined])
  const [, second] = (await asked.log(`?player=${userId}`)).data
  const from = String(second?.at)
  expect((await asked.log(`?player=${userId}&from=${from}`)).data).toHaveLength(2)
  expect((await asked.log(`?from=${from}`)).data.length).toBeGreaterThanOrEqual(2)
  expect((await asked.log('?player=nobody')).data).toEqual([])
  expectProblem(await asked.send('GET', '/operator/actions?plaver=x'), 400, 'invalid_request')
  expectProblem(await asked.send('GET', '/operator/actions?after=x'), 400, 'invalid_request', ['/query/after'])
  expectProblem(await asked.send('GET', '/operator/actions?player=%00'), 400, 'invalid_request', ['/query/player'])
})

test('the action log of the wallet contains no token and no key', async () => {
  const { userId, token } = await aPlayer()
  const other = await wallet.operator.switchCurrency(userId, 'USD')
  await wallet.operator.patch(userId, {
    customFields: { token, nested: { secret: 'a-secret', list: [{ token: other }] } },
  })
  const text = await storedText(wallet.databaseUrl, 'purser.action')
  for (const hidden of [token, other, 'a-secret', wallet.operatorKey, wallet.secret]) expect(text).not.toContain(hidden)
  expect(text).toContain('***')
})

test('a change is rolled back when its action cannot be written', async () => {
  const { userId, path } = await aPlayer()
  const owner = new pg.Client({ connectionString: wallet.databaseUrl })
  await owner.connect()
  const role = new URL(asServer('wallet', wallet.databaseUrl)).username
  try {
    await owner.query(`revoke insert on purser.action from ${role}`)
    expect((await asked.send('POST', `${path}/deposits`, { ...cash, amount: '5.00' })).status).toBe(500)
    expect((await asked.send('PATCH', path, { status: 'blocked' })).status).toBe(500)
  } finally {
    await owner.query(`grant insert on purser.action to ${role}`)
    await owner.end()
  }
  expect(await wallet.operator.balance(userId)).toBe('40.00')
  expect(await asked.must('GET', path)).toMatchObject({ status: 'active' })
  expect((await asked.send('POST', `${path}/deposits`, { ...cash, amount: '5.00' })).status).toBe(201)
})

test.each([LAST])(LEAVES_AN_ACTION, leavesAnAction)
