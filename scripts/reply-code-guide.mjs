/**
 * Explains each reply code for docs/reference/codes.md and for the 400 replies in the OpenAPI
 * document. Codes and messages come from packages/protocol/src/reply-codes.ts, by name.
 */
const BET = ['place', 'settle', 'unsettle', 'rollback']
const EVERY = [...BET, 'profile', 'balance', 'check']
const TOKEN = ['place', 'settle', 'profile', 'balance']
const REMEMBERED = 'The same bet id is declined again with the same code (I-3).'

/** Name of a reply code → the calls that it answers, and the reason. */
export const REPLY_CODE_GUIDE = {
  bad_signature: {
    answers: EVERY,
    when: '`x-sign-jws` is missing or malformed, has another `alg`, or no valid secret verifies it for these bytes (S-1, S-2, S-3).',
  },
  invalid_token: {
    answers: TOKEN,
    when: 'The token never existed or belongs to another player (P-1). Among settlements only a cashout needs its token (L-4).',
  },
  expired_token: {
    answers: TOKEN,
    when: 'The token has expired, or the operator or a switch of the currency ended it (P-1, L-4).',
  },
  invalid_request: {
    answers: EVERY,
    when: 'The body is not JSON or too large, a member is missing or malformed, an amount is not exact, the method and `type` do not exist, the bet is unknown, or the currency differs from the bet or the token. The message names the fault (R-6, R-7, R-8, M-1, M-2, M-3, I-4, P-1, P-3, P-4, P-5, W-1, W-3).',
  },
  not_enough_money: { answers: ['place'], when: `The balance is smaller than the stake. ${REMEMBERED}` },
  already_processed: {
    answers: ['place', 'rollback'],
    when: 'Place bet: the bet id is cancelled, or was placed with another amount or currency. Rollback: the bet is settled; no money moves and an anomaly is recorded (I-1, the bet’s life).',
  },
  player_blocked: { answers: ['place'], when: `The operator has blocked the player (L-5). ${REMEMBERED}` },
  timed_out: {
    answers: [],
    when: 'This wallet never answers it: a call that cannot start in time gets code 100 (R-5).',
  },
  stake_limit: {
    answers: ['place'],
    when: `The stakes of the player’s UTC day would exceed \`limits.stake\` (W-2). ${REMEMBERED}`,
  },
  loss_limit: {
    answers: ['place'],
    when: `Stakes less payouts of the player’s UTC day would exceed \`limits.loss\` (W-2). ${REMEMBERED}`,
  },
  bet_count_limit: {
    answers: ['place'],
    when: `The bets of the player’s UTC day would exceed \`limits.betCount\` (W-2). ${REMEMBERED}`,
  },
  self_excluded: { answers: ['place'], when: `\`selfExcludedUntil\` is in the future (L-5). ${REMEMBERED}` },
  not_verified: { answers: ['place'], when: `\`verified\` is false (W-4). ${REMEMBERED}` },
  under_age: {
    answers: ['place'],
    when: `The player is younger than PURSER_MINIMUM_AGE by \`birthday\` (W-4). ${REMEMBERED}`,
  },
  recalculation_blocked: {
    answers: ['settle', 'unsettle'],
    when: 'The bet is cancelled, the operator has locked it, or PURSER_RESETTLE_WINDOW is over (L-3, the bet’s life).',
  },
  recalculation_negative: {
    answers: ['settle', 'unsettle'],
    when: 'The player no longer has the payout that would be taken back, and PURSER_CLAWBACK is `refuse` (L-2).',
  },
  system_error: {
    answers: EVERY,
    when: 'The wallet failed, could not start the call within 4 s, or had no answer within 4.75 s. Place bet gets HTTP 400, and the platform rolls back. Other calls get HTTP 500, and the platform tries again (R-4, R-5, W-20).',
  },
}

/** `errorCode` of a Rollback → the platform's reason. */
export const ROLLBACK_REASON_GUIDE = {
  8: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  9: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  10: 'Place bet got no answer within 5 s (C-2).',
  32: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  50: 'Closing the bet failed, or the platform was restarted while placing it (C-1, C-3).',
  52: 'Place bet got another unusable answer: code 100, a status other than 200 or 400, a network error (C-2).',
  110: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  111: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  112: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  113: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  114: 'The control stage finds it after the wallet has accepted the bet (C-3).',
  115: 'The control stage finds it after the wallet has accepted the bet (C-3).',
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
export function listCallNames(answers) {
  if (answers.length === EVERY.length) return 'every call'
  return answers.map((call) => CALL_NAMES[call]).join(', ') || 'none'
}
