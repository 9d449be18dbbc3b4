/** A mutation of one place in a source. */
export interface Fault {
  readonly path: string
  readonly operator: 'condition' | 'boundary' | 'constant' | 'await' | 'argument' | 'statement'
  readonly start: number
  readonly end: number
  readonly was: string
  readonly instead: string
  readonly line: number
  readonly column: number
}

export function findFaults(path: string, source: string): Fault[]
export function plantFault(source: string, fault: Fault): string
