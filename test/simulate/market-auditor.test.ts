/** The auditor of markets: what it takes, and what it complains about. */
import { describe, expect, test } from 'vitest'
import { createAuditor, type ObservedCall } from '../../src/simulate/market/market-auditor.ts'

const AT = { player: 'anna', betId: 'bet' }

const call = (kind: ObservedCall['kind'], requestId: string, amount = '', resultType = ''): ObservedCall => ({
  ...{ kind, requestId, amount, resultType },
})
const PLACE = call('place', 'p', '10')
const WON = call('settle', 'won', '25', 'won')
const LOST = call('settle', 'lost', '0', 'lost')

/** Calls one after another. The first complaint. */
function heard(...steps: readonly (readonly [call: ObservedCall, verdict: number | undefined])[]) {
  const auditor = createAuditor()
  const complaints = steps.map(([call, verdict], id) => {
    auditor.arrived(id, AT, call)
    return auditor.answered(id, AT.betId, verdict)
  })
  return { complaint: complaints.find((one) => one !== undefined), moved: [...(auditor.movedOf('anna') ?? [])] }
}

describe('the auditor of markets', () => {
  test('takes what the decisions say, and knows the balance', () => {
    expect(heard([PLACE, 200], [WON, 200], [WON, 200])).toEqual({ complaint: undefined, moved: [1500n] })
    expect(heard([PLACE, 7], [PLACE, 7], [call('rollback', 'r'), 200])).toEqual({ complaint: undefined, moved: [0n] })
    expect(heard([call('rollback', 'r'), 200], [PLACE, 8])).toEqual({ complaint: undefined, moved: [0n] })
  })

  test('says when a bet must be taken: the stake was there all the time (R-6)', () => {
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

  test('complains about an answer that no order explains', () => {
    expect(heard([PLACE, 7], [PLACE, 200]).complaint).toContain('place was answered 200, may be 7')
    expect(heard([call('rollback', 'r'), 200], [PLACE, 200]).complaint).toContain('may be 8')
    expect(heard([PLACE, 200], [WON, 20]).complaint).toContain('settle was answered 20, may be 200')
    expect(
      heard([PLACE, 200], [WON, 200], [LOST, 20], [{ ...WON, requestId: 'new' }, 200], [LOST, 200]).complaint,
    ).toContain('settle was answered 200, may be 20')
  })

  test('holds both possible of what nobody answered, until an answer tells', () => {
    expect(heard([PLACE, 200], [WON, undefined]).moved.sort()).toEqual([-1000n, 1500n])
    expect(heard([PLACE, 200], [WON, undefined], [call('rollback', 'r'), 8]).moved).toEqual([1500n])
    expect(heard([PLACE, 200], [WON, undefined], [call('rollback', 'r'), 200]).moved).toEqual([0n])
  })

  test('takes calls that overlap in any order', () => {
    const auditor = createAuditor()
    auditor.arrived(1, AT, PLACE)
    auditor.arrived(2, AT, call('rollback', 'r'))
    expect([auditor.answered(2, AT.betId, 200), auditor.answered(1, AT.betId, 200)]).toEqual([undefined, undefined])
    expect([...(auditor.movedOf('anna') ?? [])]).toEqual([0n])
  })

  test('knows that a wallet that died does nothing any more', () => {
    const auditor = createAuditor()
    auditor.arrived(1, AT, PLACE)
    auditor.died()
    auditor.arrived(2, AT, WON)
    expect(auditor.answered(2, AT.betId, 5)).toBe(undefined)
    expect([...(auditor.movedOf('anna') ?? [])]).toEqual([0n])
  })

  test('knows what a lock forbids, from when it is there until it is taken away', () => {
    const { auditor, asked } = wired()
    expect([asked(PLACE, 200), asked(WON, 200)]).toEqual([undefined, undefined])
    auditor.locked(AT.betId, true)
    expect([asked(WON, 200), asked(LOST, 20)]).toEqual([undefined, undefined])
    expect(asked({ ...LOST, requestId: 'again' }, 200)).toContain('may be 20')
  })

  test('takes both answers of a call that came before the lock was taken away', () => {
    const { auditor, asked } = wired()
    asked(PLACE, 200)
    asked(WON, 200)
    auditor.locked(AT.betId, true)
    auditor.arrived(100, AT, LOST)
    auditor.locked(AT.betId, false)
    expect(auditor.answered(100, AT.betId, 200)).toBe(undefined)
  })

  test('knows that nothing is placed with an ended token, by a blocked player, and above no limit', () => {
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

describe('the auditor of markets, told of sessions', () => {
  const withToken = (token: string) => ({ ...PLACE, token })

  test('knows whose a token is, and that it is alive until somebody ends it', () => {
    const mine = wired()
    mine.auditor.tokens.given('hers', AT.player)
    expect(mine.asked(withToken('hers'), 4)).toContain('place was answered 4, may be 7, 200;')
    const others = wired()
    others.auditor.tokens.given('his', 'bert')
    expect(others.asked(withToken('his'), 200)).toContain('may be 3;')
    expect(others.auditor.tokens.stateOf('nobody’s', AT.player)).toBe('unknown')
  })

  test('takes both answers while sessions are just being ended, and one when they have', () => {
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

  test('knows that a token that was refused as expired stays so (P-1)', () => {
    const { auditor, asked } = wired()
    auditor.tokens.given('hers', AT.player)
    auditor.tokens.clockJumped()
    expect([asked(withToken('hers'), 4), asked(withToken('hers'), 200)]).toEqual([
      undefined,
      expect.stringContaining('may be 4;'),
    ])
  })
})

describe('what Check may say (P-4)', () => {
  test('is the last operation that took effect, with its time as it was told', () => {
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

  test('is nothing of a tombstone (W-7) and of a refused bet; while a call is under way it is either', () => {
    const { auditor, asked } = wired()
    asked(call('rollback', 'r'), 200, '10:00')
    expect([...(auditor.checksOf(AT.betId) ?? [])]).toEqual(['not known'])
    const other = wired()
    other.asked(PLACE, 200, '10:00')
    other.auditor.arrived(100, AT, WON)
    expect([...(other.auditor.checksOf(AT.betId) ?? [])].sort()).toEqual(['type 1, 1000 10:00', 'type 2, 2500'])
  })
})

describe('the auditor of a wallet whose backup is put back', () => {
  test('knows what it knew then, of bets, tokens and locks', () => {
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

  test('takes any answer to what was under way, and holds both possible of it', () => {
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

/** Calls of one bet, each answered before the next one. */
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
