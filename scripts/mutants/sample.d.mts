import type { Fault } from './operators.mjs'

export function sample(faults: readonly Fault[], of: { most: number; seed: number; each?: number }): Fault[]
