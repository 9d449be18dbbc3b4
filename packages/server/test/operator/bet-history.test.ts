/**
 * The operator API shows a bet with its state, its description, and every call with its transfers,
 * in the order of arrival.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type JsonObject, replyCode } from '../support/wire.ts'
import { expectProblem, objectOf, rowsOf } from './answers.ts'

let wallet: TestWallet
/** The player and the bet of the current test. */
let bet: { userId: string; transactionId: string }
let token: string

beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_FREEBET_STAKE: 'promotions', PURSER_BUCKETS: '4' } })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

async function newBet(amount = '100.00'): Promise<void> {
  const player = await playerWithMoney(wallet.operator, amount)
  token = player.token
  bet = { userId: player.userId, transactionId: randomUUID() }
}

const read = () => wallet.operator.bet(bet.userId, bet.transactionId)
const place = (over: object = {}) => wallet.wire.place({ ...bet, token, amount: 10, ...over })

/** Each call as a short line: operation, outcome, code, and the player's transfers. */
async function linesOf(): Promise<string[]> {
  return rowsOf(await read(), 'history').map((call) => {
    const transfers = rowsOf(call, 'transfers').map(({ kind, amount }) => `${kind} ${amount}`)
    return [call.operation, call.outcome, call.code ?? call.anomaly, ...transfers]
      .filter((part) => part !== undefined)
      .join(' ')
  })
}

test('a bet that no call has named is 404, even when another player has one with that id', async () => {
  await newBet()
  const path = (userId: string) => `/operator/players/${userId}/bets/${bet.transactionId}`
  expectProblem(await wallet.operator.request('GET', path(bet.userId)), 404, 'not_found')
  await place()
  const { userId } = await wallet.operator.createPlayer()
  expectProblem(await wallet.operator.request('GET', path(userId)), 404, 'not_found')
})

test('an open bet shows its stake, its time, and its description by the platform', async () => {
  await newBet()
  const { body } = await place({ requestId: 'place-request-1', info: 'Zoë', ip: '2001:db8::1' })
  const { history, details, firstSeenAt, ...state } = await read()
  const at = (body as JsonObject).transactionTime
  expect(state).toEqual({
    ...bet,
    ...{ status: 'open', currency: 'EUR', stake: '10.00', stakePaidBy: 'player', oddsPayout: '25.00', locked: false },
    ...{ placedAt: at, changedAt: at },
  })
  expect(firstSeenAt).toBe(at)
  expect(details).toMatchObject({
    info: 'Zoë',
    ip: '2001:db8::1',
    coefficient: 2.5,
    ticketType: 'single',
    bonusId: null,
  })
  expect(objectOf(details).metadata).toEqual([expect.objectContaining({ event: 'Brann - Molde', stage: 1 })])
  expect(JSON.stringify(details)).not.toContain(token)
  expect(history).toEqual([
    {
      ...{ operation: 'place', requestId: 'place-request-1', outcome: 'applied', amount: '10.00', currency: 'EUR' },
      ...{
        transactionTime: at,
        at,
        transfers: [expect.objectContaining({ kind: 'stake', transferId: 'EUR-2', amount: '-10.00' })],
      },
    },
  ])
})

test('a settled bet shows its payout, and its history has each earlier result', async () => {
  await newBet()
  await place()
  await wallet.wire.settle({ ...bet, amount: 25 })
  wallet.clock.advance(60_000)
  const { body } = await wallet.wire.settle({ ...bet, amount: 5, resultType: 'cashout', token })
  expect(await read()).toMatchObject({
    status: 'settled',
    payout: '5.00',
    resultType: 'cashout',
    changedAt: objectOf(body).transactionTime,
  })
  expect(await linesOf()).toEqual([
    'place applied stake -10.00',
    'settle applied stake_closed 0.00 payout 25.00',
    'settle applied payout_reversal -25.00 payout 5.00',
  ])
  const results = rowsOf(await read(), 'history').map(({ amount, resultType }) => [amount, resultType])
  expect(results).toEqual([
    ['10.00', undefined],
    ['25.00', 'won'],
    ['5.00', 'cashout'],
  ])
})

test('an unsettled bet is open again, and a rolled back bet is cancelled with its reason', async () => {
  await newBet()
  await place()
  await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' })
  await wallet.wire.unsettle({ ...bet, amount: 0 })
  expect(await read()).toMatchObject({ status: 'open', stake: '10.00' })
  await wallet.wire.rollback({ ...bet, amount: 10, errorCode: 110 })
  const { payout, resultType, ...state } = await read()
  expect(state).toMatchObject({ status: 'cancelled', stake: '10.00', currency: 'EUR' })
  expect([payout, resultType]).toEqual([undefined, undefined])
  expect(await linesOf()).toEqual([
    'place applied stake -10.00',
    'settle applied stake_closed 0.00',
    'unsettle applied stake_reopened 0.00',
    'rollback applied refund 10.00',
  ])
  expect(rowsOf(await read(), 'history').at(-1)).toMatchObject({ errorCode: 110, amount: '10.00' })
})

