/** An adjustment above a configured amount waits for the approval of a second person (W-27). */

import { type Money, STANDARD_SCALES } from '@purser/protocol/values/money'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isSamePerson, needsApproval } from '../../src/wallet/operator-api/money/dual-approval.ts'
import { type Asking, asking } from '../people/audited-calls.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'
import { expectProblem } from './answers.ts'

let wallet: TestWallet
/** Another process of the same wallet. */
let second: TestWallet
const by = {} as Record<'anna' | 'ben' | 'cleo', Asking>

beforeAll(async () => {
  const env = { PURSER_APPROVE_ABOVE: '100,JPY:5000', PURSER_BUCKETS: '4' }
  wallet = await startWallet({ env })
  second = await startWallet({ databaseUrl: wallet.databaseUrl, env })
  const first = asking(wallet.url, wallet.operatorKey, '/operator/actions')
  for (const [i, name] of (['anna', 'ben', 'cleo'] as const).entries()) {
    const { key } = await first.must('POST', '/operator/keys', { name, role: i === 2 ? 'support' : 'cash' })
    by[name] = asking(i === 1 ? second.url : wallet.url, String(key), '/operator/actions')
  }
})
afterAll(async () => {
  await wallet.auditIsClean()
  await second.stop()
  await wallet.stop()
})

const request = { currency: 'EUR', amount: '100.01', reference: 'corr-1', reason: 'a jackpot' }
const path = (userId: string, what = '') => `/operator/players/${userId}/adjustments${what}`
const newPlayer = async () => (await playerWithMoney(wallet.operator, '50.00')).userId
const ask = (who: keyof typeof by, userId: string, over: object = {}) =>
  by[who].send('POST', path(userId), { ...request, ...over })
const decide = (who: keyof typeof by, what: 'approve' | 'refuse', userId: string, headers?: Record<string, string>) =>
  by[who].send('POST', path(userId, `/${what}`), { reference: 'corr-1' }, headers)
const pending = async (userId: string, status = 'pending') => {
  const { data } = await by.anna.must('GET', `/operator/adjustments?status=${status}&limit=500`)
  return (data as JsonObject[]).filter((one) => one.userId === userId)
}

/** A player for whom anna has requested 100.01 EUR. */
async function asked(over: object = {}): Promise<string> {
  const userId = await newPlayer()
  expect(await ask('anna', userId, over)).toMatchObject({ status: 202, body: { status: 'pending' } })
  return userId
}

test('partial adjustments are summed by key and day for approval, concurrent ones too', async () => {
  const { key } = await asking(wallet.url, wallet.operatorKey, '/operator/actions').must('POST', '/operator/keys', {
    ...{ name: 'slicer', role: 'cash' },
  })
  const slicers = [wallet, second].map(({ url }) => asking(url, String(key), '/operator/actions'))
  const players = await Promise.all(Array.from({ length: 6 }, newPlayer))
  const slice = (userId: string, i: number, amount = i % 2 === 0 ? '30.00' : '-30.00') =>
    (slicers[i % 2] as Asking).send('POST', path(userId), { ...request, amount, reference: `slice-${i}` })
  const answers = await Promise.all(players.map((userId, i) => slice(userId, i)))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 202, 202, 202])
  const [userId] = players as [string]
  expect(await slice(userId, 10, '10.01')).toMatchObject({ status: 202 })
  expect(await slice(userId, 11, '10.00')).toMatchObject({ status: 201 })
  expect(await slice(userId, 11, '10.00'), 'a repeat counts nothing').toMatchObject({ status: 201 })
})

test('an adjustment up to the amount is made at once, and one above it only after another person’s approval', async () => {
  const userId = await newPlayer()
  expect(await ask('anna', userId, { amount: '100.00', reference: 'corr-0' })).toMatchObject({ status: 201 })
  const proposal = await ask('anna', userId, { ticket: 'SUP-7' })
  expect(proposal).toMatchObject({
    status: 202,
    body: {
      ...{ userId, reference: 'corr-1', status: 'pending', currency: 'EUR', amount: '100.01', ticket: 'SUP-7' },
      proposedBy: { key: 'anna', person: 'anna' },
    },
  })
  expect(await wallet.operator.balance(userId)).toBe('150.00')
  expect(await pending(userId)).toEqual([proposal.body])
  expect(await decide('ben', 'approve', userId)).toMatchObject({ status: 201, body: { balance: '250.01' } })
  expect(await pending(userId)).toEqual([])
  expect(await pending(userId, 'approved')).toMatchObject([{ decidedBy: { key: 'ben', person: 'ben' } }])
  const { data } = (await by.anna.must('GET', `/operator/players/${userId}/statement`)) as { data: JsonObject[] }
  expect(data[0]).toMatchObject({ kind: 'adjustment', person: 'anna', approvedBy: 'ben', reason: 'a jackpot' })
})

