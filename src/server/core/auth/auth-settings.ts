/** Of each server: the schema that its keys and actions are in, and the setting that holds its first key. */
import type { ServerKind } from '../database/schema/database-privileges.ts'

export const AUTH_SETTINGS = {
  wallet: { schema: 'purser', setting: 'OPERATOR_API_KEY' },
  platform: { schema: 'platform', setting: 'PLATFORM_API_KEY' },
  gateway: { schema: 'gateway', setting: 'GATEWAY_API_KEY' },
} as const satisfies Record<ServerKind, { readonly schema: string; readonly setting: string }>

export type { ServerKind }
/** Whose table: each server has its own. */
export type AuthSchema = (typeof AUTH_SETTINGS)[ServerKind]['schema']
