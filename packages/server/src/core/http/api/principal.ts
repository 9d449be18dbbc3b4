/** The caller of our own API: its key, the user who signed in, and its role and rights (W-25). */
import type { FastifyRequest } from 'fastify'
import type { KeyRight } from './key-rights.ts'

/** Each role includes the rights of the roles before it. */
export const ROLES = ['read', 'support', 'cash', 'admin'] as const
export type Role = (typeof ROLES)[number]

export interface Principal {
  /** The key's name in the audit log: its own name, or the setting that contains it. */
  readonly keyName: string
  /** The first characters of the key's SHA-256. */
  readonly keyHash: string
  readonly role: Role
  /** Absent: all rights of the role. */
  readonly rights?: readonly KeyRight[]
  /** The user who signed in by name (U-4). A name in the request has no effect then. */
  readonly person?: string
  /** The brand, partner or operator to which the key is limited (key-scope.ts). */
  readonly scope?: string
  /** Another user set the password: only its change is permitted (U-4). */
  readonly mustChange?: true
  /** The console hides personal data until a user reveals it, with an audit entry (O-15). */
  readonly inBrowser?: true
}

export interface ApiKeyLookup {
  /** The setting that contains the first key; a 401 names it. */
  readonly setting: string
  /** Undefined: the key does not exist. Rejects if the keys cannot be read. */
  find(key: string): Promise<Principal | undefined>
}

/** `missing`: the request has no credentials. `unknown`: the credentials are not valid. */
export type AuthFailure = 'missing' | 'unknown'

export interface SessionAuth {
  /**
   * `missing` includes a request that may come from another page. `unknown` includes an ended
   * session.
   */
  authenticate(request: FastifyRequest, check?: SessionCheck): Promise<Principal | AuthFailure>
}

/** `again`: the request was accepted before, so this check does not extend the session. */
export type SessionCheck = 'first' | 'again'

export function hasRole({ role }: Principal, leastRole: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(leastRole)
}

export const CALLER = 'caller'

/** Only for an authenticated request. */
export function principalOf(request: FastifyRequest): Principal {
  return request.getDecorator<Principal>(CALLER)
}
