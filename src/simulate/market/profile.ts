/**
 * What User data may be answered, by what the auditor knows of the token (P-1, P-2): the operators of a market store of a player its id and its
 * currency, so nothing else is told.
 */
import { objectIn } from '../../protocol/json.ts'
import { answersByToken } from './bet-life.ts'
import type { Answer } from './network.ts'
import { refusalOf } from './said.ts'
import type { ToldTokens } from './told-tokens.ts'

const CURRENCY = 'EUR'

/** In the words of `profileText`. */
export function profileAnswers(
  { stateOf, playerOf }: Pick<ToldTokens, 'stateOf' | 'playerOf'>,
  token: string,
): string[] {
  const profile = profileOf(`${playerOf(token)}`)
  return answersByToken(stateOf(token, undefined)).map((verdict) => (verdict === 200 ? profile : `${verdict}`))
}

function profileOf(userId: string): string {
  return textOf({ userId, currency: CURRENCY, currencies: [CURRENCY] })
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
