/**
 * The description of a mutant, which is the test wallet with one deliberate fault. The files of
 * this folder list the mutants by subject.
 */

/**
 * A row of the catalogue of cases: its part and number. K is the part of sequences that revealed
 * real bugs.
 */
export type CatalogueRow = `${'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'I' | 'K'}${number}`

export interface Mutant {
  readonly sentence: string
  /** At least one failing case of the kit must cover one of these rows. */
  readonly catches: readonly CatalogueRow[]
  /** The fault is also detected with players of a fixtures file, without an operator API. */
  readonly withoutOperatorApi: boolean
  /** The fault is detected only when the kit waits before it repeats everything (--patient). */
  readonly needsLongWait: boolean
}

export function seenOnWire(sentence: string, ...catches: CatalogueRow[]): Mutant {
  return { sentence, catches, withoutOperatorApi: true, needsLongWait: false }
}

export function seenWithOperator(sentence: string, ...catches: CatalogueRow[]): Mutant {
  return { sentence, catches, withoutOperatorApi: false, needsLongWait: false }
}

export function detectedByLongWait(sentence: string, ...catches: CatalogueRow[]): Mutant {
  return { sentence, catches, withoutOperatorApi: true, needsLongWait: true }
}
