/**
 * The bettors of the sandbox place mostly small single bets, and occasionally something unusual.
 */

import { createRandom } from '@purser/runtime/seeded-random'
import { describe, expect, test } from 'vitest'
import {
  BETTORS,
  type BetChoice,
  type BetPick,
  cashOutAmount,
  chooseBet,
  describePicks,
  topUpAmount,
} from '../../src/sandbox/bettors/bettor-behaviour.ts'
import { type SimulatedMatch, STEPS_PER_SECOND } from '../../src/sandbox/bettors/match-fixtures.ts'

const CHOICES = 4_000
const PRICES = { home: 210, draw: 305, away: 190 }
const MATCH: SimulatedMatch = { id: 'one', home: 'Ajax', away: 'Roma', prices: PRICES, earlier: null }
const MOVED: SimulatedMatch = { ...MATCH, id: 'two', home: 'Lyon', earlier: { home: 200, draw: 300, away: 200 } }
const OPEN = [MATCH, MOVED, { ...MATCH, id: 'three' }, { ...MATCH, id: 'four' }]

describe('the choice of a sandbox bettor', () => {
  const random = createRandom(1, 'bettors')
  const choices = Array.from({ length: CHOICES }, () => chooseBet(random, OPEN))
  const percentOf = (is: (choice: BetChoice) => boolean) => (choices.filter(is).length * 100) / CHOICES
  const isLarge = ({ stake, bettor }: BetChoice) => Number(stake) > Number(topUpAmount(bettor.unit, bettor.scale))

  test.each([
    ['is a single bet in 67 % of the cases', 67, ({ picks }: BetChoice) => picks.length === 1],
    ['is an express of two in 16 % of the cases', 16.5, ({ picks }: BetChoice) => picks.length === 2],
    ['is an express of three in 16 % of the cases', 16.5, ({ picks }: BetChoice) => picks.length === 3],
    ['has a stake above any balance in 3 % of the cases', 3, isLarge],
    ['has a cashout in 5 % of the cases', 5, ({ cashOutAfter }: BetChoice) => cashOutAfter !== null],
  ])('%s', (_what, percent, is) => {
    expect(Math.abs(percentOf(is) - percent)).toBeLessThan(2)
  })

  test('has different matches in an express', () => {
    const isTwice = ({ picks }: BetChoice) => new Set(picks.map(({ match }) => match.id)).size < picks.length
    expect(choices.filter(isTwice)).toEqual([])
  })

  test('has a cashout after one to three seconds', () => {
    const delays = choices.flatMap(({ cashOutAfter }) => cashOutAfter ?? [])
    expect(Math.min(...delays)).toBe(STEPS_PER_SECOND)
    expect(Math.max(...delays)).toBe(3 * STEPS_PER_SECOND)
  })

  test('has the odds before the last move in about 5 % of the selections', () => {
    const moved = choices.flatMap(({ picks }) => picks).filter(({ match }) => match === MOVED)
    const old = moved.filter(({ odds }) => ['2.00', '3.00'].includes(odds))
    expect(Math.abs((old.length * 100) / moved.length - 5)).toBeLessThan(2)
  })

  test('includes each bettor', () => {
    expect(new Set(choices.map(({ bettor }) => bettor.userId)).size).toBe(BETTORS.length)
  })
})

test('the amount of a cashout is four fifths of the stake, in the decimals of the currency', () => {
  const amountOf = (userId: string, stake: string) => {
    const bettor = BETTORS.find((one) => one.userId === userId)
    return bettor && cashOutAmount({ bettor, stake, picks: [], cashOutAfter: null })
  }
  expect(amountOf('dora', '10.00')).toBe('8.00')
  expect(amountOf('nori', '500')).toBe('400')
  expect(amountOf('otto', '0.00100000')).toBe('0.00080000')
})

test('the text of a bet contains its outcomes and odds', () => {
  const home: BetPick = { match: MATCH, outcome: 'home', odds: '2.10' }
  const draw: BetPick = { match: MOVED, outcome: 'draw', odds: '3.05' }
  expect(describePicks([home])).toBe('Ajax–Roma: Ajax 2.10')
  expect(describePicks([draw])).toBe('Lyon–Roma: draw 3.05')
  expect(describePicks([home, draw])).toBe('express Ajax 2.10 + Lyon–Roma draw 3.05')
  expect(describePicks([{ match: MATCH, outcome: 'away', odds: '1.90' }])).toBe('Ajax–Roma: Roma 1.90')
})
