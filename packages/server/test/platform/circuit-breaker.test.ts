// The limit of calls to one partner, and the probes of a partner that is down (C-6, W-15).
import { expect, test } from 'vitest'
import { createCircuitBreaker } from '../../src/platform/circuit-breaker.ts'

const CAPACITY = 3
const PROBE_GAP_MS = 500

const failed = (at: number) => ({ at, durationMs: 1, fault: 'network: nobody listens' })
const answered = (at: number) => ({ at, durationMs: 1, fault: null })

/** A breaker whose partner has just left five calls in a row without an answer. */
function down(now = 1_000) {
  const breaker = createCircuitBreaker(CAPACITY)
  for (let i = 0; i < 5; i++) {
    expect(breaker.allowance('results', now), `after ${i} failures`).toBe(CAPACITY)
    breaker.started('results', now)
    breaker.ended('results', failed(now))
  }
  return breaker
}

test('each lane has its own limit of concurrent calls', () => {
  const breaker = createCircuitBreaker(CAPACITY)
  breaker.started('results', 0)
  breaker.started('results', 0)
  expect([breaker.allowance('results', 0), breaker.allowance('rollbacks', 0)]).toEqual([1, CAPACITY])
  breaker.ended('results', answered(0))
  expect([breaker.allowance('results', 0), breaker.inFlight()]).toEqual([2, 1])
})

test('a partner that is down receives one result at a time, half a second after the last one', () => {
  const breaker = down()
  expect(breaker.allowance('results', 1_000 + PROBE_GAP_MS - 1)).toBe(0)
  expect(breaker.nextProbeAt('results')).toBe(1_000 + PROBE_GAP_MS)
  expect(breaker.allowance('results', 1_000 + PROBE_GAP_MS)).toBe(1)
  breaker.started('results', 1_500)
  expect(breaker.allowance('results', 9_000), 'while the probe is on its way').toBe(0)
})

test('rollbacks continue while the partner is down', () => {
  const breaker = down()
  expect([breaker.allowance('rollbacks', 1_000), breaker.nextProbeAt('rollbacks')]).toEqual([CAPACITY, null])
})

test('any answer, also to a rollback, closes the circuit breaker', () => {
  const breaker = down()
  breaker.started('rollbacks', 1_000)
  breaker.ended('rollbacks', answered(1_000))
  expect([breaker.allowance('results', 1_000), breaker.nextProbeAt('results')]).toEqual([CAPACITY, null])
})

test('a call that was not made does not change the state and does not count as a probe', () => {
  const breaker = down()
  breaker.started('users', 1_500)
  expect(breaker.allowance('users', 1_501)).toBe(0)
  breaker.ended('users', undefined)
  expect([breaker.state().kind, breaker.allowance('users', 1_501)]).toEqual(['down', 1])
})

test('the state shows up, down since when, probing, and the last fault', () => {
  expect(createCircuitBreaker(CAPACITY).state()).toEqual({ kind: 'up', since: null, lastFault: null })
  const breaker = down()
  const lastFault = { at: 1_000, text: 'network: nobody listens' }
  expect(breaker.state()).toEqual({ kind: 'down', since: 1_000, lastFault })
  breaker.started('results', 1_500)
  expect(breaker.state()).toEqual({ kind: 'probing', since: 1_000, lastFault })
  breaker.ended('results', answered(1_700))
  expect(breaker.state()).toEqual({ kind: 'up', since: 1_700, lastFault })
})
