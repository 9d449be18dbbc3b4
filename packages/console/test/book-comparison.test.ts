/**
 * The page Finance compares the bets of a day at wallet and platform. It finds matches,
 * differences, and bets of one side only.
 */

import { toWalletSide, type WalletBetView } from 'purser/reconcile/bet-sides'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  compareBooks,
  type PlatformBetRow,
  parsePlatformFile,
  toPlatformSide,
} from '../src/pages/money/book-comparison.ts'
import { compareDay } from '../src/pages/money/book-reader.ts'

const ours = (over: Partial<WalletBetView> & { transactionId: string }) =>
  toWalletSide({ userId: 'ann', status: 'open', currency: 'EUR', stake: '10.00', ...over })
const won = { status: 'settled', payout: '21.00', resultType: 'won' } as const
const HEAD = ['player', 'betId', 'status', 'currency', 'stake', 'resultType', 'payout']
const file = (...rows: string[][]) => parsePlatformFile('bets.csv', [HEAD, ...rows])

describe('the comparison of two books', () => {
  test('finds matches, differences and missing bets, and ignores bets without money', () => {
    const theirs = file(
      ['ann', 'bet-matched', 'settled', 'EUR', '10.0', 'won', '21'],
      ['ann', 'bet-differs', 'settled', 'EUR', '10.00', 'won', '22.00'],
      ['ann', 'bet-theirs', 'open', 'EUR', '10.00', '', ''],
      ['ann', 'bet-declined', 'declined', 'EUR', '10.00', '', ''],
    )
    const mine = [
      ours({ transactionId: 'bet-matched', ...won }),
      ours({ transactionId: 'bet-differs', ...won }),
      ours({ transactionId: 'bet-ours' }),
      ours({ transactionId: 'bet-refused', status: 'refused' }),
    ]
    const { differs, onlyOurs, onlyTheirs, ...counts } = compareBooks(mine, theirs)
    expect(counts).toEqual({ matched: 1, inFlight: 0 })
    expect(differs).toMatchObject([
      { kind: 'payout', betId: 'bet-differs', platform: '22.00 EUR', wallet: '21.00 EUR' },
    ])
    expect(onlyOurs.map(({ betId }) => betId)).toEqual(['bet-ours'])
    expect(onlyTheirs.map(({ betId }) => betId)).toEqual(['bet-theirs'])
  })
  test('counts a bet with a call in flight as neither matched nor different', () => {
    const bet = { betId: 'bet-1', partnerId: 'acme', userId: 'ann', amount: '10.00', currency: 'EUR', ...won }
    const open = [ours({ transactionId: 'bet-1' })]
    expect(compareBooks(open, [toPlatformSide(bet)]).differs).toHaveLength(1)
    const waiting = compareBooks(open, [
      toPlatformSide({ ...bet, deliveries: [{ status: 'done' }, { status: 'pending' }] }),
    ])
    expect(waiting).toMatchObject({ matched: 0, inFlight: 1, differs: [] })
    const overtaken = compareBooks(
      [],
      [toPlatformSide({ ...bet, status: 'cancelled', deliveries: [{ status: 'unknown' }, { status: 'pending' }] })],
    )
    expect(overtaken).toMatchObject({ inFlight: 1, onlyTheirs: [] })
    const placing = compareBooks([], [toPlatformSide({ ...bet, status: 'placing' })])
    expect(placing).toMatchObject({ inFlight: 1, onlyTheirs: [] })
  })
  test('counts a bet that a person holds up as different, since no call is in flight', () => {
    const bet = { betId: 'bet-1', partnerId: 'acme', userId: 'ann', amount: '10.00', currency: 'EUR', ...won }
    const open = [ours({ transactionId: 'bet-1' })]
    const since = { needsAttentionSince: '2026-11-27T10:00:00.000Z' }
    const differ = (...deliveries: NonNullable<PlatformBetRow['deliveries']>) =>
      compareBooks(open, [toPlatformSide({ ...bet, deliveries })]).differs.length
    expect(differ({ status: 'done' }, { status: 'stuck' }, { status: 'waiting' }), 'behind what was given up').toBe(1)
    expect(differ({ status: 'pending', code: 6, ...since }), 'C-5').toBe(1)
    expect(differ({ status: 'pending', ...since }), 'W-48').toBe(1)
    expect(differ({ status: 'pending', ...since }, { status: 'waiting' }), 'W-48, and another decision').toBe(0)
  })
  test('finds a player whom the platform knows by another name by the operator’s name', () => {
    const bet = {
      betId: 'bet-1',
      partnerId: 'acme',
      userId: 'agg-7',
      operatorUser: 'ann',
      status: 'accepted',
      amount: '10.00',
      currency: 'EUR',
    }
    expect(compareBooks([ours({ transactionId: 'bet-1' })], [toPlatformSide(bet)])).toMatchObject({ matched: 1 })
  })
})

