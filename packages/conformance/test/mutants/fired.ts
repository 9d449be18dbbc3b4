/**
 * Records the calls in which a mutant's fault took effect. These are the calls during which the
 * code of the test wallet read the fault.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Faults, MutantId } from './mutants.ts'

const answering = new AsyncLocalStorage<string>()

export function whileAnswering<T>(body: string, work: () => Promise<T>): Promise<T> {
  return answering.run(body, work)
}

/** A set with this fault; `fired` receives the body of each call that reads it. */
export function recordedFault(fault: MutantId, fired: Set<string>): Faults {
  const faults = new Set([fault])
  const note = () => void fired.add(answering.getStore() ?? '')
  return {
    ...{ size: 1, forEach: faults.forEach.bind(faults), entries: () => faults.entries() },
    ...{ keys: () => faults.keys(), values: () => faults.values() },
    has(id) {
      const isFault = id === fault
      if (isFault) note()
      return isFault
    },
    [Symbol.iterator]() {
      note()
      return faults[Symbol.iterator]()
    },
  }
}
