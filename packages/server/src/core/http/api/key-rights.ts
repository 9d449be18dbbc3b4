/**
 * Rights of a key (W-25). A key with rights may call only the operations of these rights that its
 * role permits. Wallet, platform and gateway share the list.
 */
export const KEY_RIGHTS = ['sessions', 'profiles', 'payments', 'adjust'] as const
export type KeyRight = (typeof KEY_RIGHTS)[number]

const OPERATIONS_BY_RIGHT: Readonly<Record<KeyRight, readonly string[]>> = {
  sessions: ['startSession', 'endSessions', 'switchCurrency', 'listSessions', 'loadFrame', 'exchangeToken'],
  profiles: ['createPlayer', 'changePlayer', 'readPlayer', 'listPlayers', 'openPersonalData'],
  payments: ['deposit', 'withdrawal', 'readBalances', 'readStatement'],
  adjust: ['adjustment', 'approveAdjustment', 'refuseAdjustment', 'listAdjustments', 'readBalances'],
}

/** No right includes an operation without a name. */
export function hasRightFor(rights: readonly KeyRight[], operationId: string | undefined): boolean {
  return operationId !== undefined && rights.some((right) => OPERATIONS_BY_RIGHT[right].includes(operationId))
}
