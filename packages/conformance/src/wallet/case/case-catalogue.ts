/**
 * Ids of the catalogue rows. Each row is a test that the cases must include.
 *
 * - A1 to F117: tests of the certification tools of a dozen platforms.
 * - K1 to K29: sequences of calls that revealed real bugs.
 * - I1 to I11: faults of deliberately broken wallets that the kit had missed.
 *
 * Each row is in `covers` of a case, or this file has the reason why no case covers it.
 */

const PARTS = {
  A: [1, 16],
  B: [17, 26],
  C: [27, 54],
  D: [55, 70],
  E: [71, 100],
  F: [101, 117],
  I: [1, 11],
  K: [1, 29],
} as const

export const CASE_CATALOGUE: readonly string[] = Object.entries(PARTS).flatMap(([part, [first, last]]) =>
  Array.from({ length: last - first + 1 }, (_, index) => `${part}${first + index}`),
)

const NEEDS_INSIDE_ACCESS = 'seen with the process, the database or the log of the wallet at hand, not over HTTP'
const OPERATOR_MATTER = 'a matter of the operator, who decides or looks it up; no call of the interface shows it'

/** Rows that no call of the interface can show, with the reason. */
export const UNOBSERVABLE_ROWS: Readonly<Record<string, string>> = {
  A15: 'a kit has one address; which addresses are let in is a matter of the network in front of the wallet',
  A16: 'run the kit twice during the rotation, with the old and with the new secret',
  C30: OPERATOR_MATTER,
  C52: OPERATOR_MATTER,
  D67: 'what is seen is the answer within 5 s (answers-10); whether the wallet waited for it is not',
  D69: 'the interface has no call that shows a freebet balance',
  E77: 'takes months',
  E100: 'the interface has no call that shows a freebet balance',
  F107: NEEDS_INSIDE_ACCESS,
  F108: NEEDS_INSIDE_ACCESS,
  F110: 'the balance is compared after every step of every case; the sums of the ledger are seen inside only',
  F111: OPERATOR_MATTER,
  F113: NEEDS_INSIDE_ACCESS,
  F115: 'the interface has no such call',
  F116: OPERATOR_MATTER,
  F117: 'a matter of the calling side',
  K26: NEEDS_INSIDE_ACCESS,
  K29: NEEDS_INSIDE_ACCESS,
}
