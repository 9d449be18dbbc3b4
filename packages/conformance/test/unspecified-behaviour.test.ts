/**
 * Where interface.md is silent, a wallet or platform can fail only advice of the kit (SHOULD). A
 * wallet that loses or creates money fails a MUST.
 */
import { describe, expect, test } from 'vitest'
import { read } from '../../../test/tidy/source.ts'
import { PLATFORM_CASES } from '../src/platform/platform-cases.ts'
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'
import { MUTANTS, type MutantId } from './mutants/mutants.ts'
import { readPage } from './mutants/table.ts'
import { readRows } from './platform-mutants/table.ts'

/** Faults only by our decisions; such a wallet obeys the interface. */
const LEFT_OPEN: readonly MutantId[] = [
  ...(['signature-alg-unread', 'signature-crit-accepted', 'signature-payload-accepted'] as const),
  ...(['type-as-text-accepted', 'amount-text-accepted', 'decimals-rounded', 'decimals-cut'] as const),
  ...(['zero-stake-accepted', 'operator-user-refused', 'operator-user-unchecked', 'code-unlisted'] as const),
  ...(['place-repeat-refused', 'refused-bet-accepted-later', 'repeat-has-new-time'] as const),
  ...(['rollback-token-demanded', 'rollback-amount-demanded', 'late-repeat-applied'] as const),
  ...(['unsettle-token-demanded', 'codes-of-tokens-mixed', 'settle-currency-unchecked'] as const),
  ...(['odd-description-refused', 'second-slash-404'] as const),
  ...(['content-type-demanded', 'extra-member-refused', 'signature-own-header', 'conflict-409'] as const),
  // Where the interface shows no answer, any except a success is permitted.
  ...(['bad-signature-401', 'bad-signature-500', 'bad-token-403', 'unknown-bet-404', 'invalid-data-422'] as const),
  ...(['malformed-json-crashes', 'empty-body-crashes', 'array-body-crashes', 'bet-id-absent-crashes'] as const),
  ...(['huge-amount-crashes', 'long-info-crashes', 'user-id-65-crashes', 'long-token-crashes'] as const),
  // Concurrent calls: a failed bet is rolled back, and a failed Rollback is sent again.
  ...(['race-second-bet-refused', 'race-second-bet-500', 'race-settle-500', 'race-settle-100'] as const),
  ...(['race-rollback-500', 'race-rollback-100', 'place-cancelled-ok'] as const),
  // Ids that the service never uses twice, and reasons that it never gives.
  ...(['used-request-id-refused', 'bet-ids-global', 'place-other-amount-ok', 'settle-of-another'] as const),
  ...(['bet-id-in-any-case', 'bets-shared-by-players'] as const),
  ...(['rollback-of-another', 'error-codes-listed-only', 'rollback-settled-refused'] as const),
  // The interface shows only the name of Unsettle.
  ...(['unsettle-ignored', 'unsettle-unknown-ok', 'unsettle-loss-refunds', 'unsettle-cashout-ignored'] as const),
  ...(['unsettle-leaves-settled', 'unsettle-cancelled-reopens', 'unsettle-partial', 'race-unsettle-repeat'] as const),
]

/** Money is lost or made by calls that the interface shows. */
const MONEY: readonly MutantId[] = [
  ...(['race-lost-update', 'race-bet-overwrites', 'race-results-overwrite', 'race-funds'] as const),
  ...(['race-place-repeat', 'race-settle-repeat', 'race-rollback-repeat', 'race-rollback-in-flight'] as const),
  ...(['place-forgotten', 'place-forgotten-after-bets', 'settle-forgotten', 'rollback-forgotten'] as const),
  ...(['place-repeat-debits', 'place-cancelled-debits', 'place-other-amount-debits', 'request-id-is-the-bet'] as const),
  ...(['settle-repeat-pays', 'settle-unknown-pays', 'settle-cancelled-pays', 'resettle-on-top'] as const),
  ...(['rollback-repeat-refunds', 'rollback-refunds-the-amount-asked', 'tombstone-missing'] as const),
  ...(['clawback-partial', 'freebet-win-less-stake', 'float-amount-cut', 'negative-amount-accepted'] as const),
  ...(['float-balance', 'float-balance-rounded', 'float32-balance', 'real-column', 'funds-unit-over'] as const),
  ...(['stake-unit-less', 'stake-unit-more', 'win-unit-more', 'win-unit-less'] as const),
  ...(['refund-unit-more', 'refund-unit-less', 'whole-balance-refused'] as const),
]

/**
 * Faults of platforms that are at most advice. The interface does not show the order of results,
 * the meaning of a 200 without a valid body, and Unsettle.
 */
const LEFT_OPEN_TO_PLATFORMS = [
  ...['takes a broken body for accepted', 'takes an empty body for accepted', 'does not compare the transactionId'],
  ...['does not try an Unsettle again', 'lets an Unsettle overtake the Settles before it'],
  ...['sends all calls of a bet at once', 'sends all deliveries through one lane'],
  ...['rolls back after 400 with code 3', 'gives errorCode 52 always', 'gives every attempt a requestId of its own'],
  ...['tries a Settle again after 400 with code 20', 'tries a Rollback again after 400 with code 5'],
  ...['gives a Settle up after any 400'],
]

function mustsOf(cases: readonly { readonly id: string; readonly level: string }[]): ReadonlySet<string> {
  return new Set(cases.filter(({ level }) => level === 'MUST').map(({ id }) => id))
}

function expectAdviceAtMost(failed: readonly string[], musts: ReadonlySet<string>): void {
  expect(failed).not.toEqual([])
  expect(failed.filter((one) => musts.has(one))).toEqual([])
}

describe('the kit gives at most advice to wallets:', () => {
  const matrix = readPage()
  const musts = mustsOf(WALLET_CASES)
  test.each(LEFT_OPEN.map((id) => [MUTANTS[id].sentence, id] as const))('%s', (_, id) =>
    expectAdviceAtMost(matrix.get(id) ?? [], musts),
  )
})

describe('the kit fails a MUST for wallets:', () => {
  const matrix = readPage()
  const musts = mustsOf(WALLET_CASES)
  test.each(MONEY.map((id) => [MUTANTS[id].sentence, id] as const))('%s', (_, id) =>
    expect((matrix.get(id) ?? []).filter((one) => musts.has(one))).not.toEqual([]),
  )
})

describe('the kit gives at most advice to a platform that', () => {
  const rows = readRows(read('docs/reference/conformance-platform-mutants.md'))
  const musts = mustsOf(PLATFORM_CASES)
  test.each(LEFT_OPEN_TO_PLATFORMS)('%s', (name) => expectAdviceAtMost(rows.get(name) ?? [], musts))
})
