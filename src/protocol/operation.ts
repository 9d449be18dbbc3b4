/** The calls of the interface and where each lives. `type` 1 means two things, told apart by the method. */
export const OPERATIONS = {
  place: { method: 'POST', path: '/payment/bet', type: 1 },
  settle: { method: 'PUT', path: '/payment/bet', type: 2 },
  unsettle: { method: 'PUT', path: '/payment/bet', type: 1 },
  rollback: { method: 'PUT', path: '/payment/bet', type: 3 },
  profile: { method: 'POST', path: '/user/profile' },
  balance: { method: 'POST', path: '/user/balance' },
  check: { method: 'POST', path: '/payment/check' },
} as const satisfies Record<string, { method: 'POST' | 'PUT'; path: string; type?: 1 | 2 | 3 }>

/** Any call of the interface. */
export type Operation = keyof typeof OPERATIONS

/** The four calls that change a bet. */
export type BetOperation = 'place' | 'settle' | 'unsettle' | 'rollback'

const BET_OPERATIONS = ['place', 'settle', 'unsettle', 'rollback'] as const

export function isBetOperation(operation: Operation): operation is BetOperation {
  return BET_OPERATIONS.some((name) => name === operation)
}

/** Which bet operation a method and a `type` name; undefined for a pair that the interface does not have (code 5). */
export function parseBetOperation(method: string, type: unknown): BetOperation | undefined {
  return BET_OPERATIONS.find((name) => OPERATIONS[name].method === method && OPERATIONS[name].type === type)
}

/**
 * True for a body that only a bet call has, whatever its `type` says (S-5). The signature covers neither method nor path, so
 * whoever recorded a bet call could send it to the other endpoints, which need no more than some of its members.
 */
export function isBetCall(body: object): boolean {
  return Object.hasOwn(body, 'type')
}

/** Why such a body is no other call (S-5). */
export const TYPE_NOT_ALLOWED = 'type belongs to the calls to /payment/bet; no other call may have it'
