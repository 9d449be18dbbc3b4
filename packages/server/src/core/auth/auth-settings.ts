/**
 * For each server: the database schema with its API keys and audit log, and the setting that
 * contains its root key.
 */
import type { ServerKind } from '../database/schema/database-privileges.ts'

export const AUTH_SETTINGS = {
  wallet: { schema: 'purser', setting: 'OPERATOR_API_KEY' },
  platform: { schema: 'platform', setting: 'PLATFORM_API_KEY' },
  gateway: { schema: 'gateway', setting: 'GATEWAY_API_KEY' },
} as const satisfies Record<ServerKind, { readonly schema: string; readonly setting: string }>

export type { ServerKind }
/** Each server has its own tables. */
export type AuthSchema = (typeof AUTH_SETTINGS)[ServerKind]['schema']
