/**
 * Redaction of personal data in the answers of our own APIs.
 *
 * The role `read` sees neither identity nor origin of a player (O-11). A browser of any role sees
 * the identity only through the operation that reveals it (O-15). Redacted members have the value
 * `***`.
 */

import { isObject, mapMembers } from '@purser/protocol/values/exact-json'
import type { FastifyRequest } from 'fastify'
import { CALLER, type Principal } from './principal.ts'

const MASK = '***'
/**
 * Members of players, sessions and bet descriptions, at any depth. In bets they can have any JSON
 * type (W-3).
 */
const PERSONAL_MEMBERS = new Set(['birthday', 'ip', 'country', 'info'])
/** Figures of a profile that identify no person. */
const IMPERSONAL_NUMBERS = new Set(['percentMargin', 'avgBet', 'isAbuser', 'isVIP'])

/** Lists of players show this member, and the console searches by it. */
const SEARCHED_MEMBER = 'nickname'

/** Files and streams contain no personal data. Bodies of calls need the role `support`. */
export function redactForRole(request: FastifyRequest, answer: unknown): unknown {
  const principal = request.getDecorator<Principal | undefined>(CALLER)
  if (principal?.role === 'read') return maskPersonalData('', answer)
  return principal?.inBrowser && !opensPersonalData(request) ? hideIdentity('', answer) : answer
}

function opensPersonalData({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.schema as { operationId?: string } | undefined)?.operationId === 'openPersonalData'
}

/** Masks the identity except the nickname. The origin of a bet does not identify its player. */
function hideIdentity(name: string, value: unknown): unknown {
  if (name === 'customFields' && isObject(value))
    return mapMembers(value, (member, field) => (member === SEARCHED_MEMBER ? field : maskCustomField(member, field)))
  if (name === 'birthday' && typeof value === 'string') return MASK
  return mapChildren(value, hideIdentity)
}

function maskPersonalData(name: string, value: unknown): unknown {
  if (name === 'customFields' && isObject(value)) return mapMembers(value, maskCustomField)
  return PERSONAL_MEMBERS.has(name) ? maskLeaves(name, value) : mapChildren(value, maskPersonalData)
}

function maskLeaves(_name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  return typeof value === 'object' ? mapChildren(value, maskLeaves) : MASK
}

function mapChildren(value: unknown, mask: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mask('', item))
  return isObject(value) && !(value instanceof Date) ? mapMembers(value, mask) : value
}

/** An operator can add members of any kind, so only booleans and known figures stay visible. */
function maskCustomField(name: string, value: unknown): unknown {
  return value === null || typeof value === 'boolean' || IMPERSONAL_NUMBERS.has(name) ? value : MASK
}
