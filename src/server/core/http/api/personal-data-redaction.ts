/**
 * What the role `read` is not shown (O-11): who a player is, and where from. A browser is shown who a player is only by the call that opens it
 * (O-15). The members stay, so that it is seen that there is something.
 */
import type { FastifyRequest } from 'fastify'
import { isObject, mapMembers } from '../../../../protocol/values/exact-json.ts'
import { CALLER, type Principal } from './principal.ts'

const MASK = '***'
/** Members wherever they stand: of players, of their sessions and of what describes a bet, where they may be of any type (W-3). */
const PERSONAL_MEMBERS = new Set(['birthday', 'ip', 'country', 'info'])
/** Numbers among the members of a profile that are about no person's name. */
const IMPERSONAL_NUMBERS = new Set(['percentMargin', 'avgBet', 'isAbuser', 'isVIP'])

/** What a list of players names them by, and a page that looks for one. */
const SEARCHED_MEMBER = 'nickname'

/** Of an answer as its route gives it. A file or a stream has nothing personal; bodies of calls are for `support`. */
export function redactForRole(request: FastifyRequest, answer: unknown): unknown {
  const principal = request.getDecorator<Principal | undefined>(CALLER)
  if (principal?.role === 'read') return maskPersonalData('', answer)
  return principal?.inBrowser && !opensPersonalData(request) ? hideIdentity('', answer) : answer
}

function opensPersonalData({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.schema as { operationId?: string } | undefined)?.operationId === 'openPersonalData'
}

/** Of a profile all but what it is found by; where a bet came from says nothing of who a player is. */
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

/** An operator may keep members of its own: what is neither yes nor no nor a known figure can be a person's. */
function maskCustomField(name: string, value: unknown): unknown {
  return value === null || typeof value === 'boolean' || IMPERSONAL_NUMBERS.has(name) ? value : MASK
}
