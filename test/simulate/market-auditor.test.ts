/** The auditor of markets: what it takes, and what it complains about. */
import { describe, expect, test } from 'vitest'
import { createAuditor, type Heard } from '../../src/simulate/market/auditor.ts'

const AT = { player: 'anna', betId: 'bet' }

const call = (kind: Heard['kind'], requestId: string, amount = '', resultType = ''): Heard => ({
  ...{ kind, requestId, amount, resultType },
})
const PLACE = call('place', 'p', '10')
const WON = call('settle', 'won', '25', 'won')
const LOST = call('settle', 'lost', '0', 'lost')

/** Calls one after another. The first complaint. */
function heard(...steps: readonly (readonly [call: Heard, verdict: number | undefined])[]) {
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
    auditor.tokenEnded('old')
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

/** Calls of one bet, each answered before the next one. */
function wired() {
  const auditor = createAuditor()
  let id = 0
  const asked = (call: Heard, verdict: number) => {
    id += 1
    auditor.arrived(id, AT, call)
    return auditor.answered(id, AT.betId, verdict)
  }
  return { auditor, asked }
}
