/** Where a command finds our own APIs when nobody says it: as the servers listen when nobody tells them otherwise. */
import { getFrom, type OwnApi } from '../http/own-api.ts'
import { pathPart } from '../protocol/path-part.ts'
import { WrongUse } from '../runtime/wrong-use.ts'

const OWN_SERVERS = {
  wallet: { url: 'http://127.0.0.1:8080', keyName: 'OPERATOR_API_KEY' },
  platform: { url: 'http://127.0.0.1:8081', keyName: 'PLATFORM_API_KEY' },
  gateway: { url: 'http://127.0.0.1:8082', keyName: 'GATEWAY_API_KEY' },
} as const

type Server = keyof typeof OWN_SERVERS

/** Of `--api`, of a command that asks a wallet, and another server by a flag of its own. */
export function addressOr(other?: Exclude<Server, 'wallet'>): string {
  const { wallet } = OWN_SERVERS
  return `the address; ${wallet.url}${other === undefined ? '' : `, of a ${other} ${OWN_SERVERS[other].url}`}, when absent`
}

/** Of `--key`, likewise. */
export function keyOr(other?: Exclude<Server, 'wallet'>, kind = 'a key'): string {
  const { wallet } = OWN_SERVERS
  return `${kind} of its API; ${wallet.keyName}${other === undefined ? '' : ` or ${OWN_SERVERS[other].keyName}`} when absent`
}

export interface ApiFlags {
  readonly api?: string
  readonly key?: string
}

/** Throws WrongUse when there is no key. */
export function apiOf(server: Server, flags: ApiFlags): OwnApi {
  const { url, keyName } = OWN_SERVERS[server]
  const key = flags.key ?? process.env[keyName]
  if (!key) throw new WrongUse(`give --key, or set ${keyName}`)
  return { url: flags.api ?? url, key }
}

/** Of a wallet: throws WrongUse when it has no such player. */
export async function requirePlayer(api: OwnApi, userId: string): Promise<void> {
  if ((await getFrom(api, `/operator/players/${pathPart(userId)}`)) === undefined)
    throw new WrongUse(
      `--player: there is no player ${userId}; purser show finds one by the first six characters of its id`,
    )
}
