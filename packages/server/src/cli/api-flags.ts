/**
 * The flags `--api` and `--key`. Their defaults fit a server on this machine with default settings.
 */
import { type ApiEndpoint, getFromApi } from '@purser/protocol/client/api-client'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { UsageError } from '@purser/runtime/errors/cli-errors'

const API_DEFAULTS = {
  wallet: { url: 'http://127.0.0.1:8080', keyName: 'OPERATOR_API_KEY' },
  platform: { url: 'http://127.0.0.1:8081', keyName: 'PLATFORM_API_KEY' },
  gateway: { url: 'http://127.0.0.1:8082', keyName: 'GATEWAY_API_KEY' },
} as const

type Server = keyof typeof API_DEFAULTS

/** Help text of `--api`. `other` is a second server that the command supports. */
export function describeApiFlag(other?: Exclude<Server, 'wallet'>): string {
  const { wallet } = API_DEFAULTS
  return `API address; default: ${wallet.url}${other === undefined ? '' : `, for a ${other} ${API_DEFAULTS[other].url}`}`
}

/** Help text of `--key`. */
export function describeKeyFlag(other?: Exclude<Server, 'wallet'>, kind = 'a key'): string {
  const { wallet } = API_DEFAULTS
  return `${kind} of the API; default: ${wallet.keyName}${other === undefined ? '' : ` or ${API_DEFAULTS[other].keyName}`}`
}

export interface ApiFlags {
  readonly api?: string
  readonly key?: string
}

/** Throws UsageError without a key. */
export function resolveApi(server: Server, flags: ApiFlags): ApiEndpoint {
  const { url, keyName } = API_DEFAULTS[server]
  const key = flags.key ?? process.env[keyName]
  if (!key) throw new UsageError(`the API key is missing: give --key, or set ${keyName}`)
  return { url: flags.api ?? url, key }
}

/** Throws UsageError when the wallet has no such player. */
export async function requirePlayer(api: ApiEndpoint, userId: string): Promise<void> {
  if ((await getFromApi(api, `/operator/players/${encodePathSegment(userId)}`)) === undefined)
    throw new UsageError(
      `--player: no player has the id ${userId}; purser show finds a player by the first six characters of the id`,
    )
}
