/** Rules for the body of an accepted answer, each with a name. */

import { BalanceReplySchema, CustomFieldsSchema, UserProfileSchema } from '@purser/protocol/user-profile'
import { isObject } from '@purser/protocol/values/exact-json'
import { parseWireBalance } from '@purser/protocol/values/money'
import { CheckReplySchema } from '@purser/protocol/wire-reply'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { FixturePlayer, PlayerAccount } from '../players/player-fixtures.ts'

export type AnswerBody = Readonly<Record<string, unknown>>

export interface BodyContext {
  readonly player: FixturePlayer
  readonly account: PlayerAccount
  readonly betId: string
  /** Minor units: the amount of the case's call. */
  readonly amount: bigint | undefined
  /** The body of the first success of this operation on this bet. */
  readonly first: AnswerBody
}

/** Returns the fault. */
type BodyCheck = (body: AnswerBody, about: BodyContext) => string | undefined

/** The interface lists no values of userStatus. */
const { userStatus: _, ...shownFields } = CustomFieldsSchema.properties
const profileCheck = Compile(
  Type.Object({ ...UserProfileSchema.properties, customFields: Type.Optional(Type.Object(shownFields)) }),
)
const balanceCheck = Compile(BalanceReplySchema)
const checkCheck = Compile(CheckReplySchema)

function checkSchema(check: ReturnType<typeof Compile>, body: AnswerBody): string | undefined {
  if (check.Check(body)) return undefined
  const [first] = check.Errors(body)
  return `${first?.instancePath.slice(1) || 'the body'} ${first?.message ?? 'does not fit'}`
}

function checkMember(name: string, body: AnswerBody, expected: string): string | undefined {
  return body[name] === expected ? undefined : `${name} is ${JSON.stringify(body[name])} instead of "${expected}"`
}

export const BODY_RULES = {
  'fits the profile': (body) => checkSchema(profileCheck, body),
  'fits the balance': (body) => checkSchema(balanceCheck, body),
  'fits the check': (body) => checkSchema(checkCheck, body),
  'names the player': (body, { player }) => checkMember('userId', body, player.userId),
  'names the bet': (body, { betId }) => checkMember('transactionId', body, betId),
  'names the currency': (body, { account }) => checkMember('currency', body, account.currency),
  'has the currency among the currencies': ({ currency, currencies }) =>
    Array.isArray(currencies) && !currencies.includes(currency)
      ? `currencies do not have ${JSON.stringify(currency)}`
      : undefined,
  'has the amount': (body, { account, amount }) =>
    parseWireBalance(body.amount, account.scale) === amount ? undefined : `amount is ${JSON.stringify(body.amount)}`,
  'has the time of the first answer': ({ transactionTime }, { first }) =>
    transactionTime === first.transactionTime
      ? undefined
      : `transactionTime is ${JSON.stringify(transactionTime)}, at first it was ${JSON.stringify(first.transactionTime)}`,
  'has the known test flag and country': (body, { player }) => {
    const country = isObject(body.customFields) ? body.customFields.userCountry : undefined
    if ((body.isTest ?? false) !== (player.known?.isTest ?? false)) return `isTest is ${JSON.stringify(body.isTest)}`
    return country === player.known?.userCountry ? undefined : `userCountry is ${JSON.stringify(country)}`
  },
  'contradicts no known field': ({ customFields }, { player: { known = {} } }) => {
    const fields = isObject(customFields) ? customFields : {}
    const wrong = Object.entries(known).find(([name, value]) => fields[name] !== undefined && fields[name] !== value)
    return wrong && `${wrong[0]} is ${JSON.stringify(fields[wrong[0]])} instead of ${JSON.stringify(wrong[1])}`
  },
  /** operatorUser only identifies the player (P-5). */
  'has no unstored field': ({ customFields }) => {
    const { operatorUser: _, ...fields } = isObject(customFields) ? customFields : {}
    const [first] = Object.entries(fields)
    return first && `${first[0]} is ${JSON.stringify(first[1])}, which was never stored`
  },
} as const satisfies Record<string, BodyCheck>

export type BodyRule = keyof typeof BODY_RULES

export function findBodyProblem(rules: readonly BodyRule[], body: AnswerBody, about: BodyContext): string | undefined {
  const checks: readonly BodyCheck[] = rules.map((rule) => BODY_RULES[rule])
  return checks.map((check) => check(body, about)).find((problem) => problem !== undefined)
}
