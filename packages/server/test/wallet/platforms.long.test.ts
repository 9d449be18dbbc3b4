/**
 * Several platforms can call one wallet (W-43). Each platform has its own bets, even with equal
 * ids, with and without the fast path.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type JsonObject, type PartnerWire, partnerWire } from '../support/wire.ts'
import { answered, expectDone, timeOf } from './answers.ts'

const SECRETS = { acme: 'secret-of-acme', old: 'old-secret-of-acme', best: 'secret-of-best' } as const
const NAMED = `acme:${SECRETS.acme},best:${SECRETS.best},acme:${SECRETS.old}`

type Bet = {
  userId: string
  token: string
  transactionId: string
  amount: number
}

describe.each(['on', 'off'])('with the fast path %s', (fastPath) => {
  let wallet: TestWallet
  let acme: PartnerWire
  let best: PartnerWire

  beforeAll(async () => {
    wallet = await startWallet({ env: { PARTNER_SECRETS: NAMED, PURSER_FAST_PATH: fastPath, PURSER_BUCKETS: '2' } })
    acme = partnerWire(wallet.url, SECRETS.acme)
    best = partnerWire(wallet.url, SECRETS.best)
  })
  afterAll(async () => {
    await wallet.auditIsClean()
    await wallet.stop()
  })

  const newBet = async (): Promise<Bet> => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    return { userId, token, transactionId: randomUUID(), amount: 10 }
  }
  const balance = ({ userId }: Bet) => wallet.operator.balance(userId, 'EUR')
  const view = async ({ userId, transactionId }: Bet, suffix = '') => {
    const path = `/operator/players/${userId}/bets/${encodeURIComponent(transactionId + suffix)}`
    const { status, body } = await wallet.operator.request('GET', path)
    return status === 200 ? (body as JsonObject) : undefined
  }
  const won = (bet: Bet, amount: number) => ({ ...bet, token: undefined, amount, resultType: 'won' })

  test('a result from another platform finds no bet, and the bet does not change', async () => {
    const bet = await newBet()
    expectDone(await acme.place(bet), bet.transactionId)
    for (const other of [best, wallet.wire]) {
      expect(answered(await other.settle(won(bet, 50)))).toBe(5)
      expect(answered(await other.unsettle(bet))).toBe(5)
      expect(answered(await other.check(bet))).toBe(5)
    }
    expect(await balance(bet)).toBe('90.00')
    expect(await view(bet)).toMatchObject({ status: 'open', platform: 'acme', history: [{ operation: 'place' }] })
    expectDone(await acme.settle(won(bet, 25)), bet.transactionId)
    expect(await balance(bet)).toBe('115.00')
    expect(answered(await best.unsettle(bet))).toBe(5)
    expect(await balance(bet)).toBe('115.00')
  })

  test('a rollback from another platform creates its own tombstone, and refunds no stake', async () => {
    const bet = await newBet()
    await acme.place(bet)
    const first = await best.rollback(bet)
    expectDone(first, bet.transactionId)
    expect(timeOf(await best.rollback({ ...bet, requestId: randomUUID() }))).toBe(timeOf(first))
    expect(await balance(bet)).toBe('90.00')
    expect(answered(await best.place(bet))).toBe(8)
    expectDone(await acme.settle(won(bet, 5)), bet.transactionId)
    expect(answered(await best.rollback(bet))).toBe(200)
    expect(answered(await acme.rollback(bet))).toBe(8)
    expect(await balance(bet)).toBe('95.00')
  })

  test('a tombstone of one platform rejects no bet of another platform', async () => {
    const bet = await newBet()
    expectDone(await best.rollback(bet), bet.transactionId)
    expectDone(await wallet.wire.rollback(bet), bet.transactionId)
    expectDone(await acme.place(bet), bet.transactionId)
    expect(answered(await best.place(bet))).toBe(8)
    expect(answered(await wallet.wire.place(bet))).toBe(8)
    expectDone(await acme.settle(won(bet, 30)), bet.transactionId)
    expect(await balance(bet)).toBe('120.00')
  })

  test('two platforms’ bets with one id have separate lives', async () => {
    const bet = await newBet()
    await acme.place(bet)
    expectDone(await best.place({ ...bet, amount: 20 }), bet.transactionId)
    expect(answered(await best.place({ ...bet, amount: 20 }))).toBe(200)
    expect(answered(await best.place(bet))).toBe(8)
    expect(await balance(bet)).toBe('70.00')
    expectDone(await best.settle(won(bet, 50)), bet.transactionId)
    expectDone(await best.settle(won(bet, 40)), bet.transactionId)
    expect((await acme.check(bet)).body).toMatchObject({ type: 1, amount: 10 })
    expect((await best.check(bet)).body).toMatchObject({ type: 2, amount: 40, transactionId: bet.transactionId })
    expectDone(await best.unsettle(bet), bet.transactionId)
    expectDone(await best.rollback(bet), bet.transactionId)
    expectDone(await acme.settle(won(bet, 0)), bet.transactionId)
    expect(await balance(bet)).toBe('90.00')
    expect(await view(bet)).toMatchObject({ status: 'settled', platform: 'acme' })
    expect(await view(bet, '@best')).toMatchObject({ status: 'cancelled', platform: 'best', stake: '20.00' })
  })

  test('two platforms’ bets with one id are both placed at the same time, also with the shortest id', async () => {
    const bet = { ...(await newBet()), transactionId: '0123456789' }
    const answers = await Promise.all([acme, best, wallet.wire].map((wire) => wire.place(bet)))
    expect(answers.map(answered)).toEqual([200, 200, 200])
    expect(await balance(bet)).toBe('70.00')
    const results = await Promise.all([acme, best, wallet.wire].map((wire) => wire.settle(won(bet, 1))))
    expect(results.map(answered)).toEqual([200, 200, 200])
    expect(await balance(bet)).toBe('73.00')
  })

  test('no id that a platform can send equals the id of another platform’s bet', async () => {
    const bet = { ...(await newBet()), transactionId: 'short-bet-id' }
    const squatting = { ...bet, transactionId: 'short-bet-id@best' }
    expectDone(await acme.place(squatting), squatting.transactionId)
    expectDone(await acme.place(bet), bet.transactionId)
    expectDone(await best.place(bet), bet.transactionId)
    expectDone(await best.settle(won(bet, 2)), bet.transactionId)
    expect(await view(squatting)).toMatchObject({ status: 'open', platform: 'acme' })
    expect(await balance(bet)).toBe('72.00')
  })

  test('a named platform has several secrets during a rotation', async () => {
    const bet = await newBet()
    await acme.place(bet)
    expectDone(await partnerWire(wallet.url, SECRETS.old).settle(won(bet, 30)), bet.transactionId)
    expect(await balance(bet)).toBe('120.00')
  })

  test('bets, calls and days are found by the name of the platform', async () => {
    const bet = await newBet()
    await best.place(bet)
    await best.settle(won(bet, 3))
    const { body: bets } = await wallet.operator.request('GET', `/operator/bets?platform=best&userId=${bet.userId}`)
    expect(bets).toMatchObject({ data: [{ transactionId: bet.transactionId, platform: 'best' }] })
    const { body: none } = await wallet.operator.request('GET', `/operator/bets?platform=acme&userId=${bet.userId}`)
    expect(none).toMatchObject({ data: [] })
    const { body: all } = await wallet.operator.request('GET', '/operator/bets?platform=best&status=settled&limit=1')
    expect(all).toMatchObject({ data: [{ transactionId: bet.transactionId }] })
    const calls = () => wallet.operator.request('GET', `/operator/calls?platform=best&player=${bet.userId}`)
    await expect
      .poll(async () => (await calls()).body)
      .toMatchObject({
        data: [{ operation: 'settle', platform: 'best' }, { operation: 'place' }],
      })
    const today = wallet.clock.now().toISOString().slice(0, 10)
    const { body } = await wallet.operator.request('GET', `/operator/reports/daily?from=${today}&platform=best`)
    expect(body).toMatchObject({ data: [{ platform: 'best', sum: '0.00', deposits: '0.00' }] })
  })
})

describe.each(['on', 'off'])('with shared bet ids and the fast path %s', (fastPath) => {
  test('each platform settles bets of the other platforms, and the owner of a bet does not change', async () => {
    const env = { PARTNER_SECRETS: NAMED, PURSER_FAST_PATH: fastPath, PURSER_SHARED_BETS: 'true' }
    const wallet = await startWallet({ env })
    const [acme, best] = [partnerWire(wallet.url, SECRETS.acme), partnerWire(wallet.url, SECRETS.best)]
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00', 'EUR')
    const bet = { userId, token, transactionId: randomUUID(), amount: 10 }
    expectDone(await acme.place(bet), bet.transactionId)
    expect(answered(await best.place(bet))).toBe(200)
    expectDone(await best.settle({ ...bet, amount: 25, resultType: 'won' }), bet.transactionId)
    expect((await wallet.wire.check(bet)).body).toMatchObject({ type: 2, amount: 25 })
    expect(await wallet.operator.balance(userId, 'EUR')).toBe('115.00')
    const { body } = await wallet.operator.request('GET', `/operator/bets?transactionId=${bet.transactionId}`)
    expect(body).toMatchObject({ data: [{ platform: 'acme', status: 'settled' }] })
    await wallet.auditIsClean()
    await wallet.stop()
  })
})
