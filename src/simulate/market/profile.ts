/**
 * What User data may be answered, by what the auditor knows of the token (P-1, P-2): the operators of a market store of a player its id and its
 * currencies, so nothing else is told. A live token is in the active one (P-1).
 */
import { objectIn } from '../../protocol/json.ts'
import { answersByToken } from './bet-life.ts'
import type { Answer } from './network.ts'
import { refusalOf } from './said.ts'
import type { ToldTokens } from './told-tokens.ts'

/** In the words of `profileText`. */
export function profileAnswers(
  { stateOf, holderOf }: Pick<ToldTokens, 'stateOf' | 'holderOf'>,
  token: string,
  currencies: readonly string[],
): string[] {
  const { player: userId, currency } = holderOf(token) ?? {}
  const profile = textOf({ userId, currency, currencies })
  return answersByToken(stateOf(token, undefined)).map((verdict) => (verdict === 200 ? profile : `${verdict}`))
}

/** Whatever the order of its members. */
function textOf(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What was answered: the code of a refusal, or all members. */
export function profileText(answer: Answer): string {
  const members = answer.status === 200 ? objectIn(answer.body.toString('utf8')) : undefined
  return members === undefined ? `${refusalOf(answer) ?? answer.status}` : textOf(members)
}