test('an adjustment that removes money waits too, and the balance is checked at its approval', async () => {
  const userId = await asked({ amount: '-150.00' })
  expectProblem(await decide('ben', 'approve', userId), 409, 'not_enough_money')
  await wallet.operator.deposit(userId, '200.00')
  expect(await decide('ben', 'approve', userId)).toMatchObject({ status: 201, body: { balance: '100.00' } })
})

describe('an adjustment cannot be approved by its first person:', () => {
  const same: [string, keyof typeof by, object, Record<string, string>?][] = [
    ['the same key', 'anna', {}],
    ['the same key in another name', 'anna', { person: 'mia' }, { 'x-purser-person': 'ben' }],
    ['the same person with another key', 'ben', { person: 'mia' }, { 'x-purser-person': 'mia' }],
    ['the same name in other capitals and spaces', 'ben', { person: ' Mia  M ' }, { 'x-purser-person': 'mia m' }],
    ['a person with the name of the first key', 'ben', {}, { 'x-purser-person': 'Anna' }],
    ['a key with the name of the first person', 'ben', { person: 'Ben' }],
  ]
  test.each(same)('%s', async (_name, who, over, headers) => {
    const userId = await asked(over)
    expectProblem(await decide(who, 'approve', userId, headers), 403, 'same_person')
    expect(await pending(userId)).toHaveLength(1)
    expect(await wallet.operator.balance(userId)).toBe('50.00')
  })

  test('a rotated key of the first person', async () => {
    const userId = await asked()
    const first = asking(wallet.url, wallet.operatorKey, '/operator/actions')
    const { key } = await first.must('POST', '/operator/keys/anna/rotate', {})
    const again = asking(second.url, String(key), '/operator/actions')
    expectProblem(await again.send('POST', path(userId, '/approve'), { reference: 'corr-1' }), 403, 'same_person')
  })

  test('nor by a key of a lesser role', async () => {
    const userId = await asked()
    expectProblem(await decide('cleo', 'approve', userId), 403, 'forbidden')
    expectProblem(await decide('cleo', 'refuse', userId), 403, 'forbidden')
  })
})

test('concurrent approvals, refusals and repeats in two processes result in one decision and one movement', async () => {
  const first = asking(wallet.url, wallet.operatorKey, '/operator/actions')
  for (let round = 0; round < 8; round++) {
    const userId = await asked()
    const answers = await Promise.all([
      ...(['ben', 'ben', 'anna'] as const).map((who) => decide(who, 'approve', userId)),
      first.send('POST', path(userId, '/approve'), { reference: 'corr-1' }),
      first.send('POST', path(userId, '/refuse'), { reference: 'corr-1' }),
      ask('anna', userId),
    ])
    const [state] = [...(await pending(userId, 'approved')), ...(await pending(userId, 'refused'))]
    const isMade = state?.status === 'approved'
    expect(await wallet.operator.balance(userId)).toBe(isMade ? '150.01' : '50.00')
    const made = answers.slice(0, 4).filter(({ status }) => status === 201)
    // A repeat by the same person gets the same answer; another person is too late.
    const decider = (state as { decidedBy: JsonObject } | undefined)?.decidedBy.key
    expect(made.length).toBe(isMade ? (decider === 'ben' ? 2 : 1) : 0)
    for (const { status } of answers) expect([200, 201, 202, 403, 409]).toContain(status)
    const { data } = await first.log(`?player=${userId}`)
    const decisions = data.filter(({ operation }) => /^(approve|refuse)/.test(String(operation)))
    expect(decisions).toHaveLength(1)
  }
})

test('a repeated request for approval is answered as before when it is pending, approved or refused', async () => {
  const userId = await asked()
  expect(await ask('anna', userId)).toMatchObject({ status: 202, body: { status: 'pending' } })
  expectProblem(await ask('anna', userId, { amount: '200.00' }), 422, 'reference_reused')
  expectProblem(await ask('ben', userId), 422, 'reference_reused')
  const approved = await decide('ben', 'approve', userId)
  expect((await decide('ben', 'approve', userId)).body).toEqual(approved.body)
  expect(await ask('anna', userId)).toMatchObject({ status: 201, body: approved.body })
  expectProblem(await decide('ben', 'refuse', userId), 409, 'adjustment_decided')
  expectProblem(await decide('ben', 'approve', await newPlayer()), 404, 'not_found')

  const other = await asked()
  expect(await decide('anna', 'refuse', other)).toMatchObject({ status: 200, body: { status: 'refused' } })
  expect(await decide('anna', 'refuse', other)).toMatchObject({ status: 200 })
  expectProblem(await decide('ben', 'refuse', other), 409, 'adjustment_decided')
  expectProblem(await ask('anna', other), 409, 'adjustment_decided')
  expect(await wallet.operator.balance(other)).toBe('50.00')
})

