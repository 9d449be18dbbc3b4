/** Compiled schema of each call, used by the wallet, the gateway and the conformance kit. */
import { Compile } from 'typebox/compile'
import { BET_SCHEMAS, CheckSchema } from './bet-request.ts'
import { BalanceRequestSchema, ProfileRequestSchema } from './user-profile.ts'

export const VALIDATORS = {
  place: Compile(BET_SCHEMAS.place),
  settle: Compile(BET_SCHEMAS.settle),
  unsettle: Compile(BET_SCHEMAS.unsettle),
  rollback: Compile(BET_SCHEMAS.rollback),
  profile: Compile(ProfileRequestSchema),
  balance: Compile(BalanceRequestSchema),
  check: Compile(CheckSchema),
}
