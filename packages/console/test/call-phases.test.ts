/**
 * Each phase of a call begins at the end of the phase before, and the wallet's phases lie within
 * the platform's (C-18, W-30).
 */
import { expect, test } from 'vitest'
import { computePhases } from '../src/shared/charts/call-phases.ts'

const seen = { at: '2031-05-16T18:00:00.030Z', milliseconds: { arrival: 1, work: 9, queue: 2, database: 6, reply: 1 } }
const made = { startedAt: '2031-05-16T18:00:00.000Z', durationMs: 50 }
const rows = (...of: Parameters<typeof computePhases>) =>
  computePhases(...of).map(({ name, from, ms, isInWallet }) => `${isInWallet ? '  ' : ''}${name} ${from}+${ms}`)

test('the phases of a call begin with its first byte when only the journal is known', () => {
  expect(rows(seen, undefined)).toEqual(['receive 0+1', 'queue 1+2', 'database 3+6', 'respond 9+1'])
  const { arrival, work } = seen.milliseconds
  expect(rows({ ...seen, milliseconds: { arrival, work } }, undefined)).toEqual(['receive 0+1', 'processing 1+9'])
})

test('the phases of an attempt include the wait, the connection and the answer, with the wallet inside it', () => {
  const phases = { connectMs: 4, firstByteMs: 40, bodyMs: 1 }
  expect(rows(seen, { ...made, phases })).toEqual([
    ...['queued 0+5', 'connect 5+4', 'first byte 9+40'],
    ...['  receive 30+1', '  queue 31+2', '  database 33+6', '  respond 39+1'],
    'body 49+1',
  ])
})

test('a clock difference moves the wallet’s phases to the edge of the answer, and no further', () => {
  const phases = { firstByteMs: 20, bodyMs: 0 }
  const wallet = (at: string) => rows({ ...seen, at }, { ...made, durationMs: 20, phases })[1]
  expect(wallet('2031-05-16T17:59:59.000Z')).toBe('  receive 0+1')
  expect(wallet('2031-05-16T18:00:01.000Z')).toBe('  receive 10+1')
})

test('a connection that began before the call does not lengthen the call', () => {
  const phases = { connectMs: 30, firstByteMs: 46, bodyMs: 1 }
  expect(rows(undefined, { ...made, phases })).toEqual(['connect 0+30', 'first byte 3+46', 'body 49+1'])
})

test('an attempt from before phases were stored is one phase, and an unanswered one has only those of the platform', () => {
  expect(rows(seen, made)[0]).toBe('call 0+50')
  expect(rows(seen, made)[1]).toBe('  receive 30+1')
  expect(rows(undefined, { ...made, phases: { connectMs: 50 } })).toEqual(['connect 0+50'])
  expect(rows(undefined, undefined)).toEqual([])
})
