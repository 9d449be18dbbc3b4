/** The end of `purser dev` names counts, causes and remedies, and tells if no bet was accepted. */
import type { VerdictCause, VerdictSum } from '@purser/conformance/verdict/live-verdict'
import { expect, test } from 'vitest'
import { formatCertification, formatDevSum } from '../../../src/sandbox/dev/terminal/dev-sum.ts'

const NONE: VerdictSum = { calls: 4, right: 4, wrong: 0, advice: 0, undecided: 0, causes: [] }
const COUNTS = { placeBets: 2, acceptedBets: 1, rightReads: 0, hasBalances: true }

function cause(name: string, remedy: string): VerdictCause {
  const example = { call: 1, kind: 'wrong', sentence: 'the money is wrong' } as const
  return { cause: name, kind: 'wrong', count: 1, remedy, example }
}

test('the end counts the reads of the balance that have no line', () => {
  expect(formatDevSum(NONE, { ...COUNTS, rightReads: 2 }).slice(1, 3)).toEqual([
    '4 calls: 4 right, 0 wrong.',
    'Right reads of the balance, which have no line here: 2.',
  ])
})

test('the end says that money was not checked, if the wallet tells no balance', () => {
  const text = formatDevSum(NONE, { ...COUNTS, hasBalances: false }).join(' ')
  expect(text).toContain('4 calls: 4 right, 0 wrong. The money was not checked, because the wallet has no Balance call')
})

test('the end says that no bet was placed, or that none was accepted', () => {
  expect(formatDevSum(NONE, { ...COUNTS, placeBets: 0, acceptedBets: 0 })).toContain('No bet was placed.')
  expect(formatDevSum(NONE, { ...COUNTS, acceptedBets: 0 }).join('\n')).toContain('No bet was accepted, so')
  expect(formatDevSum(NONE, COUNTS).join('\n')).not.toContain('No bet')
})

test('causes with the same remedy are one entry of the three', () => {
  const causes = [
    cause('a race', 'Lock the row.'),
    cause('a lost update', 'Lock the row.'),
    cause('floats', 'Count cents.'),
  ]
  const text = formatDevSum({ ...NONE, wrong: 3, causes }, COUNTS)
  expect(text.slice(-3)).toEqual([
    'The 2 to mend first:',
    '  1. a race, a lost update: Lock the row.',
    '  2. floats: Count cents.',
  ])
})

test('the certifying command names the file of players that was given', () => {
  const options = { walletUrl: 'http://127.0.0.1:3000', headers: {}, sources: { tokens: [], command: undefined } }
  const certify = (file?: string) =>
    formatCertification({ ...options, sources: { ...options.sources, file } } as never).join('\n')
  expect(certify('my players.json')).toMatch(/--fixtures 'my players\.json'$/)
  expect(certify()).toMatch(/--fixtures 'players\.json'\nplayers\.json lists your test players/)
})