test('a pending adjustment owns its reference: no deposit can use it, and it takes none from a deposit', async () => {
  const userId = await asked()
  const deposit = { currency: 'EUR', amount: '1.00', reference: 'corr-1' }
  expectProblem(
    (await by.ben.send('POST', `/operator/players/${userId}/deposits`, deposit)) as never,
    422,
    'reference_reused',
  )
  const other = await newPlayer()
  await by.ben.must('POST', `/operator/players/${other}/deposits`, deposit)
  expectProblem(await ask('anna', other), 422, 'reference_reused')
})

test('a pending adjustment expires after a week and can be neither approved nor refused', async () => {
  const userId = await asked()
  wallet.clock.advance(7 * 86_400_000)
  second.clock.advance(7 * 86_400_000)
  expectProblem(await decide('ben', 'approve', userId), 409, 'adjustment_expired')
  expectProblem(await decide('ben', 'refuse', userId), 409, 'adjustment_expired')
  expectProblem(await ask('anna', userId), 409, 'adjustment_expired')
  expect(await pending(userId)).toEqual([])
  expect(await pending(userId, 'expired')).toMatchObject([{ status: 'expired' }])
  expect(await wallet.operator.balance(userId)).toBe('50.00')
})

test('the audit finds an adjustment that no second person approved', async () => {
  const userId = await asked()
  await decide('ben', 'approve', userId)
  const sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  const findings = async (change: string, back: string) => {
    await sql.query(`${change} where player = '${userId}' and reference = 'corr-1'`)
    const report = (await by.anna.must('GET', '/operator/audit')) as { findings: { check: string }[] }
    await sql.query(`${back} where player = '${userId}' and reference = 'corr-1'`)
    return report.findings.map(({ check }) => check)
  }
  const move = (what: string) => `update purser.cash_movement set ${what}`
  const propose = (what: string) => `update purser.proposal set ${what}`
  const differs = [expect.stringContaining('each approved adjustment equals its request')]
  expect(await findings(`${move('approved_by = null')}`, `${move("approved_by = 'ben'")}`)).toEqual(differs)
  expect(await findings(propose('amount = 9'), propose('amount = 10001'))).toEqual(differs)
  expect(await findings(propose("decided_person = 'anna'"), propose("decided_person = 'ben'"))).toContain(
    'no person approved their own adjustment',
  )
  expect(await findings(propose("decided_person = ' ANNA'"), propose("decided_person = 'ben'"))).toContain(
    'no person approved their own adjustment',
  )
  await sql.end()
})

test('an amount is compared exactly with the limit of its currency, and a currency without one always waits, unless there is a general limit', () => {
  const needs = (rule: [string, string][], currency: string, minor: bigint) =>
    needsApproval(new Map(rule), STANDARD_SCALES, currency, minor as Money)
  expect(needs([], 'EUR', 10n ** 18n)).toBe(false)
  expect([10_000n, 10_001n, -10_001n].map((amount) => needs([['*', '100']], 'EUR', amount))).toEqual([
    false,
    true,
    true,
  ])
  expect([100n, 101n].map((amount) => needs([['*', '100']], 'JPY', amount))).toEqual([false, true])
  expect([100_000n, 100_001n].map((amount) => needs([['*', '100']], 'KWD', amount))).toEqual([false, true])
  expect([1n, 5_001n].map((amount) => needs([['EUR', '50.01']], 'EUR', amount))).toEqual([false, false])
  expect(needs([['EUR', '50.01']], 'EUR', 5_002n)).toBe(true)
  expect(needs([['EUR', '50.01']], 'USD', 1n)).toBe(true)
  expect(needs([['EUR', '0']], 'EUR', 1n)).toBe(true)
})

test('two persons are the same by key or by name', () => {
  const doer = (keyName: string, person: string) => ({ keyName, person })
  expect(isSamePerson(doer('a', 'x'), doer('b', 'y'))).toBe(false)
  expect(isSamePerson(doer('a', 'x'), doer('a', 'y'))).toBe(true)
  expect(isSamePerson(doer('a', 'Zoë'), doer('b', 'ZOE\u0308'))).toBe(true)
})
