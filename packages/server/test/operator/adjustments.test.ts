/**
 * Adjustments (O-2, W-23) correct balances by hand in both directions. Each has a reference, which
 * applies once, a reason and a person.
 */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney, untilFree } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem, objectOf, rowsOf } from './answers.ts'

describe('an adjustment', () => {
  let wallet: TestWallet
  let sql: pg.Client

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_BUCKETS: '4' } })
    sql = new pg.Client({ connectionString: wallet.databaseUrl })
    await sql.connect()
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await sql.end()
    await wallet.stop()
  })

  const request = { currency: 'EUR', amount: '5.00', reference: 'corr-1', reason: 'paid twice', person: 'maria' }
  const call = (userId: string, kind: string, body: object) =>
    untilFree(() => wallet.operator.request('POST', `/operator/players/${userId}/${kind}`, body))
  const adjust = (userId: string, over: object = {}) => call(userId, 'adjustments', { ...request, ...over })

  async function newPlayer(amount = '50.00'): Promise<string> {
    return (await playerWithMoney(wallet.operator, amount)).userId
  }

  async function statement(userId: string): Promise<JsonObject[]> {
    return rowsOf((await wallet.operator.request('GET', `/operator/players/${userId}/statement`)).body, 'data')
  }

  async function placedBet(): Promise<{ userId: string; token: string; transactionId: string }> {
    const player = await playerWithMoney(wallet.operator, '50.00')
    const transactionId = randomUUID()
    await wallet.wire.place({ ...player, transactionId, amount: 10 })
    return { ...player, transactionId }
  }

  test('adds or removes money, and the statement shows its kind, reason, person and ticket', async () => {
    const userId = await newPlayer()
    expect(await adjust(userId, { ticket: 'SUP-7' })).toMatchObject({
      status: 201,
      body: { transferId: 'EUR-2', balance: '55.00' },
    })
    const taken = { amount: '-30.01', reference: 'corr-2', reason: 'Überzahlung 😀', person: 'Jörg' }
    expect(await adjust(userId, taken)).toMatchObject({
      status: 201,
      body: { transferId: 'EUR-3', balance: '24.99' },
    })
    expect(await wallet.operator.balance(userId)).toBe('24.99')
    const [second, first] = await statement(userId)
    const common = { kind: 'adjustment', currency: 'EUR', at: expect.stringMatching(/Z$/) }
    expect(first).toEqual({
      ...{ ...common, transferId: 'EUR-2', amount: '5.00', balance: '55.00', reference: 'corr-1' },
      ...{ reason: 'paid twice', person: 'maria', ticket: 'SUP-7' },
    })
    expect(second).toEqual({
      ...{ ...common, transferId: 'EUR-3', balance: '24.99' },
      ...taken,
    })
  })

  test('without a person is made in the name of its key (O-4)', async () => {
    const userId = await newPlayer()
    expect(await adjust(userId, { person: undefined })).toMatchObject({ status: 201 })
    expect((await statement(userId))[0]).toMatchObject({ person: 'OPERATOR_API_KEY' })
  })

  test('moves money between the player and an account of its own', async () => {
    const userId = await newPlayer()
    await adjust(userId)
    await adjust(userId, { amount: '-7.00', reference: 'corr-2' })
    const { rows } = await sql.query(
      `select kind, debit, credit, amount, bet_id, reference from purser.transfer where player = $1 and kind <> 'deposit' order by version`,
      [userId],
    )
    const common = { kind: 'adjustment', bet_id: null }
    expect(rows).toEqual([
      { ...common, debit: 'adjustments', credit: 'player', amount: '500', reference: 'corr-1' },
      { ...common, debit: 'player', credit: 'adjustments', amount: '700', reference: 'corr-2' },
    ])
  })

  test('gets the same answer and moves nothing when it is repeated, and ten concurrent ones are one', async () => {
    const userId = await newPlayer()
    const replies = await Promise.all(Array.from({ length: 10 }, () => adjust(userId)))
    expect(new Set(replies.map((reply) => JSON.stringify(reply))).size).toBe(1)
    expect(replies[0]).toMatchObject({ status: 201, body: { balance: '55.00' } })
    await wallet.operator.deposit(userId, '1.00')
    expect(await adjust(userId, { amount: '5' }), 'the same amount, written otherwise').toEqual(replies[0])
    expect(await statement(userId)).toHaveLength(3)
  })

  const others: [string, object][] = [
    ['another amount', { amount: '5.01' }],
    ['the other direction', { amount: '-5.00' }],
    ['another currency', { currency: 'USD' }],
    ['another reason', { reason: 'paid three times' }],
    ['another person', { person: 'mallory' }],
    ['a ticket', { ticket: 'SUP-7' }],
    ['a bet', { transactionId: randomUUID() }],
  ]
  test.each(others)('is 422 when its reference was used with %s', async (_, over) => {
    const userId = await newPlayer()
    await adjust(userId)
    expectProblem(await adjust(userId, over), 422, 'reference_reused')
    expect(await statement(userId)).toHaveLength(2)
  })

  test('shares its references with deposits and withdrawals (O-2)', async () => {
    const userId = await newPlayer()
    await adjust(userId)
    const cash = { currency: 'EUR', amount: '5.00', reference: 'corr-1' }
    for (const kind of ['deposits', 'withdrawals'])
      expectProblem(await call(userId, kind, cash), 422, 'reference_reused')
    expect((await call(userId, 'deposits', { ...cash, reference: 'in' })).status).toBe(201)
    expectProblem(await adjust(userId, { reference: 'in' }), 422, 'reference_reused')
    expect((await adjust(await newPlayer())).status, 'another player').toBe(201)
  })

  test('that names a bet shows it in the statement, changes nothing of the bet, and adds nothing to its history', async () => {
    const { userId, transactionId } = await placedBet()
    expect((await adjust(userId, { transactionId })).status).toBe(201)
    expect((await statement(userId))[0]).toMatchObject({ kind: 'adjustment', transactionId })
    const bet = await wallet.operator.bet(userId, transactionId)
    expect(bet.status).toBe('open')
    expect(rowsOf(bet, 'history').map((row) => rowsOf(row, 'transfers').length)).toEqual([1])
    expect((await wallet.wire.settle({ userId, transactionId, amount: 25 })).status).toBe(200)
    expect(await wallet.operator.balance(userId)).toBe('70.00')
  })

  test('of an unknown bet or of another player’s bet is 400', async () => {
    const { transactionId } = await placedBet()
    const userId = await newPlayer()
    for (const id of [transactionId, randomUUID()])
      expectProblem(await adjust(userId, { transactionId: id }), 400, 'invalid_request', ['/transactionId'])
    expect(await statement(userId)).toHaveLength(1)
  })

  test('of more than the balance is 409 and is not stored, and one of the whole balance leaves 0', async () => {
    const userId = await newPlayer()
    expectProblem(await adjust(userId, { amount: '-50.01' }), 409, 'not_enough_money')
    expect((await adjust(userId, { amount: '-50.00' })).body).toMatchObject({ balance: '0.00' })
    expectProblem(await adjust(userId, { amount: '-0.01', reference: 'b' }), 409, 'not_enough_money')
  })

  test('reaches a blocked or self-excluded player, since it corrects an error', async () => {
    const until = new Date(wallet.clock.now().getTime() + 3_600_000).toISOString()
    for (const patch of [{ status: 'blocked' }, { selfExcludedUntil: until }]) {
      const userId = await newPlayer()
      await wallet.operator.patch(userId, patch)
      expect((await adjust(userId)).body).toMatchObject({ balance: '55.00' })
      expect((await adjust(userId, { amount: '-5.00', reference: 'b' })).body).toMatchObject({ balance: '50.00' })
    }
  })

  test('does not count for daily limits, neither as stake, loss nor payout', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '50.00')
    await wallet.operator.patch(userId, { limits: { stake: '10.00', loss: '10.00', betCount: 2 } })
    await adjust(userId, { amount: '-20.00' })
    const bet = (amount: number) => wallet.wire.place({ userId, token, transactionId: randomUUID(), amount })
    expect((await bet(10)).status).toBe(200)
    await adjust(userId, { amount: '20.00', reference: 'b' })
    expect((await bet(1)).body).toMatchObject({ code: 11 })
  })

  test('works in a currency that the player no longer has, and not in one without an account', async () => {
    const userId = await newPlayer()
    await wallet.operator.deposit(userId, '3.00', 'USD')
    await wallet.operator.patch(userId, { currencies: ['EUR'] })
    expect((await adjust(userId, { currency: 'USD' })).body).toMatchObject({ balance: '8.00' })
    expectProblem(await adjust(userId, { currency: 'SEK', reference: 'b' }), 409, 'currency_not_available')
    const taken = await adjust(userId, { currency: 'SEK', amount: '-1.00', reference: 'b' })
    expectProblem(taken, 409, 'not_enough_money')
    expectProblem(await adjust(userId, { currency: 'ABC' }), 400, 'invalid_request', ['/currency'])
  })

  test('is 409 when the balance would leave its range', async () => {
    const { userId } = await wallet.operator.createPlayer({ currencies: ['EUR', 'JPY'] })
    const huge = { currency: 'JPY', amount: '999999999999999999' }
    for (let i = 0; i < 9; i++) expect((await adjust(userId, { ...huge, reference: `r-${i}` })).status).toBe(201)
    expectProblem(await adjust(userId, { ...huge, reference: 'r-9' }), 409, 'balance_too_large')
  })

  test('concurrent with withdrawals and bets never takes more than the balance', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '10.00')
    const cash = { currency: 'EUR', amount: '1.00' }
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) => [
        adjust(userId, { amount: '-1.00', reference: `adj-${i}` }),
        call(userId, 'withdrawals', { ...cash, reference: `out-${i}` }),
        wallet.wire.place({ userId, token, transactionId: randomUUID(), amount: 1 }),
      ]).flat(),
    )
    expect(replies.filter(({ status }) => status < 300)).toHaveLength(10)
    expect(await wallet.operator.balance(userId)).toBe('0.00')
  })

  const faulty: [string, object, string[]][] = [
    ['an amount of 0', { amount: '0.00' }, ['/amount']],
    ['an amount of -0', { amount: '-0.00' }, ['/amount']],
    ['a plus', { amount: '+5.00' }, ['/amount']],
    ['two signs', { amount: '--5.00' }, ['/amount']],
    ['a number for an amount', { amount: -5 }, ['/amount']],
    ['more decimals than the currency has', { amount: '-1.001' }, ['/amount']],
    ['too large an amount', { amount: '-99999999999999999.00' }, ['/amount']],
    ['an empty reference', { reference: '' }, ['/reference']],
    ['no reason', { reason: undefined }, ['']],
    ['a reason of blanks', { reason: ' \t' }, ['/reason']],
    ['a reason of 501 characters', { reason: 'r'.repeat(501) }, ['/reason']],
    ['a reason with a NUL', { reason: 'a\u0000' }, ['/reason']],
    ['a person of blanks', { person: ' ' }, ['/person']],
    ['a person with a lone surrogate', { person: 'a\ud800' }, ['/person']],
    ['an empty ticket', { ticket: '' }, ['/ticket']],
    ['an id that no bet has', { transactionId: 'short' }, ['/transactionId']],
    ['an unknown member', { despiteExclusion: true }, ['/despiteExclusion']],
  ]
  test.each(faulty)('with %s is 400 and moves nothing', async (_, over, pointers) => {
    const userId = await newPlayer()
    expectProblem(await adjust(userId, over), 400, 'invalid_request', pointers)
    expect(await statement(userId)).toHaveLength(1)
  })

  test('of an unknown player is 404', async () => {
    expectProblem(await adjust('nobody'), 404, 'not_found')
  })
})

