/** All cases of `conformance wallet`, in the order of the report. */
import type { WalletCase } from '../case/wallet-case.ts'
import { ANSWER_FORMAT_CASES } from './answer-format-cases.ts'
import { LATE_REPEAT_CASES } from './late-repeat-cases.ts'
import { MEMBER_CASES } from './member-cases.ts'
import { MESSAGE_CASES } from './message-cases.ts'
import { ACCOUNT_CASES } from './money/account-cases.ts'
import { CASHOUT_CASES } from './money/cashout-cases.ts'
import { CURRENCY_CASES } from './money/currency-cases.ts'
import { MONEY_CASES } from './money/money-cases.ts'
import { RESETTLE_CASES } from './money/resettle-cases.ts'
import { ROLLBACK_CASES } from './money/rollback-cases.ts'
import { SETTLE_CASES } from './money/settle-cases.ts'
import { UNSETTLE_CASES } from './money/unsettle-cases.ts'
import { NEAR_MISS_CASES } from './near-miss-cases.ts'
import { PLACE_CASES } from './place-cases.ts'
import { PROFILE_CASES } from './profile-cases.ts'
import { RACE_CASES } from './race-cases.ts'
import { REPLAY_CASES } from './replay-cases.ts'
import { SIGNATURE_CASES } from './signature-cases.ts'

export const WALLET_CASES: readonly WalletCase[] = [
  ...SIGNATURE_CASES,
  ...MESSAGE_CASES,
  ...MEMBER_CASES,
  ...NEAR_MISS_CASES,
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
  ...LATE_REPEAT_CASES,
  ...ANSWER_FORMAT_CASES,
]
