/** Every case of `conformance wallet`, in the order of the report. */
import type { Case } from '../case/case.ts'
import { ACCOUNT_CASES } from './account.ts'
import { ALIKE_CASES } from './alike.ts'
import { ANSWER_CASES } from './answers.ts'
import { CASHOUT_CASES } from './cashout.ts'
import { CURRENCY_CASES } from './currency.ts'
import { LATE_CASES } from './late.ts'
import { MEMBER_CASES } from './member.ts'
import { MESSAGE_CASES } from './message.ts'
import { MONEY_CASES } from './money.ts'
import { PLACE_CASES } from './place.ts'
import { PROFILE_CASES } from './profile.ts'
import { RACE_CASES } from './race.ts'
import { REPLAY_CASES } from './replay.ts'
import { RESETTLE_CASES } from './resettle.ts'
import { ROLLBACK_CASES } from './rollback.ts'
import { SETTLE_CASES } from './settle.ts'
import { SIGNATURE_CASES } from './signature.ts'
import { UNSETTLE_CASES } from './unsettle.ts'

export const CASES: readonly Case[] = [
  ...SIGNATURE_CASES,
  ...MESSAGE_CASES,
  ...MEMBER_CASES,
  ...ALIKE_CASES,
  ...PROFILE_CASES,
  ...ACCOUNT_CASES,
  ...PLACE_CASES,
  ...MONEY_CASES,
  ...CURRENCY_CASES,
  ...ROLLBACK_CASES,
  ...SETTLE_CASES,
  ...RESETTLE_CASES,
  ...CASHOUT_CASES,
  ...UNSETTLE_CASES,
  ...RACE_CASES,
  ...REPLAY_CASES,
  ...LATE_CASES,
  ...ANSWER_CASES,
]
