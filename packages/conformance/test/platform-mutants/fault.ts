/** A mutant: the correct platform with exactly one fault, and the case that must detect it. */
import type { Behaviour, Members, Operation, Outcome } from './behaviour.ts'

export interface Mutant {
  readonly name: string
  /** The case about this fault; others may fail too. */
  readonly caughtBy: string
  readonly fault: (right: Behaviour) => Partial<Behaviour>
  /** Judged by that case alone, because the failures of other cases depend on chance. */
  readonly alone?: true
  /** Judged by the slow cases. */
  readonly slow?: true
}

export const forgives =
  (isForgiven: (outcome: Outcome) => boolean): Mutant['fault'] =>
  ({ rollsBack }) => ({ rollsBack: (outcome) => !isForgiven(outcome) && rollsBack(outcome) })

export const takesBack =
  (code: number): Mutant['fault'] =>
  ({ rollsBack }) => ({
    rollsBack: (outcome) => rollsBack(outcome) || (outcome.kind === 'refused' && outcome.code === code),
  })

export const why = (outcome: Outcome): string => (outcome.kind === 'unknown' ? outcome.why : outcome.kind)
export const isStatus = (code: number) => (outcome: Outcome) => 'status' in outcome && outcome.status === code
export const isNetwork = (pattern: RegExp) => (outcome: Outcome) =>
  outcome.kind === 'unknown' && outcome.why === 'network' && pattern.test(outcome.code)

export const ends =
  (operation: Operation, isOver: (outcome: Outcome) => boolean): Mutant['fault'] =>
  ({ isFinal }) => ({
    isFinal: (of, outcome, attempts) => (of === operation && isOver(outcome)) || isFinal(of, outcome, attempts),
  })

export const insists =
  (operation: Operation, code: number): Mutant['fault'] =>
  ({ isFinal }) => ({
    isFinal: (of, outcome, attempts) =>
      !(of === operation && outcome.kind === 'refused' && outcome.code === code) && isFinal(of, outcome, attempts),
  })

export const schedules =
  (of: Operation, change: (start: number | undefined, attempts: number) => number | undefined): Mutant['fault'] =>
  ({ nextStart }) => ({
    nextStart: (operation, attempts) => {
      const start = nextStart(operation, attempts)
      return operation === of ? change(start, attempts) : start
    },
  })

export const writes =
  (of: Operation, change: (members: Members, newestCurrency: string, token: string) => Members): Mutant['fault'] =>
  () => ({
    members: (operation, members, { newestCurrency, token }) =>
      operation === of ? { ...members, ...change(members, newestCurrency, token) } : members,
  })

export const sendsTwice =
  (operation: Operation): Mutant['fault'] =>
  () => ({ sendsTwice: [operation] })
