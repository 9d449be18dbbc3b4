import { describe, expect, test } from 'vitest'
import { createAuditor, type ObservedCall } from '../src/market/oracle/market-auditor.ts'

const AT = { player: 'anna', betId: 'bet' }

const call = (kind: ObservedCall['kind'], requestId: string, amount = '', resultType = ''): ObservedCall => ({
  ...{ kind, requestId, amount, resultType },
})
const PLACE = call('place', 'p', '10')
const WON = call('settle', 'won', '25', 'won')
const LOST = call('settle', 'lost', '0', 'lost')

/** Calls one after another. Returns the first complaint. */
function judgeCalls(...steps: readonly (readonly [call: ObservedCall, verdict: number | undefined])[]) {
  const auditor = createAuditor()
  const complaints = steps.map(([call, verdict], id) => {
    auditor.arrived(id, AT, call)
    return auditor.answered(id, AT.betId, verdict)
  })
  return { complaint: complaints.find((one) => one !== undefined), moved: [...(auditor.movedOf('anna') ?? [])] }
}

describe('the auditor of markets', () => {
  test('accepts the answers of the decisions, and computes the balance', () => {
    expect(judgeCalls([PLACE, 200], [WON, 200], [WON, 200])).toEqual({ complaint: undefined, moved: [1500n] })
    expect(judgeCalls([PLACE, 7], [PLACE, 7], [call('rollback', 'r'), 200])).toEqual({
      complaint: undefined,
      moved: [0n],
    })
    expect(judgeCalls([call('rollback', 'r'), 200], [PLACE, 8])).toEqual({ complaint: undefined, moved: [0n] })
  })

  test('reports a refused bet when the stake was available all the time (R-6)', () => {
    const OTHER = { player: 'anna', betId: 'other bet' }
    const refused = (least: bigint | undefined, meanwhile: (auditor: ReturnType<typeof createAuditor>) => void) => {
      const auditor = createAuditor()
      if (least !== undefined) auditor.cash('anna', least)
      auditor.arrived(1, AT, PLACE)
      meanwhile(auditor)
      return auditor.answered(1, AT.betId, 7)
    }
    const nothing = () => {}
    expect(refused(1_000n, nothing)).toContain('refused for want of money, and there were 1000 at least')
    expect(refused(999n, nothing)).toBe(undefined)
    expect(refused(undefined, nothing)).toBe(undefined)
    expect(refused(1_000n, (auditor) => auditor.cash('anna', 500n))).toBe(undefined)
    expect(refused(1_000n, (auditor) => auditor.arrived(2, OTHER, { ...PLACE, requestId: 'o', amount: '1' }))).toBe(
      undefined,
    )
    expect(
      refused(1_000n, (auditor) => auditor.arrived(2, AT, PLACE)),
      'a copy of it takes nothing from it',
    ).toContain('at least')
    expect(
      refused(1_100n, (auditor) => auditor.arrived(2, OTHER, { ...PLACE, requestId: 'o', amount: '1' })),
    ).toContain('at least')
  })

  test('reports an answer that no order of the calls explains', () => {
    expect(judgeCalls([PLACE, 7], [PLACE, 200]).complaint).toContain('place was answered 200, may be 7')
    expect(judgeCalls([call('rollback', 'r'), 200], [PLACE, 200]).complaint).toContain('may be 8')
    expect(judgeCalls([PLACE, 200], [WON, 20]).complaint).toContain('settle was answered 20, may be 200')
    expect(
      judgeCalls([PLACE, 200], [WON, 200], [LOST, 20], [{ ...WON, requestId: 'new' }, 200], [LOST, 200]).complaint,
    ).toContain('settle was answered 200, may be 20')
  })

  test('keeps both outcomes of an unanswered call until an answer decides', () => {
    expect(judgeCalls([PLACE, 200], [WON, undefined]).moved.sort()).toEqual([-1000n, 1500n])
    expect(judgeCalls([PLACE, 200], [WON, undefined], [call('rollback', 'r'), 8]).moved).toEqual([1500n])
    expect(judgeCalls([PLACE, 200], [WON, undefined], [call('rollback', 'r'), 200]).moved).toEqual([0n])
  })

  test('accepts overlapping calls in any order', () => {
    const auditor = createAuditor()
    auditor.arrived(1, AT, PLACE)
    auditor.arrived(2, AT, call('rollback', 'r'))
    expect([auditor.answered(2, AT.betId, 200), auditor.answered(1, AT.betId, 200)]).toEqual([undefined, undefined])
    expect([...(auditor.movedOf('anna') ?? [])]).toEqual([0n])
  })

  test('knows that a wallet process that ended applies nothing any more', () => {
    const auditor = createAuditor()
    auditor.arrived(1, AT, PLACE)
    auditor.died()
    auditor.arrived(2, AT, WON)
    expect(auditor.answered(2, AT.betId, 5)).toBe(undefined)
    expect([...(auditor.movedOf('anna') ?? [])]).toEqual([0n])
  })

  test('knows what a lock forbids between its start and its end', () => {
    const { auditor, asked } = wired()
    expect([asked(PLACE, 200), asked(WON, 200)]).toEqual([undefined, undefined])
    auditor.locked(AT.betId, true)
    expect([asked(WON, 200), asked(LOST, 20)]).toEqual([undefined, undefined])
    expect(asked({ ...LOST, requestId: 'again' }, 200)).toContain('may be 20')
  })

  test('accepts both answers of a call that arrived before the lock was removed', () => {
    const { auditor, asked } = wired()
    asked(PLACE, 200)
    asked(WON, 200)
    auditor.locked(AT.betId, true)
    auditor.arrived(100, AT, LOST)
    auditor.locked(AT.betId, false)
    expect(auditor.answered(100, AT.betId, 200)).toBe(undefined)
  })

  test('expects no bet with an ended token, by a blocked player, or above a limit', () => {
    const { auditor, asked } = wired()
    auditor.tokens.ended('old')
    expect(asked({ ...PLACE, token: 'old' }, 200)).toContain('place was answered 200, may be')
    const other = wired()
    other.auditor.blocked(AT.player, 'surely')
    expect(other.asked(PLACE, 200)).toContain('may be')
    const third = wired()
    expect([third.asked(PLACE, 13), auditor === third.auditor]).toEqual([expect.stringContaining('answered 13'), false])
    const fourth = wired()
    fourth.auditor.limited(AT.player)
    expect(fourth.asked(PLACE, 13)).toBe(undefined)
  })
})

