/** The calls of the interface. `type` 1 has two meanings, between which the HTTP method decides. */
export const OPERATIONS = {
  place: { method: 'POST', path: '/payment/bet', type: 1 },
  settle: { method: 'PUT', path: '/payment/bet', type: 2 },
  unsettle: { method: 'PUT', path: '/payment/bet', type: 1 },
  rollback: { method: 'PUT', path: '/payment/bet', type: 3 },
  profile: { method: 'POST', path: '/user/profile' },
  balance: { method: 'POST', path: '/user/balance' },
  check: { method: 'POST', path: '/payment/check' },
} as const satisfies Record<string, { method: 'POST' | 'PUT'; path: string; type?: 1 | 2 | 3 }>

export type Operation = keyof typeof OPERATIONS

/** The four calls that change a bet. */
export type BetOperation = 'place' | 'settle' | 'unsettle' | 'rollback'

const BET_OPERATIONS = ['place', 'settle', 'unsettle', 'rollback'] as const

export function isBetOperation(operation: Operation): operation is BetOperation {
  return BET_OPERATIONS.some((name) => name === operation)
}

/** Undefined for a pair that the interface does not have (code 5). */
export function parseBetOperation(method: string, type: unknown): BetOperation | undefined {
  return BET_OPERATIONS.find((name) => OPERATIONS[name].method === method && OPERATIONS[name].type === type)
}

/**
 * True if the body has a member that only bet calls have (S-5). The signature covers neither method
 * nor path, so a recorded bet call could be sent to another endpoint.
 */
export function isBetCall(body: object): boolean {
  return Object.hasOwn(body, 'type')
}

/** The fault of a call with a bet call's body (S-5). */
export const TYPE_NOT_ALLOWED = 'type belongs to the calls to /payment/bet; no other call may have it'
