/** The operator API shows a bet with its adjustments, applied and pending (O-2, W-27). */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatLookupPage } from '../../src/cli/lookup-page.ts'
import { type Asking, asking } from '../people/audited-calls.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'

let wallet: TestWallet
const by = {} as Record<'anna' | 'ben', Asking>
let bet: { userId: string; transactionId: string }

beforeAll(async () => {
  wallet = await startWallet({ env: { PURSER_APPROVE_ABOVE: '100', PURSER_BUCKETS: '64' } })
  const first = asking(wallet.url, wallet.operatorKey, '/operator/actions')
  for (const name of ['anna', 'ben'] as const) {
    const { key } = await first.must('POST', '/operator/keys', { name, role: 'cash' })
    by[name] = asking(wallet.url, String(key), '/operator/actions')
  }
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

async function newBet(): Promise<void> {
  const { userId, token } = await playerWithMoney(wallet.operator, '500.00', 'EUR', { currencies: ['EUR', 'USD'] })
  bet = { userId, transactionId: randomUUID() }
  await wallet.wire.place({ ...bet, token, amount: 10 })
}

const adjust = (amount: string, over: object = {}) =>
  by.anna.send('POST', `/operator/players/${bet.userId}/adjustments`, {
    ...{
      currency: 'EUR',
      amount,
      reference: `ref ${amount}`,
      reason: 'paid by hand',
      transactionId: bet.transactionId,
    },
    ...over,
  })
const read = () =>
  by.ben.must('GET', `/operator/players/${bet.userId}/bets/${bet.transactionId}`) as Promise<JsonObject>
const shown = (id: string) => by.ben.must('GET', `/operator/show/${id}`) as Promise<JsonObject & { kind: string }>

test('a bet without adjustments has no member for them', async () => {
  await newBet()
  await adjust('1.00', { transactionId: undefined })
  const names = Object.keys(await read())
  expect(names.filter((name) => /adjust/i.test(name))).toEqual([])
})

test('a bet has each of its adjustments with reason and person, and their sums by currency', async () => {
  await newBet()
  await adjust('5.00', { ticket: 'SUP-1' })
  await wallet.operator.request('POST', `/operator/players/${bet.userId}/deposits`, {
    ...{ currency: 'USD', amount: '20.00', reference: 'dollars' },
  })
  await adjust('-2.50', { person: 'maria' })
  await adjust('1.00', { currency: 'USD' })
  const found = await read()
  expect(found).toMatchObject({ status: 'open', stake: '10.00' })
  expect(found.adjusted).toEqual([
    { currency: 'EUR', amount: '2.50' },
    { currency: 'USD', amount: '1.00' },
  ])
  const why = { reason: 'paid by hand', at: expect.stringMatching(/Z$/), transferId: expect.any(String) }
  expect(found.adjustments).toEqual([
    {
      ...why,
      ...{ currency: 'EUR', amount: '5.00', balance: '495.00', person: 'anna', ticket: 'SUP-1', reference: 'ref 5.00' },
    },
    { ...why, ...{ currency: 'EUR', amount: '-2.50', balance: '492.50', person: 'maria', reference: 'ref -2.50' } },
    { ...why, ...{ currency: 'USD', amount: '1.00', balance: '21.00', person: 'anna', reference: 'ref 1.00' } },
  ])
  expect(found).not.toHaveProperty('pendingAdjustments')
})

test('a pending adjustment stands with the bet and the player, and becomes an adjustment of the bet when it is approved', async () => {
  await newBet()
  expect(await adjust('150.00')).toMatchObject({ status: 202 })
  const waiting = [{ reference: 'ref 150.00', amount: '150.00', status: 'pending', proposedBy: { person: 'anna' } }]
  expect(await read()).toMatchObject({ pendingAdjustments: waiting })
  expect(await read()).not.toHaveProperty('adjustments')
  expect(await shown(bet.userId)).toMatchObject({ kind: 'player', pendingAdjustments: waiting })
  expect(await shown(bet.transactionId)).toMatchObject({ kind: 'bet', bet: { pendingAdjustments: waiting } })
  const ofPlayer = (userId: string) => by.ben.must('GET', `/operator/adjustments?status=pending&userId=${userId}`)
  expect(await ofPlayer(bet.userId)).toMatchObject({ data: waiting })
  expect(await ofPlayer('somebody-else')).toMatchObject({ data: [] })
  await by.ben.must('POST', `/operator/players/${bet.userId}/adjustments/approve`, { reference: 'ref 150.00' })
  const found = await read()
  expect(found).toMatchObject({
    adjusted: [{ currency: 'EUR', amount: '150.00' }],
    adjustments: [{ amount: '150.00', person: 'anna', approvedBy: 'ben' }],
  })
  expect(found).not.toHaveProperty('pendingAdjustments')
  expect(await shown(bet.userId)).not.toHaveProperty('pendingAdjustments')
})

test('an expired or refused adjustment is not pending', async () => {
  await newBet()
  await adjust('150.00')
  await adjust('160.00')
  await by.ben.must('POST', `/operator/players/${bet.userId}/adjustments/refuse`, { reference: 'ref 160.00' })
  expect(await read()).toMatchObject({ pendingAdjustments: [{ amount: '150.00' }] })
  wallet.clock.advance(7 * 86_400_000)
  expect(await read()).not.toHaveProperty('pendingAdjustments')
})

test('an adjustment does not appear in another bet, nor in another player’s bet of the same id', async () => {
  await newBet()
  const first = bet
  await adjust('5.00')
  await newBet()
  expect(await read()).not.toHaveProperty('adjustments')
  bet = { userId: first.userId, transactionId: randomUUID() }
  await wallet.wire.settle({ ...bet, amount: 1 })
  expect(await read()).not.toHaveProperty('adjustments')
})

test('purser show reports that a bet was adjusted by hand, with amount, reason and person', async () => {
  await newBet()
  await adjust('5.00')
  await adjust('150.00')
  const page = formatLookupPage(await shown(bet.transactionId))
  expect(page).toContain('adjusted by hand\n')
  expect(page).toMatch(/5\.00 {2}balance 495\.00 {2}reason paid by hand\s+person anna/)
  expect(page).toMatch(/adjustments pending approval by a second person: no money has moved\n.*150\.00/s)
  expect(formatLookupPage(await shown(bet.userId))).toContain('adjustments pending approval by a second person')
})
