/**
 * The permitted answers to User data, by the state of the token (P-1, P-2).
 *
 * In the simulation, operators store only a player's id and currencies. A live token has the active
 * currency.
 */
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import { parseRefusal } from '../actors/reply-parsing.ts'
import { answersByToken } from '../bet-life.ts'
import type { NetworkAnswer } from '../network/simulated-network.ts'
import type { TokenOracle } from './token-oracle.ts'

/** As `formatProfile` writes them. */
export function listPossibleProfiles(
  { stateOf, holderOf }: Pick<TokenOracle, 'stateOf' | 'holderOf'>,
  token: string,
  currencies: readonly string[],
): string[] {
  const { player: userId, currency } = holderOf(token) ?? {}
  const profile = formatMembers({ userId, currency, currencies })
  return answersByToken(stateOf(token, undefined)).map((verdict) => (verdict === 200 ? profile : `${verdict}`))
}

/** The order of the members does not matter. */
function formatMembers(members: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The code of a refusal, or all members. */
export function formatProfile(answer: NetworkAnswer): string {
  const members = answer.status === 200 ? parseJsonObject(answer.body.toString('utf8')) : undefined
  return members === undefined ? `${parseRefusal(answer) ?? answer.status}` : formatMembers(members)
}
