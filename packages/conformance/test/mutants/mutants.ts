/** All mutants of the test wallet, each by its permanent id. */
import { ALIKE_MUTANTS } from './alike-mutants.ts'
import { ANSWER_MUTANTS, USER_DATA_MUTANTS } from './answer-mutants.ts'
import { LATE_MUTANTS } from './late-mutants.ts'
import { MONEY_MUTANTS, PLACE_MUTANTS, RACE_MUTANTS } from './place-mutants.ts'
import { REPLAY_MUTANTS } from './replay-mutants.ts'
import { CASHOUT_MUTANTS, ROLLBACK_MUTANTS, SETTLE_MUTANTS, UNSETTLE_MUTANTS } from './result-mutants.ts'
import { REQUEST_MUTANTS, SIGNATURE_MUTANTS } from './signature-mutants.ts'

/** Faults in reading and answering calls. */
export const CALL_MUTANTS = {
  ...SIGNATURE_MUTANTS,
  ...REQUEST_MUTANTS,
  ...ALIKE_MUTANTS,
  ...ANSWER_MUTANTS,
  ...USER_DATA_MUTANTS,
} as const

/** Faults in the state of bets and balances. */
export const BET_MUTANTS = {
  ...MONEY_MUTANTS,
  ...PLACE_MUTANTS,
  ...RACE_MUTANTS,
  ...ROLLBACK_MUTANTS,
  ...SETTLE_MUTANTS,
  ...CASHOUT_MUTANTS,
  ...UNSETTLE_MUTANTS,
  ...REPLAY_MUTANTS,
  ...LATE_MUTANTS,
} as const

export const MUTANTS = { ...CALL_MUTANTS, ...BET_MUTANTS } as const

export type MutantId = keyof typeof MUTANTS

export const MUTANT_IDS = Object.keys(MUTANTS) as MutantId[]

/**
 * The faults of one wallet: none in the correct one, exactly one in a mutant. Each id is read at
 * one place.
 */
export type Faults = ReadonlySet<MutantId>

export const NO_FAULTS: Faults = new Set()
