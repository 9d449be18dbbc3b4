/** Reasons why a call was rejected, as words that can follow "because". */
import { REMEMBERED_REFUSALS, REPLY_CODES, type RememberedRefusal } from '@purser/protocol/reply-codes'

/** The remembered rejections (I-3). */
const WHY_REFUSED: Readonly<Record<RememberedRefusal, string>> = {
  not_enough_money: 'there was not enough money',
  player_blocked: 'the account is blocked',
  stake_limit: 'the daily stake limit was reached',
  loss_limit: 'the daily loss limit was reached',
  bet_count_limit: 'the daily bet limit was reached',
  self_excluded: 'the player is self-excluded',
  not_verified: 'the player is not verified',
  under_age: 'the player is under age',
}

export const REFUSAL_REASONS: ReadonlyMap<number, string> = new Map(
  REMEMBERED_REFUSALS.map((name) => [REPLY_CODES[name].code, WHY_REFUSED[name]]),
)

/** "not enough money (7)", with the code's name. */
export function describeReplyCode(code: number): string {
  const name = replyCodeName(code)
  return name === undefined ? `code ${code}` : `${name} (${code})`
}

/** Undefined if the interface has no such code. */
export function replyCodeName(code: number): string | undefined {
  const [name] = Object.entries(REPLY_CODES).find(([, one]) => one.code === code) ?? []
  return name?.replaceAll('_', ' ')
}
