/**
 * What the role `read` is not shown (O-11): who a player is, and where from. A browser is shown who a player is only by the call that opens it
 * (O-15). The members stay, so that it is seen that there is something.
 */
import type { FastifyRequest } from 'fastify'
import { isObject, mapMembers } from '../protocol/json.ts'
import { CALLER, type Caller } from './caller.ts'

const MASK = '***'
/** Members wherever they stand: of players, of their sessions and of what describes a bet, where they may be of any type (W-3). */
const PERSONAL = new Set(['birthday', 'ip', 'country', 'info'])
/** Numbers among the members of a profile that are about no person's name. */
const FIGURES = new Set(['percentMargin', 'avgBet', 'isAbuser', 'isVIP'])

/** What a list of players names them by, and a page that looks for one. */
const KNOWN_BY = 'nickname'

/** Of an answer as its route gives it. A file or a stream has nothing personal; bodies of calls are for `support`. */
export function forRole(request: FastifyRequest, answer: unknown): unknown {
  const caller = request.getDecorator<Caller | undefined>(CALLER)
  if (caller?.role === 'read') return masked('', answer)
  return caller?.inBrowser && !opens(request) ? folded('', answer) : answer
}

function opens({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.schema as { operationId?: string } | undefined)?.operationId === 'openPersonalData'
}

/** Of a profile all but what it is found by; where a bet came from says nothing of who a player is. */
function folded(name: string, value: unknown): unknown {
  if (name === 'customFields' && isObject(value))
    return mapMembers(value, (member, field) => (member === KNOWN_BY ? field : fieldMasked(member, field)))
  if (name === 'birthday' && typeof value === 'string') return MASK
  return inside(value, folded)
}

function masked(name: string, value: unknown): unknown {
  if (name === 'customFields' && isObject(value)) return mapMembers(value, fieldMasked)
  return PERSONAL.has(name) ? leavesMasked(name, value) : inside(value, masked)
}

function leavesMasked(_name: string, value: unknown): unknown {
  if (value === null || value === undefined) return value
  return typeof value === 'object' ? inside(value, leavesMasked) : MASK
}

function inside(value: unknown, mask: (name: string, value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mask('', item))
  return isObject(value) && !(value instanceof Date) ? mapMembers(value, mask) : value
}

/** An operator may keep members of its own: what is neither yes nor no nor a known figure can be a person's. */
function fieldMasked(name: string, value: unknown): unknown {
  return value === null || typeof value === 'boolean' || FIGURES.has(name) ? value : MASK
}
