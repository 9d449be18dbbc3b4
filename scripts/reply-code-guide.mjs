/**
 * Who answers a reply code, and when: the words of docs/reference/codes.md and of the 400 answers in the OpenAPI document.
 * The codes and messages themselves come from src/protocol/codes.ts. Keys are names there; ids are decisions.
 */
const BET = ['place', 'settle', 'unsettle', 'rollback']
const EVERY = [...BET, 'profile', 'balance', 'check']
const TOKEN = ['place', 'settle', 'profile', 'balance']
const REMEMBERED = 'The same bet id gets the same refusal again (I-3).'

/** Per name of a reply code: the calls it answers, and the reason. */
export const REPLY_CODE_GUIDE = {
  bad_signature: {
    answers: EVERY,
    when: '`x-sign-jws` is missing or malformed, has another `alg`, or does not sign these bytes with a valid secret (S-1, S-2, S-3).',
  },
  invalid_token: {
    answers: TOKEN,
    when: 'The token never existed or belongs to another player (P-1). Of settlements, only a cashout looks at its token (L-4).',
  },
  expired_token: {
    answers: TOKEN,
    when: 'The token has expired, or was ended by the operator or by a switch of the currency (P-1, L-4).',
  },
  invalid_request: {
    answers: EVERY,
    when: 'Not JSON, too large, a member missing or malformed, an amount that cannot be held exactly, a method and `type` that do not exist, an unknown bet, another currency than the bet’s or the token’s; the message says which (R-6, R-7, R-8, M-1, M-2, M-3, I-4, P-1, P-3, P-4, P-5, W-1, W-3).',
  },
  not_enough_money: { answers: ['place'], when: `The balance is smaller than the stake. ${REMEMBERED}` },
  already_processed: {
    answers: ['place', 'rollback'],
    when: 'Place bet: the bet id is cancelled, or placed with another amount or currency. Rollback: the bet is settled; nothing moves and an anomaly is noted (I-1, the bet’s life).',
  },
  player_blocked: { answers: ['place'], when: `The operator has blocked the player (L-5). ${REMEMBERED}` },
  timed_out: {
    answers: [],
    when: 'Never answered by this wallet: a call that cannot start in time is code 100 (R-5).',
  },
  stake_limit: {
    answers: ['place'],
    when: `The stakes of the player’s UTC day would pass \`limits.stake\` (W-2). ${REMEMBERED}`,
  },
  loss_limit: {
    answers: ['place'],
    when: `Stakes less payouts of the player’s UTC day would pass \`limits.loss\` (W-2). ${REMEMBERED}`,
  },
  bet_count_limit: {
    answers: ['place'],
    when: `The bets of the player’s UTC day would pass \`limits.betCount\` (W-2). ${REMEMBERED}`,
  },
  self_excluded: { answers: ['place'], when: `\`selfExcludedUntil\` is in the future (L-5). ${REMEMBERED}` },
  not_verified: { answers: ['place'], when: `\`verified\` is false (W-4). ${REMEMBERED}` },
  under_age: {
    answers: ['place'],
    when: `The \`birthday\` is later than PURSER_MINIMUM_AGE years ago (W-4). ${REMEMBERED}`,
  },
  recalculation_blocked: {
    answers: ['settle', 'unsettle'],
    when: 'The bet is cancelled, the operator has locked it, or PURSER_RESETTLE_WINDOW is over (L-3, the bet’s life).',
  },
  recalculation_negative: {
    answers: ['settle', 'unsettle'],
    when: 'The payout to be taken back is not there any more and PURSER_CLAWBACK is `refuse` (L-2).',
  },
  system_error: {
    answers: EVERY,
    when: 'The wallet itself failed, or could not start within 4 s, or had no answer within 4.75 s. Place bet: HTTP 400, the platform rolls back. Every other call: HTTP 500, the platform tries again (R-4, R-5, W-20).',
  },
}

/** Per rollback `errorCode`: when the platform sends it. */
export const ROLLBACK_REASON_GUIDE = {
  8: 'Control stage, after the wallet’s yes (C-3).',
  9: 'Control stage, after the wallet’s yes (C-3).',
  10: 'Place bet had no answer within 5 s (C-2).',
  32: 'Control stage, after the wallet’s yes (C-3).',
  50: 'Closing the bet failed, or the platform was restarted while placing it (C-1, C-3).',
  52: 'Place bet had any other unusable answer: code 100, a status other than 200 or 400, a network error (C-2).',
  110: 'Control stage, after the wallet’s yes (C-3).',
  111: 'Control stage, after the wallet’s yes (C-3).',
  112: 'Control stage, after the wallet’s yes (C-3).',
  113: 'Control stage, after the wallet’s yes (C-3).',
  114: 'Control stage, after the wallet’s yes (C-3).',
  115: 'Control stage, after the wallet’s yes (C-3).',
}

export const CALL_NAMES = {
  place: 'Place bet',
  settle: 'Settle',
  unsettle: 'Unsettle',
  rollback: 'Rollback',
  profile: 'User data',
  balance: 'Balance',
  check: 'Check',
}

/** "every call", or the names of the calls that a code answers. */
export function namesOf(answers) {
  if (answers.length === EVERY.length) return 'every call'
  return answers.map((call) => CALL_NAMES[call]).join(', ') || 'none'
}
