/** Of each server: the schema that its keys and actions are in, and the setting that holds its first key. */
import type { Server } from '../db/rights.ts'

export const OWN = {
  wallet: { schema: 'purser', setting: 'OPERATOR_API_KEY' },
  platform: { schema: 'platform', setting: 'PLATFORM_API_KEY' },
  gateway: { schema: 'gateway', setting: 'GATEWAY_API_KEY' },
} as const satisfies Record<Server, { readonly schema: string; readonly setting: string }>

export type { Server }
/** Whose table: each server has its own. */
export type Schema = (typeof OWN)[Server]['schema']
