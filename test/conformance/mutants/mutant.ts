/** What one deliberate fault of the test wallet is. The lists of them lie beside this file, one per subject. */

/** A row of the catalogue of cases: its part and number, K for the sequences that revealed real bugs. */
export type CatalogueRow = `${'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'I' | 'K'}${number}`

export interface Mutant {
  /** What is wrong with this wallet. */
  readonly sentence: string
  /** At least one failing case of the kit must cover one of these rows. */
  readonly catches: readonly CatalogueRow[]
  /** It can also be seen with players of a fixtures file, without an operator API that makes and changes them. */
  readonly withoutOperatorApi: boolean
  /** It is seen only when the kit waits before it repeats everything (--patient). */
  readonly takesPatience: boolean
}

export function seenOnWire(sentence: string, ...catches: CatalogueRow[]): Mutant {
  return { sentence, catches, withoutOperatorApi: true, takesPatience: false }
}

export function seenWithOperator(sentence: string, ...catches: CatalogueRow[]): Mutant {
  return { sentence, catches, withoutOperatorApi: false, takesPatience: false }
}

export function seenWithPatience(sentence: string, ...catches: CatalogueRow[]): Mutant {
  return { sentence, catches, withoutOperatorApi: true, takesPatience: true }
}