describe('the second check of a difference', () => {
  afterEach(() => vi.unstubAllGlobals())
  const asked = { day: '2026-11-27', platform: '/platform', name: '' }
  const id = '5b0b2d64-0f0e-4c5e-9d3c-6c1d0f3f7a01'
  const bet = { betId: id, partnerId: 'acme', userId: 'ann', amount: '10.00', currency: 'EUR' }
  const accepted = { ...bet, status: 'accepted', deliveries: [{ status: 'done' }] }
  const settled = { ...bet, ...won, deliveries: [{ status: 'done' }, { status: 'done' }] }
  const view = { userId: 'ann', transactionId: id, status: 'open', currency: 'EUR', stake: '10.00' }

  /**
   * Both servers give these answers in order, and the last one again. The platform's list is from
   * the first comparison.
   */
  function servers(theirs: readonly (object | number)[], ours: readonly object[]) {
    const left = { theirs: [...theirs], ours: [...ours] }
    const next = <A>(answers: A[]) => (answers.length > 1 ? answers.shift() : answers[0])
    vi.stubGlobal('fetch', async (path: string) => {
      if (path.startsWith('/operator/bets')) return Response.json({ data: [next(left.ours)], next: null })
      const now = next(left.theirs)
      if (typeof now === 'number') return Response.json({ detail: 'the database is away' }, { status: now })
      return Response.json(path.startsWith('/platform/bets?') ? { data: [now], next: null } : now)
    })
  }

  test('counts a bet that moved in the meantime as in flight', async () => {
    servers([settled, { ...settled, deliveries: [{ status: 'done' }, { status: 'pending' }] }, settled], [view])
    expect(await compareDay(asked)).toMatchObject({ inFlight: 1, matched: 0, differs: [] })
  })
  test('compares a bet that cannot move only once', async () => {
    const stake = { ...view, stake: '12.00', ...won }
    servers([accepted, accepted, { ...settled, payout: '21.00' }], [stake])
    const { differs, onlyOurs, onlyTheirs } = await compareDay(asked)
    expect([differs.map(({ kind }) => kind), onlyOurs, onlyTheirs]).toEqual([['stake'], [], []])
  })
  test('reports both differences of a bet', async () => {
    servers([settled], [{ ...view, stake: '12.00' }])
    const { differs, onlyOurs, inFlight } = await compareDay(asked)
    expect([differs.map(({ kind }) => kind), onlyOurs, inFlight]).toEqual([['status', 'stake'], [], 0])
  })
  test('reports a bet that did not move, and matches one that has settled', async () => {
    servers([settled], [view])
    expect(await compareDay(asked)).toMatchObject({ inFlight: 0, differs: [{ kind: 'status', betId: id }] })
    servers([settled], [view, { ...view, ...won }])
    expect(await compareDay(asked)).toMatchObject({ inFlight: 0, matched: 1, differs: [] })
  })
  test('reports no bet of a platform that does not answer', async () => {
    servers([settled, 503], [view])
    await expect(compareDay(asked)).rejects.toThrow('the database is away')
  })
})

describe('the import of a comparison file', () => {
  test.each([
    [['player,betId', 'x'], 'lacks the columns'],
    [[HEAD.join(), 'ann,bet-1,open,EUR,ten,,'], 'line 2: stake must be an amount'],
    [[HEAD.join(), 'ann,bet-1,gone,EUR,10,,'], 'line 2: status must be one of'],
    [[HEAD.join(), 'ann,bet-1,open,EUR,10,,', 'ann,bet-1,open,EUR,10,,'], 'has the bet bet-1 twice'],
  ])('names its error: %s', (lines, says) => {
    expect(() =>
      parsePlatformFile(
        'bets.csv',
        lines.map((line) => line.split(',')),
      ),
    ).toThrow(says)
  })
})
