/**
 * The auditor of simulated markets judges refused corrections and freebets rightly. The events that
 * a run must reach depend on its options.
 */
import { describe, expect, test } from 'vitest'
import { findMissingMarks } from '../src/market/minimum-coverage.ts'
import { createAuditor, type ObservedCall } from '../src/market/oracle/market-auditor.ts'
import { DEFAULT_SCENARIO, type MoneyRules } from '../src/market/scenario.ts'

const AT = { player: 'anna', betId: 'bet' }

const call = (kind: ObservedCall['kind'], requestId: string, amount = '', resultType = ''): ObservedCall => ({
  ...{ kind, requestId, amount, resultType },
})
const PLACE = call('place', 'p', '10')
const WON = call('settle', 'won', '25', 'won')

function wired(rules?: MoneyRules) {
  const auditor = createAuditor(rules)
  let id = 0
  const asked = (call: ObservedCall, verdict: number) => {
    id += 1
    auditor.arrived(id, AT, call)
    return auditor.answered(id, AT.betId, verdict)
  }
  return { auditor, asked }
}

describe('the auditor of a wallet that refuses an uncovered clawback (L-2)', () => {
  const refusing = () => wired({ clawback: 'refuse', freebetStake: 'player' })
  const LESS = { ...WON, requestId: 'less', amount: '5' }

  test('accepts code 21 for a correction to less, and expects it again for a late copy after another result (I-2)', () => {
    const { asked } = refusing()
    expect([asked(PLACE, 200), asked(WON, 200), asked(LESS, 21)]).toEqual([undefined, undefined, undefined])
    expect([asked({ ...WON, requestId: 'again' }, 200), asked(LESS, 21)]).toEqual([undefined, undefined])
    expect(asked(LESS, 20)).toContain('settle was answered 20, may be 21')
  })

  test('reports code 21 when nothing is taken back, and when the wallet takes everything back in any case', () => {
    const { asked } = refusing()
    asked(PLACE, 200)
    expect(asked(WON, 21)).toContain('settle was answered 21, may be 200')
    const other = wired()
    expect([other.asked(PLACE, 200), other.asked(WON, 200)]).toEqual([undefined, undefined])
    expect(other.asked(call('unsettle', 'u'), 21)).toContain('unsettle was answered 21, may be 20')
  })

  test('reports a refused correction when the money was available all the time', () => {
    const { auditor, asked } = refusing()
    auditor.cash(AT.player, 1_000n)
    asked(PLACE, 200)
    asked(WON, 200)
    expect(asked(call('unsettle', 'u'), 21)).toContain(
      'unsettle of  was refused for want of money, and there were 1000',
    )
    const poorer = refusing()
    poorer.auditor.cash(AT.player, 999n)
    poorer.asked(PLACE, 200)
    poorer.asked(WON, 200)
    expect(poorer.asked(call('unsettle', 'u'), 21)).toBe(undefined)
  })
})

describe('the auditor of a wallet whose promotions pay for freebets (M-4)', () => {
  const funding = () => wired({ clawback: 'refuse', freebetStake: 'promotions' })
  const FREEBET = { ...PLACE, hasBonus: true }

  test('knows that the player pays nothing, keeps the winnings, and gets no refund', () => {
    const { auditor, asked } = funding()
    expect(asked(FREEBET, 200)).toBe(undefined)
    expect([...(auditor.movedOf(AT.player) ?? [])]).toEqual([0n])
    asked(WON, 200)
    expect([...(auditor.movedOf(AT.player) ?? [])]).toEqual([2500n])
    asked(call('settle', 'void', '10', 'refund'), 200)
    expect([...(auditor.movedOf(AT.player) ?? [])]).toEqual([0n])
  })

  test('accepts no refusal for insufficient funds', () => {
    expect(funding().asked(FREEBET, 7)).toContain('place was answered 7, may be')
    expect(funding().asked(PLACE, 7)).toBe(undefined)
  })
})

describe('the required events of a run', () => {
  const missing = (marks: Record<string, number>, scene = {}) =>
    findMissingMarks({ ...DEFAULT_SCENARIO, ...scene }, new Map(Object.entries(marks)))
  const GOOD = {
    ...{ 'a player bets': 24, 'a Place bet is sent': 22, 'a Place bet is taken': 14, 'a bet is accepted': 12 },
    ...{ 'the platform hears that a bet is taken': 13, 'a result is applied': 5, 'a balance is asked for': 5 },
  }

  test('are those that its options select', () => {
    expect(missing(GOOD)).toEqual([])
    expect(missing({})).toEqual([])
    expect(missing({ ...GOOD, 'a bet is accepted': 0 })).toEqual([
      '13 bets were taken by their wallets, and 0 × a bet is accepted',
    ])
    expect(missing({ ...GOOD, 'a Place bet is taken': 0, 'a Place bet fails inside': 14 })).toEqual([
      '14 Place bets came to a wallet that refused none of them, and 0 × a Place bet is taken',
    ])
    expect(missing({ 'a player bets': 24 })).toEqual(['24 bets were asked for, and 0 × a Place bet is sent'])
    expect(missing({ ...GOOD, 'a bet is accepted': 20, 'a result is applied': 0 })).toEqual([
      '20 × a bet is accepted, and never: a result is applied',
    ])
    expect(missing({ ...GOOD, 'a Place bet with a bonus fails inside': 6 })).toHaveLength(1)
    expect(missing(GOOD, { isWatched: true })).toHaveLength(1)
  })
})
