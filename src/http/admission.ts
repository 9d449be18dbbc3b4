/** Who gets into one of our own APIs: a key or session that somebody has (401), of a role that may do what the route does (403). */
import type { FastifyRequest } from 'fastify'
import type { Logger } from '../runtime/logger.ts'
import { type Measured, metricText } from '../runtime/metric-text.ts'
import {
  CALLER,
  type Caller,
  type Keys,
  mayDo,
  type Nobody,
  type Role,
  type SessionCheck,
  type SignedIn,
} from './caller.ts'
import { isInRights } from './key-rights.ts'
import { Problem } from './problem.ts'
import { isWorthALine, Strangers } from './strangers.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role whose keys may call the route. */
    readonly role?: Role
    /** It is no route of the document: it only says that its path takes other methods. */
    readonly refusesMethod?: true
  }
}

type Reason = Nobody | 'role'

export interface Admission extends Measured {
  /** Throws the problem of whoever is turned away; whoever is let in is known to `callerOf` from then on. */
  admit(request: FastifyRequest): Promise<void>
  /** Of a request that was let in and is still being answered: whether it would be let in now. */
  stillAdmits(request: FastifyRequest): Promise<boolean>
  /** Counts one that is nobody's; resolves when the answer that says so may go out (W-26). */
  turnAway(request: FastifyRequest, reason: Nobody): Promise<void>
  /** Resolves when the next password of this address may be computed (U-4), to its failures. */
  beforeGuess(request: FastifyRequest): Promise<number>
}

/** A key goes before a session. */
export function createAdmission(
  keys: Keys,
  log: Logger,
  signedIn: SignedIn = { of: async () => 'missing' },
): Admission {
  const strangers = new Strangers()
  const lesser = new Strangers()
  const keyless = new Strangers()
  const refused: Record<Reason, number> = { missing: 0, unknown: 0, role: 0 }
  const turnAway = async (request: FastifyRequest, reason: Nobody) => {
    refused[reason] += 1
    // A request without a key is no guess, and slows no password from its address.
    const failures = (reason === 'missing' ? keyless : strangers).note(request.source)
    if (isWorthALine(failures)) log.warn({ ...about(request), reason, failures }, 'a key was refused')
    if (reason === 'unknown') await strangers.hold(failures)
  }
  const noteRole = (request: FastifyRequest, { keyName: key, role }: Caller) => {
    const failures = lesser.note(request.source)
    if (!isWorthALine(failures)) return
    log.warn({ ...about(request), reason: 'role', key, role, failures }, 'a key was refused')
  }
  const whoAsks = async (request: FastifyRequest, check: SessionCheck = 'first'): Promise<Caller | Nobody> => {
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    return given === undefined ? signedIn.of(request, check) : ((await keys.find(given)) ?? 'unknown')
  }
  return {
    turnAway,
    beforeGuess: ({ source }) => strangers.beforeNext(source),
    async stillAdmits(request) {
      const caller = await whoAsks(request, 'again')
      return typeof caller !== 'string' && mayCall(caller, request)
    },
    async admit(request) {
      const caller = await whoAsks(request)
      if (typeof caller === 'string') {
        await turnAway(request, caller)
        throw new Problem(401, 'unauthorized', `send Authorization: Bearer <${keys.setting}>, or a key made with it`)
      }
      request.setDecorator(CALLER, caller)
      if (mayCall(caller, request)) return
      refused.role += 1
      noteRole(request, caller)
      throw forbidden(caller, request.routeOptions.config.role)
    },
    text: () => asText(refused),
  }
}

function mayCall(caller: Caller, { routeOptions }: FastifyRequest): boolean {
  const { role: least } = routeOptions.config
  if (least === undefined) return true
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string }
  if (caller.mustChange && operationId !== CHANGE_PASSWORD) return false
  if (caller.scope !== undefined && routeOptions.config.owner === undefined) return false
  return mayDo(caller, least) && (caller.rights === undefined || isInRights(caller.rights, operationId))
}

/** All that a caller may do who must change the password (U-4). */
export const CHANGE_PASSWORD = 'changeConsolePassword'

/** Never the key that was sent: it may be a good one with a letter too many. */
function about({ id, source, method, routeOptions }: FastifyRequest): object {
  return { requestId: id, address: source, method, route: routeOptions.url }
}

function forbidden(caller: Caller, least: Role = 'admin'): Problem {
  const { keyName, role, rights, scope, mustChange } = caller
  if (mustChange)
    return new Problem(
      403,
      'password_change_needed',
      'another person has set this password: choose one of your own first',
    )
  if (!mayDo(caller, least))
    return new Problem(403, 'forbidden', `this needs the role ${least}; ${keyName} has the role ${role}`)
  const limits = [
    ...(rights ? [`narrowed to the rights ${rights.join(', ')}`] : []),
    ...(scope ? [`limited to ${scope}`] : []),
  ]
  return new Problem(403, 'forbidden', `${keyName} is ${limits.join(' and ')}: use another key`)
}

function asText(refused: Readonly<Record<Reason, number>>): string {
  return metricText(
    'purser_keys_refused_total',
    'counter',
    'Requests to our own API that were turned away: no key or session, an unknown or ended one, one of a lesser role',
    Object.entries(refused).map(([reason, count]) => [{ reason }, count] as const),
  )
}
