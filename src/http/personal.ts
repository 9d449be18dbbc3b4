/** What the role `read` is not shown (O-11): who a player is, and where from. The members stay, so that it is seen that there is something. */
import type { FastifyRequest } from 'fastify'
import { isObject, mapMembers } from '../protocol/json.ts'
import { CALLER, type Caller } from './caller.ts'

const MASK = '***'
/** Texts wherever they stand: of players, of their sessions and of what describes a bet. */
const PERSONAL = new Set(['birthday', 'ip', 'country', 'info'])
/** Numbers among the members of a profile that are about no person's name. */
const FIGURES = new Set(['percentMargin', 'avgBet', 'isAbuser', 'isVIP'])

/** Of an answer as its route gives it. A file or a stream has nothing personal; bodies of calls are for `support`. */
export function forRole(request: FastifyRequest, answer: unknown): unknown {
  return request.getDecorator<Caller | undefined>(CALLER)?.role === 'read' ? masked('', answer) : answer
}

function masked(name: string, value: unknown): unknown {
  if (name === 'customFields' && isObject(value)) return mapMembers(value, fieldMasked)
  if (typeof value === 'string') return PERSONAL.has(name) ? MASK : value
  if (Array.isArray(value)) return value.map((item) => masked('', item))
  return isObject(value) && !(value instanceof Date) ? mapMembers(value, masked) : value
}

/** An operator may keep members of its own: what is neither yes nor no nor a known figure can be a person's. */
function fieldMasked(name: string, value: unknown): unknown {
  return value === null || typeof value === 'boolean' || FIGURES.has(name) ? value : MASK
}
