/**
 * Authentication and authorization of our own APIs: 401 without a valid key or session, 403 without
 * a sufficient role.
 */

import type { Logger } from '@purser/runtime/logger'
import type { FastifyRequest } from 'fastify'
import { formatMetric, type MetricSource } from '../../observability/metrics-exposition.ts'
import { FailedAuthThrottle, shouldLog } from '../auth-throttle.ts'
import { hasRightFor } from './key-rights.ts'
import {
  type ApiKeyLookup,
  type AuthFailure,
  CALLER,
  hasRole,
  type Principal,
  type Role,
  type SessionAuth,
  type SessionCheck,
} from './principal.ts'
import { Problem } from './problem-details.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The least role that may call the route. */
    readonly role?: Role
    /** The route only answers 405 to unsupported methods, and is not in the API reference. */
    readonly refusesMethod?: true
  }
}

type RejectionReason = AuthFailure | 'role'

export interface Authenticator extends MetricSource {
  /** Throws the problem of a rejected request. Otherwise `principalOf` returns its caller. */
  authenticate(request: FastifyRequest): Promise<void>
  /** Repeats the check for a request that is still being answered. */
  isStillAllowed(request: FastifyRequest): Promise<boolean>
  /** Counts a failed authentication. Resolves when the 401 may be sent (W-26). */
  reject(request: FastifyRequest, reason: AuthFailure): Promise<void>
  /** Resolves when the address may try its next password (U-4). Returns its number of failures. */
  waitForNextAttempt(request: FastifyRequest): Promise<number>
}

/** A key has priority over a session. */
export function createAuthenticator(
  keys: ApiKeyLookup,
  log: Logger,
  sessionAuth: SessionAuth = { authenticate: async () => 'missing' },
): Authenticator {
  const wrongKeys = new FailedAuthThrottle()
  const insufficientRoles = new FailedAuthThrottle()
  const missingKeys = new FailedAuthThrottle()
  const rejected: Record<RejectionReason, number> = { missing: 0, unknown: 0, role: 0 }
  const reject = async (request: FastifyRequest, reason: AuthFailure) => {
    rejected[reason] += 1
    // A request without a key is no guess, and delays no password check of its address.
    const failures = (reason === 'missing' ? missingKeys : wrongKeys).recordFailure(request.source)
    if (shouldLog(failures)) log.warn({ ...toLogFields(request), reason, failures }, 'an API key was rejected')
    if (reason === 'unknown') await wrongKeys.delayResponse(failures)
  }
  const recordInsufficientRole = (request: FastifyRequest, { keyName: key, role }: Principal) => {
    const failures = insufficientRoles.recordFailure(request.source)
    if (!shouldLog(failures)) return
    log.warn({ ...toLogFields(request), reason: 'role', key, role, failures }, 'an API key was rejected')
  }
  const findPrincipal = async (
    request: FastifyRequest,
    check: SessionCheck = 'first',
  ): Promise<Principal | AuthFailure> => {
    const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    return given === undefined ? sessionAuth.authenticate(request, check) : ((await keys.find(given)) ?? 'unknown')
  }
  return {
    reject,
    waitForNextAttempt: ({ source }) => wrongKeys.waitForNextAttempt(source),
    async isStillAllowed(request) {
      const principal = await findPrincipal(request, 'again')
      return typeof principal !== 'string' && isAuthorized(principal, request)
    },
    async authenticate(request) {
      const principal = await findPrincipal(request)
      if (typeof principal === 'string') {
        await reject(request, principal)
        throw new Problem(
          401,
          'unauthorized',
          `the request has no valid key: send Authorization: Bearer <${keys.setting}>, or an API key created with it`,
        )
      }
      request.setDecorator(CALLER, principal)
      if (isAuthorized(principal, request)) return
      rejected.role += 1
      recordInsufficientRole(request, principal)
      throw toForbiddenProblem(principal, request.routeOptions.config.role)
    },
    text: () => formatRejections(rejected),
  }
}

function isAuthorized(principal: Principal, { routeOptions }: FastifyRequest): boolean {
  const { role: leastRole } = routeOptions.config
  if (leastRole === undefined) return true
  const { operationId } = (routeOptions.schema ?? {}) as { operationId?: string }
  if (principal.mustChange && operationId !== CHANGE_PASSWORD) return false
  if (principal.scope !== undefined && routeOptions.config.owner === undefined) return false
  return hasRole(principal, leastRole) && (principal.rights === undefined || hasRightFor(principal.rights, operationId))
}

/** The only operation of a caller who must change the password (U-4). */
export const CHANGE_PASSWORD = 'changeConsolePassword'

/** Never contains the rejected key, which may be a valid key with a typing error. */
function toLogFields({ id, source, method, routeOptions }: FastifyRequest): object {
  return { requestId: id, address: source, method, route: routeOptions.url }
}

function toForbiddenProblem(principal: Principal, leastRole: Role = 'admin'): Problem {
  const { keyName, role, rights, scope, mustChange } = principal
  if (mustChange)
    return new Problem(
      403,
      'password_change_needed',
      'another person set this password: choose your own password first',
    )
  if (!hasRole(principal, leastRole))
    return new Problem(
      403,
      'forbidden',
      `this request needs the role ${leastRole}, but ${keyName} has the role ${role}: use a key with more rights`,
    )
  const limits = [
    ...(rights ? [`narrowed to the rights ${rights.join(', ')}`] : []),
    ...(scope ? [`limited to ${scope}`] : []),
  ]
  return new Problem(403, 'forbidden', `${keyName} is ${limits.join(' and ')}: use another key`)
}

function formatRejections(rejected: Readonly<Record<RejectionReason, number>>): string {
  return formatMetric(
    'purser_auth_failures_total',
    'counter',
    'Rejected requests to our own API: the key or session is missing, unknown, expired or has too few rights',
    Object.entries(rejected).map(([reason, count]) => [{ reason }, count] as const),
  )
}
