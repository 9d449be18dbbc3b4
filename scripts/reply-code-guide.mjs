/**
 * Explains each reply code for docs/reference/codes.md and for the 400 replies in the OpenAPI
 * document. Codes and messages come from packages/protocol/src/reply-codes.ts, by name.
 */
const BET = ['place', 'settle', 'unsettle', 'rollback']
const EVERY = [...BET, 'profile', 'balance', 'check']
const TOKEN = ['place', 'settle', 'profile', 'balance']
const REMEMBERED = 'A later Place bet with the same id gets the same code (I-3).'

/** Name of a reply code → the calls that it answers, and the reason. */
export const REPLY_CODE_GUIDE = {
  bad_signature: {
    answers: EVERY,
    when: 'The signature in `x-sign-jws` is missing, malformed, or made with another algorithm. Or no valid secret verifies it for the received bytes (S-1, S-2, S-3).',
  },
  invalid_token: {
    answers: TOKEN,
    when: 'The token never existed, or it belongs to another player (P-1). A Settle needs a token only if it is a cashout (L-4).',
  },
  expired_token: {
    answers: TOKEN,
    when: 'The token existed but is no longer valid. It has expired, the operator has ended it, or the player has switched the currency (P-1, L-4).',
  },
  invalid_request: {
    answers: EVERY,
    when: 'The message names the fault. The body is not JSON or too large (R-8). A member is missing or malformed (R-7, W-1, W-3, P-5). An amount is no valid amount of its currency (M-1, M-2, M-3). No operation has this method and `type` (R-6). The bet is unknown (P-4). The currency differs from the currency of the bet or the token (I-4, P-1, P-3).',
  },
  not_enough_money: { answers: ['place'], when: `The balance is smaller than the stake. ${REMEMBERED}` },
  already_processed: {
    answers: ['place', 'rollback'],
    when: 'Place bet: the bet is cancelled, or it was already placed with another amount or currency. Rollback: the bet is settled. No money moves, and the wallet records an anomaly (I-1, [the life of a bet](decisions.md#the-life-of-a-bet)).',
  },
  player_blocked: { answers: ['place'], when: `The operator has blocked the player (L-5). ${REMEMBERED}` },
  timed_out: {
    answers: [],
    when: 'This wallet never answers this code. A call that cannot start in time gets code 100 (R-5).',
  },
  stake_limit: {
    answers: ['place'],
    when: `With this bet, the player’s stakes of the UTC day would exceed \`limits.stake\` (W-2). ${REMEMBERED}`,
  },
  loss_limit: {
    answers: ['place'],
    when: `With this bet, the player’s stakes minus payouts of the UTC day would exceed \`limits.loss\` (W-2). ${REMEMBERED}`,
  },
  bet_count_limit: {
    answers: ['place'],
    when: `With this bet, the number of the player’s bets of the UTC day would exceed \`limits.betCount\` (W-2). ${REMEMBERED}`,
  },
  self_excluded: {
    answers: ['place'],
    when: `The player is self-excluded: \`selfExcludedUntil\` is in the future (L-5). ${REMEMBERED}`,
  },
  not_verified: { answers: ['place'], when: `The player’s stored member \`verified\` is false (W-4). ${REMEMBERED}` },
  under_age: {
    answers: ['place'],
    when: `By the stored \`birthday\` the player is younger than PURSER_MINIMUM_AGE (W-4). ${REMEMBERED}`,
  },
  recalculation_blocked: {
    answers: ['settle', 'unsettle'],
    when: 'The bet is cancelled ([the life of a bet](decisions.md#the-life-of-a-bet)), or its result is locked. The operator has locked it, or the days of PURSER_RESETTLE_WINDOW are over (L-3).',
  },
  recalculation_negative: {
    answers: ['settle', 'unsettle'],
    when: 'The new result takes money back that the player no longer has, and PURSER_CLAWBACK is `refuse` (L-2).',
  },
  system_error: {
    answers: EVERY,
    when: 'The wallet failed, could not start the call within 4 s, or had no answer within 4.75 s. Place bet gets HTTP 400, and the platform rolls back. Other calls get HTTP 500, and the platform tries again (R-4, R-5, W-20).',
  },
}

const CONTROL_STAGE = 'The platform checks an accepted bet again, and this check failed (C-3).'

/** `errorCode` of a Rollback → the platform's reason. */
export const ROLLBACK_REASON_GUIDE = {
  8: CONTROL_STAGE,
  9: CONTROL_STAGE,
  10: 'The Place bet got no answer within 5 s (C-2).',
  32: CONTROL_STAGE,
  50: 'The platform could not complete the bet after its acceptance (C-3), or it was restarted during the placement (C-1).',
  52: 'The Place bet got another unusable answer, such as code 100, a status other than 200 or 400, or a network error (C-2).',
  110: CONTROL_STAGE,
  111: CONTROL_STAGE,
  112: CONTROL_STAGE,
  113: CONTROL_STAGE,
  114: CONTROL_STAGE,
  115: CONTROL_STAGE,
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
