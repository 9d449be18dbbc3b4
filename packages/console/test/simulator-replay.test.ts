/** The simulator replays recorded bets with the same answers as the wallet. */
import { readFileSync } from 'node:fs'
import { replayHistory } from '@purser/simulator/one-bet/history-search'
import { parseHistory, parseRecordedHistory } from '@purser/simulator/one-bet/one-bet-actions'
import type { WalletBetDetail, WalletCallView } from '@purser/timeline/bet-sources'
import { toSimulatorReplay } from '@purser/timeline/simulator-replay'
import { describe, expect, test } from 'vitest'

const recorded = (name: string): WalletBetDetail =>
  JSON.parse(readFileSync(new URL(`histories/${name}.json`, import.meta.url), 'utf8')).wallet

/** The answer as the simulator writes it. */
const answerOf = ({ outcome, code }: WalletCallView) => (outcome === 'refused' ? `400/${code}` : '200')

function replayed(history: string): string[] {
  const { steps, complaint } = replayHistory(parseHistory(history) ?? [], { clawback: 'refuse' })
  expect(complaint).toBeUndefined()
  return steps.flatMap(({ answer }) => answer?.split(' ')[0] ?? [])
}

describe('the simulator answers a recorded bet as the wallet did:', () => {
  test.each([
    ['lost-answer', 'place; rollback'],
    ['late-call', 'rollback; place'],
    ['corrected', 'place; place, again; settle 25; settle 0'],
  ])('%s', (name, words) => {
    const bet = recorded(name)
    const { history, saved, leftOut } = toSimulatorReplay(bet)
    expect([history, leftOut]).toEqual([words, []])
    expect(replayed(words)).toEqual(bet.history.map(answerOf))
    expect(parseRecordedHistory(saved)).toEqual(
      parseHistory(words)?.map((action, i) => ({ action, was: answerOf(bet.history[i] as WalletCallView) })),
    )
  })
})

const call = (
  operation: WalletCallView['operation'],
  requestId: string,
  more: Partial<WalletCallView> = {},
): WalletCallView => ({
  ...{ operation, requestId, outcome: 'applied', at: '2031-05-16T18:00:00Z', transfers: [], amount: '10.00' },
  ...more,
})

describe('the simulator replays the conditions of the calls:', () => {
  test('money that was missing when a result was corrected, and that was deposited later', () => {
    const history = [
      call('place', 'a'),
      call('settle', 'b', { resultType: 'won', amount: '27.00' }),
      call('settle', 'c', { resultType: 'lost', amount: '0.00', outcome: 'refused', code: 21 }),
      call('settle', 'c', { resultType: 'lost', amount: '0.00' }),
    ]
    const replay = toSimulatorReplay({ history })
    expect(replay).toMatchObject({
      history: 'place; settle 25; (money); settle 0; (money); settle 0, again',
      leftOut: [],
    })
    expect(replayed(replay.history)).toEqual(history.map(answerOf))
  })
  test('money that was missing when a result was taken back', () => {
    const history = [
      call('place', 'a'),
      call('settle', 'b', { resultType: 'won', amount: '27.00' }),
      call('unsettle', 'c', { outcome: 'refused', code: 21 }),
      call('unsettle', 'd'),
    ]
    const replay = toSimulatorReplay({ history })
    expect(replay).toMatchObject({ history: 'place; settle 25; (money); unsettle; (money); unsettle', leftOut: [] })
    expect(replayed(replay.history)).toEqual(history.map(answerOf))
  })
  test('a lock that refused a result and was removed, while a cancelled bet refuses without a lock', () => {
    const history = [
      call('place', 'a'),
      call('settle', 'b', { resultType: 'won', amount: '27.00' }),
      call('settle', 'c', { resultType: 'lost', amount: '0.00', outcome: 'refused', code: 20 }),
      call('settle', 'd', { resultType: 'lost', amount: '0.00' }),
    ]
    const replay = toSimulatorReplay({ history })
    expect(replay).toMatchObject({ history: 'place; settle 25; (lock); settle 0; (lock); settle 0', leftOut: [] })
    expect(replayed(replay.history)).toEqual(history.map(answerOf))
    const cancelled = [
      call('place', 'a'),
      call('rollback', 'b'),
      call('settle', 'c', { resultType: 'lost', amount: '0.00', outcome: 'refused', code: 20 }),
    ]
    expect(toSimulatorReplay({ history: cancelled }).history).toBe('place; rollback; settle 0')
    expect(replayed('place; rollback; settle 0')).toEqual(cancelled.map(answerOf))
  })
  test('a token that had expired, another stake, and a late copy', () => {
    const history = [
      call('place', 'a', { outcome: 'refused', code: 4 }),
      call('place', 'b', { amount: '11.00', outcome: 'refused', code: 4 }),
      call('rollback', 'c'),
      call('rollback', 'd', { outcome: 'repeated' }),
      call('rollback', 'c', { outcome: 'repeated' }),
    ]
    const { history: words } = toSimulatorReplay({ history })
    expect(words).toBe('(token); place; place other; rollback; rollback; rollback, late copy')
    expect(parseHistory(words)).toHaveLength(6)
  })
  test('what the simulator cannot know is stated', () => {
    expect(toSimulatorReplay({ history: [call('place', 'a', { outcome: 'refused', code: 11 })] }).leftOut).toEqual([
      'what was refused with code 11',
    ])
    const won = (id: string, amount: string) => call('settle', id, { resultType: 'won', amount })
    expect(toSimulatorReplay({ history: [call('place', 'a'), won('b', '27.00'), won('c', '30.00')] }).leftOut).toEqual([
      'that it was won with different amounts',
    ])
    expect(toSimulatorReplay({ history: [call('place', 'a'), call('rollback', 'a')] }).leftOut).toEqual([
      'a requestId that two different calls had',
    ])
  })
})
