/**
 * The wallet pays a result above the odds of the bet, or a bonus below the stake, and records an
 * anomaly (W-49).
 */
import { randomUUID } from 'node:crypto'
import { money } from '@purser/protocol/values/money'
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { computeOddsPayout, isAboveOdds } from '../../src/wallet/rules/odds-payout.ts'
import { rowsOf } from '../operator/answers.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'

describe('the payout from the odds of a bet', () => {
  test.each([
    [1_000n, { coefficient: 1.85 }, 1_850n],
    [1_001n, { coefficient: 1.85 }, 1_851n], // 1851.85
    [1_000n, { coefficient: 1.85, boosterCoefficient: 1.1 }, 2_035n],
    // 1210.0000000000002 as doubles
    [1_000n, { coefficient: 1.1, boosterCoefficient: 1.1 }, 1_210n],
    [1_000n, { coefficient: 2, boosterCoefficient: 1 }, 2_000n],
    [1_000n, { coefficient: 2, boosterCoefficient: 0 }, 2_000n],
    [1_000n, { coefficient: 2, boosterCoefficient: 0.5 }, 2_000n],
    [1_000n, { coefficient: 2, boosterCoefficient: null }, 2_000n],
    [1_000n, { coefficient: '2.50' }, 2_500n],
    // capped: no payout is larger
    [3n, { coefficient: 1e21 }, 3n * 10n ** 17n * 0n + 10n ** 18n - 1n],
    [999_999_999_999_999_999n, { coefficient: 1 }, 999_999_999_999_999_999n],
    [700_000_000_000_000_001n, { coefficient: 1.000001 }, 700_000_700_000_000_001n],
  ])('is for a stake of %s at %o at most %s', (stake, odds, payout) => {
    expect(computeOddsPayout(money(stake), odds)).toBe(payout)
  })

  test.each([undefined, null, 0, 0.99, -2, Number.NaN, Number.POSITIVE_INFINITY, '', 'two', true, {}, [2]])(
    'is unknown with the coefficient %o',
    (coefficient) => {
      expect(computeOddsPayout(money(1_000n), { coefficient, boosterCoefficient: 2 })).toBeNull()
    },
  )

  it('may exceed the product by one minor unit, because the platform may round up', () => {
    const above = (payout: bigint) => isAboveOdds(money(payout), { oddsPayout: money(1_850n) })
    expect([1_850n, 1_851n, 1_852n].map(above)).toEqual([false, false, true])
  })
})

