export const FAULTS: readonly {
  readonly file: string
  readonly search: string
  readonly planted: string
  readonly tests: readonly string[]
}[]
