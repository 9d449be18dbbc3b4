/**
 * Rights of a key (W-25): each names the operations that a key narrowed to it may call. A right adds
 * nothing to a role. The same list serves wallet, platform and gateway.
 */
export const KEY_RIGHTS = ['sessions', 'profiles', 'payments', 'adjust'] as const
export type KeyRight = (typeof KEY_RIGHTS)[number]

const OPERATIONS_BY_RIGHT: Readonly<Record<KeyRight, readonly string[]>> = {
  sessions: ['startSession', 'endSessions', 'switchCurrency', 'listSessions', 'loadFrame', 'exchangeToken'],
  profiles: ['createPlayer', 'changePlayer', 'readPlayer', 'listPlayers', 'openPersonalData'],
  payments: ['deposit', 'withdrawal', 'readBalances', 'readStatement'],
  adjust: ['adjustment', 'approveAdjustment', 'refuseAdjustment', 'listAdjustments', 'readBalances'],
}

/** An operation without a name is in no right. */
export function hasRightFor(rights: readonly KeyRight[], operationId: string | undefined): boolean {
  return operationId !== undefined && rights.some((right) => OPERATIONS_BY_RIGHT[right].includes(operationId))
}
