// An amount is exact in the scale of its currency or rejected, and never rounded (M-1, M-2).
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectDone, expectRefused } from './answers.ts'
import { messageOf, sendText } from './messages.ts'
import { jsonText, spelled } from './raw-json.ts'
import {
  balanceOf,
  type Column,
  callOf,
  deliver,
  methodOf,
  must,
  newScene,
  nextBet,
  type Scene,
  stateOf,
} from './scene.ts'

let wallet: TestWallet
function walletWith(env: Record<string, string>): void {
  beforeAll(async () => {
    wallet = await startWallet({ env })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })
}

/** Sends an amount in exactly this spelling. */
function sendAmount(scene: Scene, column: Column, currency: string, amount: string, over = {}) {
  const text = jsonText({ ...callOf(scene, column, { currency, ...over }), amount: spelled(amount) })
  return wallet.wire.call(methodOf(column), '/payment/bet', text)
}

/** The smallest amount, an amount with one decimal too many, and the form of balances. */
const scales = [
  { currency: 'EUR', deposit: '10.00', least: '0.01', tooFine: '0.001', left: '9.99' },
  { currency: 'USD', deposit: '10.00', least: '0.01', tooFine: '0.009', left: '9.99' },
  { currency: 'JPY', deposit: '10', least: '1', tooFine: '0.1', left: '9' },
  { currency: 'KRW', deposit: '10', least: '1', tooFine: '1.5', left: '9' },
  { currency: 'KWD', deposit: '10.000', least: '0.001', tooFine: '0.0001', left: '9.999' },
  { currency: 'TND', deposit: '10.000', least: '0.001', tooFine: '0.0005', left: '9.999' },
  { currency: 'CLF', deposit: '10.0000', least: '0.0001', tooFine: '0.00001', left: '9.9999' },
] as const

/** The currencies of M-2 that are not in ISO 4217. */
const crypto = [
  { currency: 'USDT', deposit: '10.000000', least: '0.000001', tooFine: '0.0000001', left: '9.999999' },
  { currency: 'BTC', deposit: '10.00000000', least: '0.00000001', tooFine: '0.000000001', left: '9.99999999' },
] as const
const configured = [
  { currency: 'EUR', deposit: '10.0000', least: '0.0001', tooFine: '0.00001', left: '9.9999' },
  { currency: 'PTS', deposit: '10', least: '1', tooFine: '0.5', left: '9' },
  { currency: 'USD', deposit: '10.00', least: '0.01', tooFine: '0.001', left: '9.99' },
] as const

function itKeepsTheScale({
  currency,
  deposit,
  least,
  tooFine,
  left,
}: { [name in keyof (typeof scales)[0]]: string }): void {
  it(`${currency}: ${least} is exact in every call of a bet`, async () => {
    const scene = await newScene(wallet, { amount: deposit, currency })
    expectDone(await sendAmount(scene, 'place', currency, least), scene.betId)
    expect(await balanceOf(scene, currency)).toBe(left)
    expectDone(await sendAmount(scene, 'settle', currency, least), scene.betId)
    expect(await balanceOf(scene, currency)).toBe(deposit)
    await must(scene, 'unsettle', { currency, amount: undefined })
    await must(scene, 'rollback', { currency, amount: undefined })
    expect(await balanceOf(scene, currency)).toBe(deposit)
  })

  it(`${currency}: ${tooFine} is rejected with code 5 as stake and as payout`, async () => {
    const scene = await newScene(wallet, { amount: deposit, currency })
    expectRefused(await sendAmount(scene, 'place', currency, tooFine), 5)
    expect(await stateOf(scene)).toBe('nothing')
    expectDone(await sendAmount(scene, 'place', currency, least), scene.betId)
    expectRefused(await sendAmount(scene, 'settle', currency, tooFine), 5)
    expect(await stateOf(scene)).toBe('open')
    expect(await balanceOf(scene, currency)).toBe(left)
  })

  it(`${currency}: a negative amount, a text and too many digits are rejected with code 5`, async () => {
    const scene = await newScene(wallet, { amount: deposit, currency })
    for (const amount of [
      `-${least}`,
      `"${least}"`,
      '-0',
      '1234567890123456',
      '0.12345678901234567',
      '1e400',
      '1e-400',
    ]) {
      expectRefused(await sendAmount(scene, 'place', currency, amount), 5)
    }
    expect(await balanceOf(scene, currency)).toBe(deposit)
  })
}