test('the balance after an adjustment stays at or above 0, whatever clawback allows, and one below 0 can be corrected (L-2, W-23)', async () => {
  const wallet = await startWallet({ env: { PURSER_CLAWBACK: 'allow-negative' } })
  try {
    const { userId, token } = await playerWithMoney(wallet.operator, '10.00')
    const transactionId = randomUUID()
    const adjust = (amount: string, reference: string) =>
      wallet.operator.request('POST', `/operator/players/${userId}/adjustments`, {
        ...{ currency: 'EUR', amount, reference, reason: 'shared loss', person: 'maria' },
      })
    await wallet.wire.place({ userId, token, transactionId, amount: 10 })
    expectProblem(await adjust('-0.01', 'a'), 409, 'not_enough_money')
    await wallet.wire.settle({ userId, transactionId, amount: 25 })
    const out = { currency: 'EUR', amount: '25.00', reference: 'out' }
    await wallet.operator.request('POST', `/operator/players/${userId}/withdrawals`, out)
    expect((await wallet.wire.unsettle({ userId, transactionId, amount: 25 })).status).toBe(200)
    expect(objectOf((await adjust('20.00', 'b')).body).balance).toBe('-5.00')
    expect(objectOf((await adjust('5.00', 'c')).body).balance).toBe('0.00')
    await wallet.auditIsClean()
  } finally {
    await wallet.stop()
  }
})
