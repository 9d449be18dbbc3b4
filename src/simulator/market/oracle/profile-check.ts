/**
 * What User data may be answered, by what the auditor knows of the token (P-1, P-2): the operators of a market store of a player its id and its
 * currencies, so nothing else is told. A live token is in the active one (P-1).
 */
import { parseJsonObject } from '../../../protocol/values/exact-json.ts'
import { parseRefusal } from '../actors/reply-parsing.ts'
import { answersByToken } from '../bet-life.ts'
import type { NetworkAnswer } from '../network/simulated-network.ts'
import type { TokenOracle } from './token-oracle.ts'

/** In the words of `formatProfile`. */
export function listPossibleProfiles(
  { stateOf, holderOf }: Pick<TokenOracle, 'stateOf' | 'holderOf'>,
  token: string,
  currencies: readonly string[],
): string[] {
  const { player: userId, currency } = holderOf(token) ?? {}
  const profile = formatMembers({ userId, currency, currencies })
  return answersByToken(stateOf(token, undefined)).map((verdict) => (verdict === 200 ? profile : `${verdict}`))
}

/** Whatever the order of its members. */
function formatMembers(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What was answered: the code of a refusal, or all members. */
export function formatProfile(answer: NetworkAnswer): string {
  const members = answer.status === 200 ? parseJsonObject(answer.body.toString('utf8')) : undefined
  return members === undefined ? `${parseRefusal(answer) ?? answer.status}` : formatMembers(members)
}