describe('the wallet uses the scales of ISO 4217:', () => {
  walletWith({})
  for (const scale of scales) itKeepsTheScale(scale)

  it.each(['QQQ', 'XXXXX', 'PTS'])('%s is no currency of the wallet', async (currency) => {
    const player = { userId: `player-${randomUUID()}`, currency, currencies: [currency] }
    const { status } = await wallet.operator.request('POST', '/operator/players', player)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })
})

describe('with PURSER_CURRENCIES=USDT:6,BTC:8,EUR:4,PTS:0', () => {
  walletWith({ PURSER_CURRENCIES: 'USDT:6,BTC:8,EUR:4,PTS:0' })
  for (const scale of [...crypto, ...configured]) itKeepsTheScale(scale)

  it('33.333 twice is exact (K23)', async () => {
    const scene = await newScene(wallet, { amount: '100.0000' })
    for (const bet of [scene, nextBet(scene)]) expectDone(await sendAmount(bet, 'place', 'EUR', '33.333'), bet.betId)
    expect(await balanceOf(scene)).toBe('33.3340')
  })

  it('99,999,999.995 is exact (K23)', async () => {
    const scene = await newScene(wallet, { amount: '0.0050' })
    await must(scene, 'place', { amount: 0.005 })
    expectDone(await sendAmount(scene, 'settle', 'EUR', '99999999.995'), scene.betId)
    expect(await balanceOf(scene)).toBe('99999999.9950')
  })

  it('a satoshi is kept in a balance of a million bitcoin (case 36)', async () => {
    const scene = await newScene(wallet, { amount: '1234567.00000001', currency: 'BTC' })
    expectDone(await sendAmount(scene, 'place', 'BTC', '1234567'), scene.betId)
    expect(await balanceOf(scene, 'BTC')).toBe('0.00000001')
    expectDone(await sendAmount(scene, 'settle', 'BTC', '1234567.12345678'), scene.betId)
    expect(await balanceOf(scene, 'BTC')).toBe('1234567.12345679')
  })
})

describe('decimal fractions without an exact binary value stay exact:', () => {
  walletWith({})

  it('0.1 ten times is 1 (K23)', async () => {
    const scene = await newScene(wallet, { amount: '1.00' })
    for (let round = 0; round < 10; round++) {
      const bet = nextBet(scene)
      expectDone(await sendAmount(bet, 'place', 'EUR', '0.1'), bet.betId)
    }
    expect(await balanceOf(scene)).toBe('0.00')
    expectRefused(await sendAmount(scene, 'place', 'EUR', '0.01'), 7)
  })

  it('0.1 + 0.2 is 0.3 (case 35)', async () => {
    const scene = await newScene(wallet, { amount: '0.30' })
    for (const amount of ['0.1', '0.2'])
      expectDone(await sendAmount(nextBet(scene), 'place', 'EUR', amount), expect.any(String))
    expect(await balanceOf(scene)).toBe('0.00')
  })

  it('every cent from 0.01 to 1.00, sent as a number, is that many cents', async () => {
    const scene = await newScene(wallet, { amount: '50.50' })
    for (let cents = 1; cents <= 100; cents++) {
      const bet = nextBet(scene)
      expectDone(
        await sendText(bet, 'place', JSON.stringify({ ...messageOf(bet, 'place'), amount: cents / 100 })),
        bet.betId,
      )
    }
    expect(await balanceOf(scene)).toBe('0.00')
  })

  it.each(['33.333', '99999999.995', '10.005', '0.019999999999999'])(
    '%s is rejected with code 5, not rounded',
    async (amount) => {
      const scene = await newScene(wallet, { amount: '999999999.00' })
      expectRefused(await sendAmount(scene, 'place', 'EUR', amount), 5)
      await must(scene, 'place')
      expectRefused(await sendAmount(scene, 'settle', 'EUR', amount), 5)
      expect(await balanceOf(scene)).toBe('999999899.00')
    },
  )
})

