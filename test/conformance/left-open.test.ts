/** A judge must not accuse: what interface.md leaves open may fail a case that is advice, never one that says MUST. */
import { expect, test } from 'vitest'
import { CASES } from '../../src/conformance/wallet/cases/all.ts'
import { MUTANTS, type MutantId } from './mutants/mutants.ts'
import { readPage } from './mutants/table.ts'

/** Faults by our decisions only: a wallet that does so obeys the interface to the letter. */
const LEFT_OPEN: readonly MutantId[] = [
  ...(['signature-alg-unread', 'signature-crit-accepted', 'signature-payload-accepted'] as const),
  ...(['type-as-text-accepted', 'amount-text-accepted', 'decimals-rounded', 'decimals-cut'] as const),
  ...(['zero-stake-accepted', 'operator-user-refused', 'operator-user-unchecked', 'code-unlisted'] as const),
  ...(['place-repeat-refused', 'refused-bet-accepted-later', 'repeat-has-new-time'] as const),
  ...(['rollback-token-demanded', 'rollback-amount-demanded', 'late-repeat-applied'] as const),
  ...(['unsettle-token-demanded', 'codes-of-tokens-mixed', 'settle-currency-unchecked'] as const),
  ...(['content-type-demanded'] as const),
]

const matrix = readPage()
const musts = new Set(CASES.filter(({ level }) => level === 'MUST').map(({ id }) => id))

test.each(LEFT_OPEN.map((id) => [MUTANTS[id].sentence, id] as const))('advice at most: %s', (_, id) => {
  const failed = matrix.get(id) ?? []
  expect(failed).not.toEqual([])
  expect(failed.filter((one) => musts.has(one))).toEqual([])
})
