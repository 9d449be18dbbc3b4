/** Who calls one of our own APIs: the key that was shown, and what its role may do (W-25). */
import type { FastifyRequest } from 'fastify'
import type { KeyRight } from './key-rights.ts'

/** Each may do what those before it may. */
export const ROLES = ['read', 'support', 'cash', 'admin'] as const
export type Role = (typeof ROLES)[number]

export interface Principal {
  /** As the action log names it: the name it was made with, or the setting that holds it. */
  readonly keyName: string
  /** The beginning of its SHA-256. */
  readonly keyHash: string
  readonly role: Role
  /** Of a key that is narrowed to these; absent: all that its role may do. */
  readonly rights?: readonly KeyRight[]
  /** Who signed in by name (U-4): whatever a request says of a person, it is this one. */
  readonly person?: string
  /** Of a key that is limited to what belongs to one brand, partner or operator (key-scope.ts). */
  readonly scope?: string
  /** Signed in with a password that another person has set: it may only be changed (U-4). */
  readonly mustChange?: true
  /** In a browser, by a session of the console: what is personal of a player is folded until it is opened, which is kept (O-15). */
  readonly inBrowser?: true
}

/** Whoever knows the keys of an API. */
export interface ApiKeyLookup {
  /** The setting that holds the first key, for the hint in a 401. */
  readonly setting: string
  /** Undefined when nobody has this key. Rejects when that cannot be found out. */
  find(key: string): Promise<Principal | undefined>
}

/** Why a request is nobody's: it shows nothing, or something that nobody has. */
export type AuthFailure = 'missing' | 'unknown'

/** Whoever knows who is signed in with a browser. */
export interface SessionAuth {
  /** `missing` also when the request cannot be trusted to come from our own page; `unknown` when it shows a session that is none or has ended. */
  authenticate(request: FastifyRequest, check?: SessionCheck): Promise<Principal | AuthFailure>
}

/** `again`: the request was let in before, so that this check is no use of the session. */
export type SessionCheck = 'first' | 'again'

export function hasRole({ role }: Principal, leastRole: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(leastRole)
}

/** The name under which a request carries its caller. */
export const CALLER = 'caller'

/** Of a request that was let in. */
export function principalOf(request: FastifyRequest): Principal {
  return request.getDecorator<Principal>(CALLER)
}