test('the history of a bet has repeats and refusals with their codes', async () => {
  await newBet()
  const first = await place()
  await place({ requestId: randomUUID() })
  await place({ amount: 11 })
  await wallet.wire.settle({ ...bet, amount: 25, currency: 'USD' })
  await wallet.wire.settle({ ...bet, amount: 25 })
  await wallet.wire.rollback({ ...bet, amount: 10 })
  expect(await linesOf()).toEqual([
    'place applied stake -10.00',
    'place repeated',
    'place refused 8',
    'settle refused 5',
    'settle applied stake_closed 0.00 payout 25.00',
    'rollback refused 8',
  ])
  const [, repeat, refused] = rowsOf(await read(), 'history')
  expect(repeat?.transactionTime).toBe(objectOf(first.body).transactionTime)
  expect(refused).toMatchObject({ amount: '11.00', anomaly: 'place_differs_from_bet' })
  expect(refused).not.toHaveProperty('transactionTime')
})

test('the history of a bet has its calls in the order of arrival, even when a settle came before the bet', async () => {
  await newBet()
  await wallet.wire.settle({ ...bet, amount: 25 })
  expect(await read()).toMatchObject({ status: 'unknown' })
  await wallet.wire.unsettle({ ...bet, amount: 25 })
  await place()
  await wallet.wire.settle({ ...bet, amount: 25 })
  expect(await linesOf()).toEqual([
    'settle refused 5',
    'unsettle refused 5',
    'place applied stake -10.00',
    'settle applied stake_closed 0.00 payout 25.00',
  ])
})

test('a rollback before its bet leaves a cancelled bet without money', async () => {
  await newBet()
  await wallet.wire.rollback({ ...bet, amount: 10, errorCode: 10 })
  expect(replyCode(await place())).toBe(8)
  const { history, ...state } = await read()
  expect(state).toMatchObject({ status: 'cancelled' })
  expect(state).not.toHaveProperty('stake')
  expect(history).toHaveLength(2)
  expect(await linesOf()).toEqual(['rollback applied', 'place refused 8'])
})

test('a refused bet shows the code that it keeps', async () => {
  await newBet('5.00')
  expect(replyCode(await place())).toBe(7)
  await wallet.operator.deposit(bet.userId, '50.00')
  expect(replyCode(await place())).toBe(7)
  expect(await read()).toMatchObject({ status: 'refused', refusalCode: 7 })
  expect(await linesOf()).toEqual(['place refused 7', 'place refused 7'])
})

test('a freebet paid by promotions does not change the player’s balance until it wins', async () => {
  await newBet('5.00')
  await place({ bonusId: 4711, amount: 10 })
  expect(await read()).toMatchObject({ status: 'open', stake: '10.00', stakePaidBy: 'promotions' })
  await wallet.wire.settle({ ...bet, amount: 25, bonusId: 4711 })
  expect(await linesOf()).toEqual(['place applied stake 0.00', 'settle applied stake_closed 0.00 payout 25.00'])
  expect(await wallet.operator.balance(bet.userId)).toBe('30.00')
})

test('the ids of bets are compared byte by byte, so that case and spaces make another bet', async () => {
  await newBet()
  bet.transactionId = 'Bet Ü/1?#%'
  await place()
  expect(await read()).toMatchObject({ transactionId: 'Bet Ü/1?#%', status: 'open' })
  const other = `/operator/players/${bet.userId}/bets/${encodeURIComponent('bet Ü/1?#%')}`
  expectProblem(await wallet.operator.request('GET', other), 404, 'not_found')
})

describe('a locked bet', () => {
  const lock = (method: 'PUT' | 'DELETE', id = bet.transactionId) =>
    wallet.operator.request(method, `/operator/players/${bet.userId}/bets/${id}/lock`)

  test('refuses another result with 20 and accepts the same one, until it is unlocked (L-3)', async () => {
    await newBet()
    await place()
    await wallet.wire.settle({ ...bet, amount: 25 })
    expect(await lock('PUT')).toMatchObject({ status: 204, body: null })
    expect((await lock('PUT')).status).toBe(204)
    expect(await read()).toMatchObject({ locked: true })
    expect(replyCode(await wallet.wire.settle({ ...bet, amount: 5 }))).toBe(20)
    expect(replyCode(await wallet.wire.unsettle({ ...bet, amount: 25 }))).toBe(20)
    expect((await wallet.wire.settle({ ...bet, amount: 25 })).status).toBe(200)
    expect(await wallet.operator.balance(bet.userId)).toBe('115.00')
    expect((await lock('DELETE')).status).toBe(204)
    expect(await read()).toMatchObject({ locked: false })
    expect((await wallet.wire.settle({ ...bet, amount: 5 })).status).toBe(200)
    expect(await wallet.operator.balance(bet.userId)).toBe('95.00')
  })

  test('can be settled for the first time', async () => {
    await newBet()
    await place()
    await lock('PUT')
    expect((await wallet.wire.settle({ ...bet, amount: 25 })).status).toBe(200)
    expect(replyCode(await wallet.wire.settle({ ...bet, amount: 26 }))).toBe(20)
  })

  test('must have been named by a call, else it is 404 and nothing is stored', async () => {
    await newBet()
    for (const method of ['PUT', 'DELETE'] as const) expectProblem(await lock(method), 404, 'not_found')
    expect((await place()).status).toBe(200)
    expect(await read()).toMatchObject({ locked: false })
  })
})