describe('large amounts stay exact:', () => {
  walletWith({})

  it('a bet that wins 120,000,000 is paid and taken back exactly (K23)', async () => {
    const scene = await newScene(wallet, { amount: '120000000.01' })
    await must(scene, 'place', { amount: 120_000_000 })
    expect(await balanceOf(scene)).toBe('0.01')
    expectDone(await sendAmount(scene, 'settle', 'EUR', '240000000.99'), scene.betId)
    expect(await balanceOf(scene)).toBe('240000001.00')
    await must(scene, 'unsettle', { amount: 240_000_000.99, currency: undefined })
    // large in the scale of every currency
    await must(scene, 'rollback', { amount: 120_000_000, currency: undefined })
    expect(await balanceOf(scene)).toBe('120000000.01')
  })

  it.each([
    ['1234567890123.45', '1000000000000.00', '2234567890123.45'],
    ['9999999999999.99', '1000000000000.00', '10999999999999.99'],
    ['0.99', '1000000000000.00', '1000000000000.99'],
  ])('a payout of %s (up to 15 digits) on %s leaves %s', async (payout, balance, left) => {
    const scene = await newScene(wallet, { amount: '1000000000100.00' })
    await must(scene, 'place')
    expect(await balanceOf(scene)).toBe(balance)
    expectDone(await sendAmount(scene, 'settle', 'EUR', payout), scene.betId)
    expect(await balanceOf(scene)).toBe(left)
  })

  it('15 digits of JPY are exact, and 16 are rejected with code 5', async () => {
    const scene = await newScene(wallet, { amount: '100', currency: 'JPY' })
    expectDone(await sendAmount(scene, 'place', 'JPY', '100'), scene.betId)
    expectRefused(await sendAmount(scene, 'settle', 'JPY', '1234567890123456'), 5)
    expectDone(await sendAmount(scene, 'settle', 'JPY', '123456789012345'), scene.betId)
    expect(await balanceOf(scene, 'JPY')).toBe('123456789012345')
  })

  it.each(['1e15', '1e300', '999999999999999e10', '1e18'])(
    'a payout of %s, which exceeds the range of money, pays nothing',
    async (payout) => {
      const scene = await newScene(wallet)
      await must(scene, 'place')
      const answer = await sendAmount(scene, 'settle', 'EUR', payout)
      if (answer.status === 200)
        expect(payout).toBe('1e15') // 15 digits and one more, which the ledger can still store
      else expectRefused(answer, 5)
    },
  )

  it('payouts that together exceed the range of a balance are rejected, never wrapped', async () => {
    const scene = await newScene(wallet)
    for (let round = 0; round < 12; round++) {
      const bet = nextBet(scene)
      await must(bet, 'place', { amount: 1 })
      const answer = await sendAmount(bet, 'settle', 'EUR', '9.99e15')
      expect([200, 400, 500]).toContain(answer.status)
      expect(await balanceOf(scene)).toMatch(/^\d+\.\d\d$/)
    }
  })
})

describe('two currencies of one player', () => {
  walletWith({})

  it('are separate: a bet in USD leaves the EUR balance unchanged (K24)', async () => {
    const scene = await newScene(wallet, { amount: '10.00' })
    await wallet.operator.deposit(scene.userId, '70.00', 'USD')
    const token = await wallet.operator.session(scene.userId, { currency: 'USD' })
    await must(scene, 'place', { currency: 'USD', amount: 60, token })
    expect([await balanceOf(scene, 'EUR'), await balanceOf(scene, 'USD')]).toEqual(['10.00', '10.00'])
    expectRefused(await deliver(nextBet(scene), 'place', { currency: 'USD', amount: 10.01, token }), 7)
    await must(scene, 'rollback', { currency: 'USD' })
    expect([await balanceOf(scene, 'EUR'), await balanceOf(scene, 'USD')]).toEqual(['10.00', '70.00'])
  })
})
