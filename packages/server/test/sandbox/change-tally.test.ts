/**
 * The sandbox counts bets from the platform's feed. Above five bets a second, it prints the counts
 * as a table.
 */
import { expect, test } from 'vitest'
import { type CountName, createChangeTally } from '../../src/sandbox/bettors/change-tally.ts'
import type { PlatformChange } from '../../src/sandbox/bettors/platform-changes.ts'
import { createRateTable, ROW_SECONDS } from '../../src/sandbox/rate-table.ts'

type Bet = NonNullable<PlatformChange['bet']>
const bet = (event: string, over: Partial<Bet> = {}): PlatformChange => {
  const status = event.slice('bet.'.length) as Bet['status']
  return { event, bet: { betId: 'one', status, ...over } }
}

test.each<[string, PlatformChange[], CountName[]]>([
  ['a bet that is won', [bet('bet.accepted'), bet('bet.settled', { resultType: 'won' })], ['bets', 'accepted', 'won']],
  ['a declined one', [bet('bet.declined')], ['bets', 'declined']],
  ['one that is cancelled at once', [bet('bet.cancelled')], ['bets', 'rolled back']],
  ['one that is cancelled later', [bet('bet.accepted'), bet('bet.cancelled')], ['bets', 'accepted', 'rolled back']],
  [
    'a result that is corrected, taken back, and told again',
    [
      bet('bet.accepted'),
      bet('bet.settled', { resultType: 'lost' }),
      bet('bet.settled', { resultType: 'won' }),
      bet('bet.accepted'),
      bet('bet.settled', { resultType: 'refund' }),
    ],
    ['bets', 'accepted', 'lost', 'corrected', 'result withdrawn', 'void'],
  ],
  [
    'a cashout',
    [bet('bet.accepted'), bet('bet.settled', { resultType: 'cashout' })],
    ['bets', 'accepted', 'cashed out'],
  ],
  [
    'what partners say no to',
    [
      { event: 'delivery.refused', delivery: { betId: 'one' } },
      { event: 'delivery.stuck', delivery: { betId: 'one' } },
      { event: 'delivery.done', delivery: { betId: 'one' } },
    ],
    ['result refused', 'stuck'],
  ],
])('the tally of the sandbox counts %s', (_what, changes, counted) => {
  expect(changes.flatMap(createChangeTally())).toEqual(counted)
})

test('a row of the tally shows the counts since the last row and the rate', () => {
  const counts = new Map<CountName, number>()
  const countOf = (name: CountName) => counts.get(name) ?? 0
  const table = createRateTable()
  const at = (seconds: number) => Date.parse('2026-11-22T12:00:00Z') + seconds * 1000
  expect(table.row(countOf, at(0))).toEqual([])
  counts.set('bets', 500).set('accepted', 480).set('declined', 20)
  expect(table.row(countOf, at(ROW_SECONDS - 1))).toEqual([])
  const [head, first] = table.row(countOf, at(ROW_SECONDS))
  expect(head).toMatch(/^time +bets\/s +accept +decline/)
  expect(head?.length).toBeLessThanOrEqual(80)
  expect(first).toMatch(/^12:00:05 +100 +480 +20 +0/)
  expect(first?.length).toBe(head?.length)
  counts.set('bets', 510).set('accepted', 490)
  expect(table.row(countOf, at(2 * ROW_SECONDS))).toEqual([expect.stringMatching(/^12:00:10 +2 +10 +0/)])
})
