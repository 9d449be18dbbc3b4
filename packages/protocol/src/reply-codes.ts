/**
 * Registry of the codes that a wallet returns. A test compares the reply table, the docs and
 * the conformance kit with this registry.
 *
 * The `errorCode` of a Rollback is another set (ROLLBACK_REASONS). The number 8 is in both sets.
 */
export const REPLY_CODES = {
  bad_signature: { code: 1, message: 'Request signature is invalid' },
  invalid_token: { code: 3, message: 'Invalid token' },
  expired_token: { code: 4, message: 'The token is out of date' },
  invalid_request: { code: 5, message: 'Request data is invalid' },
  not_enough_money: { code: 7, message: 'Not enough money' },
  already_processed: { code: 8, message: 'The bet has already been processed' },
  player_blocked: { code: 9, message: 'The user is blocked' },
  timed_out: { code: 10, message: "Request timeout on the partner's side" },
  stake_limit: { code: 11, message: 'The stake limit is exceeded' },
  loss_limit: { code: 12, message: 'The loss limit is exceeded' },
  bet_count_limit: { code: 13, message: 'The limit of the number of bets is exceeded' },
  self_excluded: { code: 14, message: 'The user is self-excluded' },
  not_verified: { code: 15, message: 'The user is not verified' },
  under_age: { code: 16, message: 'The user is under age' },
  recalculation_blocked: { code: 20, message: 'Recalculation transaction is blocked' },
  recalculation_negative: { code: 21, message: 'Recalculation transaction is blocked: the balance would go negative' },
  system_error: { code: 100, message: 'System error' },
} as const satisfies Record<string, { code: number; message: string }>

/** Outside packages/protocol/src code uses this name and not the number. */
export type ReplyCode = keyof typeof REPLY_CODES

export function replyCode(name: ReplyCode): number {
  return REPLY_CODES[name].code
}

export function replyCodes(...names: readonly ReplyCode[]): readonly number[] {
  return names.map(replyCode)
}

/** A Place bet that was declined for one of these reasons stays declined (I-3). */
export const REMEMBERED_REFUSALS = [
  'not_enough_money',
  'player_blocked',
  'stake_limit',
  'loss_limit',
  'bet_count_limit',
  'self_excluded',
  'not_verified',
  'under_age',
] as const satisfies readonly ReplyCode[]
export type RememberedRefusal = (typeof REMEMBERED_REFUSALS)[number]

/**
 * Reasons of a Rollback (interface.md, Rollback `errorCode` values). A wallet accepts any integer
 * (W-8).
 */
export const ROLLBACK_REASONS = {
  8: 'Odds have changed.',
  9: 'Event has already completed.',
  10: 'Request timeout on partner system.',
  32: 'Event has been withdrawn from trading.',
  50: 'Technical issues occurred while closing the bet.',
  52: "Technical issues on the partner's side.",
  110: 'Exceeded outcome limit for maximum bet.',
  111: 'Exceeded outcome limit for win bet.',
  112: 'Exceeded number of bets allowed on the event.',
  113: 'Exceeded player limit for maximum bet.',
  114: 'Exceeded player limit for maximum win.',
  115: 'Exceeded main betting limit.',
} as const satisfies Record<number, string>

export const ROLLBACK_REASON = {
  oddsChanged: 8,
  eventCompleted: 9,
  timeOut: 10,
  eventWithdrawn: 32,
  closingFailed: 50,
  partnerFailed: 52,
  outcomeMaxStake: 110,
  outcomeMaxWin: 111,
  eventMaxBets: 112,
  playerMaxStake: 113,
  playerMaxWin: 114,
  maxStake: 115,
} as const satisfies Record<string, keyof typeof ROLLBACK_REASONS>