describe('the auditor of markets with sessions', () => {
  const withToken = (token: string) => ({ ...PLACE, token })

  test('knows the player of a token, which is valid until a session ends', () => {
    const mine = wired()
    mine.auditor.tokens.given('hers', AT.player)
    expect(mine.asked(withToken('hers'), 4)).toContain('place was answered 4, may be 7, 200;')
    const others = wired()
    others.auditor.tokens.given('his', 'bert')
    expect(others.asked(withToken('his'), 200)).toContain('may be 3;')
    expect(others.auditor.tokens.stateOf('nobody’s', AT.player)).toBe('unknown')
  })

  test('accepts both answers while sessions are being ended, and one answer afterwards', () => {
    const { auditor } = wired()
    auditor.tokens.given('hers', AT.player)
    auditor.arrived(100, AT, withToken('hers'))
    auditor.tokens.ending(AT.player, false)
    expect(auditor.answered(100, AT.betId, 4)).toBe(undefined)
    auditor.tokens.ending(AT.player, true)
    auditor.tokens.ended('hers')
    auditor.arrived(101, AT, withToken('hers'))
    expect(auditor.answered(101, AT.betId, 200)).toContain('may be 4;')
  })

  test('knows that a token which was refused as expired stays expired (P-1)', () => {
    const { auditor, asked } = wired()
    auditor.tokens.given('hers', AT.player)
    auditor.tokens.clockJumped()
    expect([asked(withToken('hers'), 4), asked(withToken('hers'), 200)]).toEqual([
      undefined,
      expect.stringContaining('may be 4;'),
    ])
  })
})

describe('the expected answer of Check (P-4)', () => {
  test('is the last operation that took effect, with the time of its answer', () => {
    const { auditor, asked } = wired()
    expect([...(auditor.checksOf(AT.betId) ?? [])]).toEqual(['not known'])
    asked(PLACE, 200, '10:00')
    expect([...(auditor.checksOf(AT.betId) ?? [])]).toEqual(['type 1, 1000 10:00'])
    asked(WON, 200, '11:00')
    asked({ ...WON, requestId: 'the same' }, 200, '11:00')
    expect([...(auditor.checksOf(AT.betId) ?? [])]).toEqual(['type 2, 2500 11:00'])
    asked(call('unsettle', 'u'), 200, '12:00')
    asked(call('rollback', 'r'), 200, '13:00')
    expect([...(auditor.checksOf(AT.betId) ?? [])]).toEqual(['type 3, 1000 13:00'])
  })

  test('is empty for a tombstone (W-7) and a refused bet, and either one during a call', () => {
    const { auditor, asked } = wired()
    asked(call('rollback', 'r'), 200, '10:00')
    expect([...(auditor.checksOf(AT.betId) ?? [])]).toEqual(['not known'])
    const other = wired()
    other.asked(PLACE, 200, '10:00')
    other.auditor.arrived(100, AT, WON)
    expect([...(other.auditor.checksOf(AT.betId) ?? [])].sort()).toEqual(['type 1, 1000 10:00', 'type 2, 2500'])
  })
})

describe('the auditor of a wallet that is restored from a backup', () => {
  test('has the bets, tokens and locks of the time of the backup', () => {
    const { auditor, asked } = wired()
    auditor.tokens.given('hers', AT.player)
    asked({ ...PLACE, token: 'hers' }, 200)
    const kept = auditor.keep()
    auditor.tokens.given('newer', AT.player)
    auditor.locked(AT.betId, true)
    asked(WON, 200)
    auditor.restored(kept)
    expect([...(auditor.movedOf(AT.player) ?? [])]).toEqual([-1000n])
    expect(auditor.tokens.stateOf('newer', AT.player)).toBe('unknown')
    expect([asked(LOST, 200), asked(WON, 200)]).toEqual([undefined, undefined])
  })

  test('accepts any answer to calls in flight, and keeps both of their outcomes', () => {
    const { auditor, asked } = wired()
    asked(PLACE, 200)
    const kept = auditor.keep()
    auditor.arrived(100, AT, WON)
    auditor.restored(kept)
    expect(auditor.answered(100, AT.betId, 200)).toBe(undefined)
    expect([...(auditor.movedOf(AT.player) ?? [])].sort()).toEqual([-1000n, 1500n])
    expect(asked(call('rollback', 'r'), 200)).toBe(undefined)
  })
})

/** Each call is answered before the next one. */
function wired() {
  const auditor = createAuditor()
  let id = 0
  const asked = (call: ObservedCall, verdict: number, time?: string) => {
    id += 1
    auditor.arrived(id, AT, call)
    return auditor.answered(id, AT.betId, verdict, time)
  }
  return { auditor, asked }
}
