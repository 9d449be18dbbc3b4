// A wallet of 64 buckets with one player each, who differ only in the payout of their first bet.
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { bucketOf } from '../../src/wallet/store/bucket.ts'
import { DAY_MS } from '../archive/archive-fixtures.ts'
import { betIdOf } from '../reconcile/books.ts'
import { playerWithMoney } from '../support/operator.ts'
import type { TestWallet } from '../support/wallet.ts'
import { answered } from '../wallet/answers.ts'

export const BUCKETS = 64
export const ALL = Array.from({ length: BUCKETS }, (_, bucket) => bucket)
export const SOME = [0, 31, 63]
/** Days; the journal keeps 14. */
export const OLD_DAYS = 12
export const ARCHIVED_DAYS = 9

function inBucket(prefix: string, bucket: number): string {
  for (let n = 0; ; n += 1) if (bucketOf(`${prefix}-${n}`, BUCKETS) === bucket) return `${prefix}-${n}`
}

export const PLAYERS = ALL.map((bucket) => inBucket('player', bucket))
export const IMPORTED = ALL.map((bucket) => inBucket('imported', bucket))
export const player = (bucket: number) => PLAYERS[bucket] as string
/** These players have neither money nor bets, so that they can be erased. */
export const LEAVERS = SOME.map((bucket) => inBucket('leaver', bucket))
export const won = (bucket: number) => betIdOf(1 + bucket * 3)
const cancelled = (bucket: number) => betIdOf(2 + bucket * 3)
export const open = (bucket: number) => betIdOf(3 + bucket * 3)
/** No two bets pay the same amount, so that a wrong sum identifies the missing one. */
export const payout = (bucket: number) => 11 + bucket

export async function seed(wallet: TestWallet): Promise<void> {
  wallet.clock.advance(-OLD_DAYS * DAY_MS)
  for (const bucket of ALL) await longAgo(wallet, bucket)
  wallet.clock.advance(OLD_DAYS * DAY_MS)
  for (const bucket of ALL) await today(wallet, bucket)
  for (const userId of LEAVERS) {
    await wallet.operator.createPlayer({ userId })
    expect(answered(await wallet.wire.profile(await wallet.operator.session(userId)))).toBe(200)
  }
}

/** The player makes seven transfers, six on the player's account; the platform makes four calls. */
async function longAgo({ wire, operator }: TestWallet, bucket: number): Promise<void> {
  const of = await playerWithMoney(operator, '100.00', 'EUR', { userId: player(bucket) })
  const [first, second] = [
    { ...of, transactionId: won(bucket) },
    { ...of, transactionId: cancelled(bucket) },
  ]
  for (const reply of [
    await wire.place({ ...first, amount: 10 }),
    await wire.settle({ ...first, amount: payout(bucket), resultType: 'won' }),
    await wire.place({ ...second, amount: 5 }),
    await wire.rollback({ ...second, amount: 5, errorCode: 52 }),
  ])
    expect(answered(reply)).toBe(200)
  const adjustment = { currency: 'EUR', amount: '1.50', reference: randomUUID(), reason: 'a jackpot' }
  const path = `/operator/players/${player(bucket)}/adjustments`
  expect(await operator.request('POST', path, adjustment)).toMatchObject({ status: 201 })
}

/** An open bet makes one transfer and one call. */
async function today({ wire, operator }: TestWallet, bucket: number): Promise<void> {
  const token = await operator.session(player(bucket))
  const bet = { userId: player(bucket), token, currency: 'EUR', transactionId: open(bucket), amount: 2 }
  expect(answered(await wire.place(bet))).toBe(200)
}