describe('the wallet', () => {
  let wallet: TestWallet
  let player: { userId: string; token: string }

  beforeAll(async () => {
    wallet = await startWallet({ env: { PURSER_FREEBET_STAKE: 'promotions', PURSER_BUCKETS: '4' } })
    player = await playerWithMoney(wallet.operator, '100000.00', 'EUR', { currencies: ['EUR', 'JPY', 'BTC'] })
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  async function placed(over: object = {}): Promise<string> {
    const transactionId = randomUUID()
    const bet = { transactionId, ...player, amount: 10, coefficient: 1.85, boosterCoefficient: undefined }
    expect(await wallet.wire.place({ ...bet, ...over })).toMatchObject({ status: 200 })
    return transactionId
  }

  async function settled(transactionId: string, amount: number, over: object = {}): Promise<void> {
    const result = { transactionId, userId: player.userId, amount, resultType: 'won', ...over }
    expect(await wallet.wire.settle(result)).toMatchObject({ status: 200 })
  }

  const historyOf = async (transactionId: string) =>
    rowsOf(await wallet.operator.bet(player.userId, transactionId), 'history')
  const anomaliesOf = async (transactionId: string) =>
    (await historyOf(transactionId)).map(({ operation, anomaly }) => anomaly && `${operation} ${anomaly}`)

  it.each([
    ['what the odds pay', {}, 18.5, {}, false],
    ['a cent above', {}, 18.51, {}, false],
    ['two cents above', {}, 18.52, {}, true],
    ['ten times the odds', {}, 185, {}, true],
    ['above the odds with a boost that pays it', { boosterCoefficient: 1.5 }, 27.75, {}, false],
    ['above the boost', { boosterCoefficient: 1.5 }, 27.77, {}, true],
    ['anything without a coefficient', { coefficient: undefined }, 9_999, {}, false],
    ['a refund', { coefficient: 1 }, 10, { resultType: 'refund' }, false],
    ['a refund above the stake and the odds', {}, 20, { resultType: 'refund' }, true],
    ['a cashout below', {}, 12, { resultType: 'cashout', token: true }, false],
    ['a cashout above', {}, 19, { resultType: 'cashout', token: true }, true],
  ])(
    'pays a Settle with %s, and notes a payout above the odds',
    async (_, over, amount, { token, ...result }: Result, isNoted) => {
      const bet = await placed(over)
      await settled(bet, amount, { ...result, ...(token && { token: player.token }) })
      expect(await wallet.operator.bet(player.userId, bet)).toMatchObject({
        status: 'settled',
        payout: amount.toFixed(2),
      })
      expect(await anomaliesOf(bet)).toEqual([undefined, isNoted ? 'settle payout_above_odds' : undefined])
    },
  )
  type Result = { resultType?: string; token?: boolean }

  it('compares each corrected payout with the odds, and no repeat', async () => {
    const bet = await placed()
    const first = { requestId: randomUUID() }
    await settled(bet, 185, first)
    await settled(bet, 185, first)
    await settled(bet, 18.5)
    await settled(bet, 20)
    await settled(bet, 0, { resultType: 'lost' })
    const above = 'settle payout_above_odds'
    expect(await anomaliesOf(bet)).toEqual([undefined, above, undefined, undefined, above, undefined])
  })

  it('notes a payout above the odds before it notes that a lost bet was paid', async () => {
    const bet = await placed()
    await settled(bet, 20, { resultType: 'lost' })
    expect(await anomaliesOf(bet)).toEqual([undefined, 'settle payout_above_odds'])
  })

  it('uses the bonusAmount of a freebet without a stake', async () => {
    const free = { amount: 0, bonusId: 7, bonusAmount: 10, coefficient: 2 }
    const [fine, above, unknown] = [
      await placed(free),
      await placed(free),
      await placed({ ...free, bonusAmount: null }),
    ]
    await settled(fine, 20)
    await settled(above, 21)
    await settled(unknown, 500)
    expect(await Promise.all([fine, above, unknown].map(anomaliesOf))).toEqual([
      [undefined, undefined],
      [undefined, 'settle payout_above_odds'],
      [undefined, undefined],
    ])
  })

  it.each([
    [4.99, 'place bonus_below_stake'],
    [5, undefined],
    [10, undefined],
    [null, undefined],
  ])('notes a bet that promotions fund with a bonus of %s for a stake of 5', async (bonusAmount, anomaly) => {
    const bet = await placed({ amount: 5, bonusId: 7, bonusAmount })
    expect(await anomaliesOf(bet)).toEqual([anomaly])
    await settled(bet, 0, { resultType: 'lost' })
    const shown = (await historyOf(bet)).map(({ operation, transfers }) => [operation, (transfers as []).length])
    expect(shown).toEqual([
      ['place', 1],
      ['settle', 1],
    ])
  })

  it('notes no bonus that the player’s own money does not need', async () => {
    expect(await anomaliesOf(await placed({ amount: 5, bonusId: null, bonusAmount: 1 }))).toEqual([undefined])
  })

  it('lists such payouts with the stake and the payout from the odds', async () => {
    const bet = await placed()
    await settled(bet, 185)
    const { body } = await wallet.operator.request('GET', '/operator/anomalies?limit=1')
    const [row] = rowsOf(body, 'data')
    expect(row).toMatchObject({ transactionId: bet, anomaly: 'payout_above_odds', amount: '185.00', currency: 'EUR' })
    expect(row).toMatchObject({ stake: '10.00', oddsPayout: '18.50' })
  })
})
