/**
 * A change of a wallet's setting, in either direction, has the effects that `purser settings`
 * describes.
 */

import { toQualifiedBetId } from '@purser/protocol/qualified-bet-id'
import type { BetId } from '@purser/protocol/wire-ids'
import { afterEach, describe, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { compareSettings } from '../../src/servers/money-settings.ts'
import { asking } from '../people/audited-calls.ts'
import { createDatabase } from '../support/database.ts'
import { changeMoneySettings } from '../support/money-settings.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { partnerWire } from '../support/wire.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

type Env = Record<string, string>

async function walletWith(env: Env) {
  const database = await createDatabase()
  cleanups.push(() => database.drop())
  const start = async (over: Env) => {
    const wallet = await startWallet({ databaseUrl: database.url, env: { PARTNER_SECRETS: SECRETS, ...over } })
    cleanups.push(() => wallet.stop())
    return wallet
  }
  const first = await start(env)
  return {
    wallet: first,
    async change(name: string, after: Env) {
      const said = await sentenceAbout(name, database.url, after)
      await first.stop()
      await changeMoneySettings(database.url, after)
      const second = await start({ PARTNER_SECRET: first.secret, OPERATOR_API_KEY: first.operatorKey, ...after })
      cleanups.push(() => second.auditIsClean())
      return { said, wallet: second }
    },
  }
}

const SECRETS = 'acme:the-secret-of-acme,best:the-secret-of-best'

async function sentenceAbout(name: string, databaseUrl: string, env: Env): Promise<string | undefined> {
  const config = readConfig({ ...env, DATABASE_URL: databaseUrl }, PROCESS_ROLES.tool)
  const db = await openDb(config.store)
  const compared = await compareSettings(db, 'wallet', config).finally(() => db.close())
  return compared.find((one) => one.name === name)?.meaning
}

describe('a change of PURSER_APPROVE_ABOVE', () => {
  const asked = (wallet: TestWallet, userId: string, reference: string, amount = '150.00', currency = 'EUR') =>
    wallet.operator.request('POST', `/operator/players/${userId}/adjustments`, {
      ...{ currency, amount, reference, reason: 'a jackpot', person: 'anna' },
    })

  test('to none applies new adjustments at once, and those that wait still need a second person', async () => {
    const { wallet, change } = await walletWith({ PURSER_APPROVE_ABOVE: '100' })
    const { userId } = await playerWithMoney(wallet.operator)
    expect(await asked(wallet, userId, 'first')).toMatchObject({ status: 202 })
    const after = await change('PURSER_APPROVE_ABOVE', {})
    expect(after.said).toBe(
      'from now on one person can make adjustments of any amount; pending adjustments still need a second person',
    )
    expect(await asked(after.wallet, userId, 'second')).toMatchObject({ status: 201 })
    const approve = await after.wallet.operator.request('POST', `/operator/players/${userId}/adjustments/approve`, {
      reference: 'first',
    })
    expect(approve).toMatchObject({ status: 403, body: { code: 'same_person' } })
    const ben = asking(after.wallet.url, after.wallet.operatorKey, '/operator/actions')
    const { key } = await ben.must('POST', '/operator/keys', { name: 'ben', role: 'cash' })
    const second = asking(after.wallet.url, String(key), '/operator/actions')
    const path = `/operator/players/${userId}/adjustments/approve`
    expect(await second.send('POST', path, { reference: 'first' })).toMatchObject({ status: 201 })
  })

  test('to an amount makes adjustments above it wait, and all in other currencies when only currencies are named', async () => {
    const { wallet, change } = await walletWith({})
    const { userId } = await playerWithMoney(wallet.operator)
    expect(await asked(wallet, userId, 'first')).toMatchObject({ status: 201 })
    const after = await change('PURSER_APPROVE_ABOVE', { PURSER_APPROVE_ABOVE: 'EUR:100' })
    expect(after.said).toBe(
      'from now on adjustments of more than this, and in every other currency all adjustments, need a second person; pending adjustments stay pending',
    )
    expect(await asked(after.wallet, userId, 'second')).toMatchObject({ status: 202 })
    expect(await asked(after.wallet, userId, 'third', '100.00')).toMatchObject({ status: 201 })
    expect(await asked(after.wallet, userId, 'fourth', '0.01', 'USD')).toMatchObject({ status: 202 })
  })
})

describe('a change of PURSER_COOLING_OFF', () => {
  const NAME = 'PURSER_COOLING_OFF'
  const raise = { limits: { stake: '200' } }
  async function limited(wallet: TestWallet, userId: string) {
    const path = `/operator/players/${userId}`
    await wallet.operator.request('PATCH', path, { limits: { stake: '100' } })
    return path
  }

  test('to hours and then to none makes a raise wait, keeps the condition of one that waits, and lets no new one wait', async () => {
    const { wallet, change } = await walletWith({ [NAME]: 'second-person' })
    const { userId } = await playerWithMoney(wallet.operator)
    const path = await limited(wallet, userId)
    expect(await wallet.operator.request('PATCH', path, raise)).toMatchObject({ status: 202 })
    const hours = await change(NAME, { [NAME]: '24h' })
    expect(hours.said).toBe(
      'from now on a change that lifts an exclusion or raises a limit waits for 24h; a pending change keeps its condition',
    )
    hours.wallet.clock.advance(86_400_000)
    expect(await hours.wallet.operator.request('PATCH', path, raise)).toMatchObject({ status: 202 })
    expect(await sentenceAbout(NAME, wallet.databaseUrl, {})).toContain('is made at once')
  })

  test('to hours makes a raise wait, and its removal applies the raise at once', async () => {
    const { wallet, change } = await walletWith({ [NAME]: '1h' })
    const { userId } = await playerWithMoney(wallet.operator)
    const path = await limited(wallet, userId)
    expect(await wallet.operator.request('PATCH', path, raise)).toMatchObject({ status: 202 })
    const after = await change(NAME, {})
    expect(after.said).toBe(
      'from now on a change that lifts an exclusion or raises a limit is made at once; the next request for a pending change makes it',
    )
    expect(await after.wallet.operator.request('PATCH', path, raise)).toMatchObject({ status: 200 })
  })
})

describe('a change of PURSER_CLAWBACK', () => {
  /** A bet whose payout has been spent, then a lower result. */
  async function spent(wallet: TestWallet, id: string) {
    const player = await playerWithMoney(wallet.operator, '10.00')
    const bet = { ...player, amount: 10, transactionId: id }
    await wallet.wire.place(bet)
    await wallet.wire.settle({ ...bet, amount: 20, resultType: 'won' })
    await wallet.wire.place({ ...bet, amount: 20, transactionId: `${id}-takes-all` })
    const lower = await wallet.wire.settle({ ...bet, amount: 0, resultType: 'lost' })
    return { userId: player.userId, lower, balance: await wallet.operator.balance(player.userId) }
  }

  test('to allow-negative takes the result, and the balance falls below zero', async () => {
    const { wallet, change } = await walletWith({})
    expect(await spent(wallet, 'the-first-bet')).toMatchObject({
      lower: { status: 400, body: { code: 21 } },
      balance: '0.00',
    })
    const after = await change('PURSER_CLAWBACK', { PURSER_CLAWBACK: 'allow-negative' })
    expect(after.said).toContain('is taken, and the balance falls below zero')
    expect(await spent(after.wallet, 'the-second-bet')).toMatchObject({ lower: { status: 200 }, balance: '-20.00' })
  })

  test('to refuse answers the result 400/21, and the audit reports a balance below zero until it is covered', async () => {
    const { wallet, change } = await walletWith({ PURSER_CLAWBACK: 'allow-negative' })
    const { userId } = await spent(wallet, 'the-first-bet')
    const after = await change('PURSER_CLAWBACK', {})
    expect(after.said).toContain('is answered 400/21; balances below zero stay, and the audit reports them')
    expect(await after.wallet.operator.balance(userId)).toBe('-20.00')
    await expect(after.wallet.auditIsClean()).rejects.toThrow('no balance is below zero')
    await after.wallet.operator.deposit(userId, '20.00')
    expect(await spent(after.wallet, 'the-second-bet')).toMatchObject({ lower: { status: 400, body: { code: 21 } } })
  })
})

describe('a change of PURSER_RESETTLE_WINDOW', () => {
  const DAYS = 86_400_000
  async function settled(wallet: TestWallet) {
    const player = await playerWithMoney(wallet.operator)
    const bet = { ...player, amount: 10, transactionId: 'a-settled-bet' }
    await wallet.wire.place(bet)
    await wallet.wire.settle({ ...bet, amount: 20, resultType: 'won' })
    return (again: TestWallet, amount: number) => again.wire.settle({ ...bet, amount, resultType: 'won' })
  }

  test('to none lets a final result change', async () => {
    const { wallet, change } = await walletWith({ PURSER_RESETTLE_WINDOW: '1' })
    const resettle = await settled(wallet)
    wallet.clock.advance(2 * DAYS)
    expect(await resettle(wallet, 21)).toMatchObject({ status: 400, body: { code: 20 } })
    const after = await change('PURSER_RESETTLE_WINDOW', {})
    expect(after.said).toBe('from now on no result becomes final; results that were final can be changed again')
    after.wallet.clock.advance(2 * DAYS)
    expect(await resettle(after.wallet, 22)).toMatchObject({ status: 200 })
  })

  test('to a duration makes an earlier result final', async () => {
    const { wallet, change } = await walletWith({})
    const resettle = await settled(wallet)
    const after = await change('PURSER_RESETTLE_WINDOW', { PURSER_RESETTLE_WINDOW: '1' })
    expect(after.said).toBe('from now on a result is final after 1 day, also of bets that are settled already')
    expect(await resettle(after.wallet, 21)).toMatchObject({ status: 200 })
    after.wallet.clock.advance(2 * DAYS)
    expect(await resettle(after.wallet, 22)).toMatchObject({ status: 400, body: { code: 20 } })
  })
})

test.each([
  ['player', 'promotions', 'the promotions account', ['90.00', '90.00', '190.00']],
  ['promotions', 'player', 'the player', ['100.00', '90.00', '90.00']],
] as const)(
  'a change of PURSER_FREEBET_STAKE from %s to %s lets %s pay new stakes, and a refund goes to the payer',
  async (from, to, whom, [first, second, third]) => {
    const { wallet, change } = await walletWith({ PURSER_FREEBET_STAKE: from })
    const player = await playerWithMoney(wallet.operator, '100.00')
    const bet = { ...player, amount: 10, bonusId: 7, transactionId: 'a-first-freebet' }
    await wallet.wire.place(bet)
    expect(await wallet.operator.balance(player.userId)).toBe(first)
    const after = await change('PURSER_FREEBET_STAKE', { PURSER_FREEBET_STAKE: to })
    expect(after.said).toBe(
      `the stakes of new bets with a bonusId above 0 are paid by ${whom}; existing bets keep their payer`,
    )
    await after.wallet.wire.place({ ...bet, transactionId: 'another-freebet' })
    expect(await after.wallet.operator.balance(player.userId)).toBe(second)
    await after.wallet.wire.rollback(bet)
    expect(await after.wallet.operator.balance(player.userId)).toBe(from === 'player' ? '100.00' : third)
  },
)

test.each([
  [false, true, 'operatorUser'],
  [true, false, 'userId'],
])(
  'a change of PURSER_BEHIND_AGGREGATOR from %s to %s lets calls name the %s, and a result finds no earlier bet',
  async (from, to, member) => {
    const { wallet, change } = await walletWith({ PURSER_BEHIND_AGGREGATOR: String(from) })
    const [own, other] = [await playerWithMoney(wallet.operator), await playerWithMoney(wallet.operator)]
    const bet = { ...own, userId: own.userId, amount: 10, transactionId: 'the-first-bet', operatorUser: other.userId }
    const place = (on: TestWallet, id: string) =>
      on.wire.place({ ...bet, transactionId: id, token: (on === wallet) === from ? other.token : own.token })
    expect(await place(wallet, 'the-first-bet')).toMatchObject({ status: 200 })
    const after = await change('PURSER_BEHIND_AGGREGATOR', { PURSER_BEHIND_AGGREGATOR: String(to) })
    expect(after.said).toContain(`calls name their player by ${member}.`)
    expect(await after.wallet.wire.settle({ ...bet, amount: 20, resultType: 'won' })).not.toMatchObject({ status: 200 })
    const player = member === 'userId' ? own : other
    const placed = await after.wallet.wire.place({ ...bet, token: player.token, transactionId: 'another-bet' })
    expect(placed).toMatchObject({ status: 200 })
    expect(await after.wallet.operator.balance(player.userId)).toBe('990.00')
  },
)

describe('a change of PURSER_SHARED_BETS', () => {
  const SECOND = toQualifiedBetId({ betId: 'one-and-the-same' as BetId, platform: 'best' })
  const of = (wallet: TestWallet, name: 'acme' | 'best') => partnerWire(wallet.url, `the-secret-of-${name}`)

  test('to true lets results of one platform reach the bets of another, and no bet ID@NAME', async () => {
    const { wallet, change } = await walletWith({})
    const player = await playerWithMoney(wallet.operator)
    const bet = { ...player, amount: 10, transactionId: 'one-and-the-same' }
    await of(wallet, 'acme').place(bet)
    await of(wallet, 'best').place(bet)
    const after = await change('PURSER_SHARED_BETS', { PURSER_SHARED_BETS: 'true' })
    expect(after.said).toContain(
      'reach the bets of another one. A bet that is stored as ID@NAME, because its id was in use, is no longer',
    )
    await of(after.wallet, 'best').settle({ ...bet, amount: 20, resultType: 'won' })
    expect(await after.wallet.operator.bet(player.userId, 'one-and-the-same')).toMatchObject({ status: 'settled' })
    expect(await after.wallet.operator.bet(player.userId, SECOND)).toMatchObject({ status: 'open' })
  })

  test('to false keeps results of one platform from the bets of another', async () => {
    const { wallet, change } = await walletWith({ PURSER_SHARED_BETS: 'true' })
    const player = await playerWithMoney(wallet.operator)
    const bet = { ...player, amount: 10, transactionId: 'one-and-the-same' }
    await of(wallet, 'acme').place(bet)
    const after = await change('PURSER_SHARED_BETS', {})
    expect(after.said).toContain('no longer reach the bets of another one')
    await of(after.wallet, 'best').settle({ ...bet, amount: 20, resultType: 'won' })
    expect(await after.wallet.operator.bet(player.userId, 'one-and-the-same')).toMatchObject({ status: 'open' })
  })
})

test('PURSER_CURRENCIES stores an amount with the decimals of the setting, or with those of ISO 4217', async () => {
  const { change } = await walletWith({ PURSER_CURRENCIES: 'USD:4' })
  const after = await change('PURSER_CURRENCIES', {})
  expect(after.said).toMatch(/^amounts are read and stored with the decimals of ISO 4217, and no other currencies/)
  const { userId } = await playerWithMoney(after.wallet.operator, '5.00', 'USD')
  const deposit = { currency: 'USD', amount: '5.0001', reference: 'more-decimals' }
  expect(await after.wallet.operator.request('POST', `/operator/players/${userId}/deposits`, deposit)).toMatchObject({
    status: 400,
  })
})
