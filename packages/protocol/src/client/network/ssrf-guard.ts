/**
 * Guard against server-side request forgery (SSRF) through addresses that users save (O-17).
 *
 * The calls start inside the server's network. Private, loopback and link-local addresses, and
 * plain HTTP, are refused unless a setting permits them. An address is checked when it is saved and
 * at each connection.
 */
import { lookup as resolve } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { environment } from '@purser/runtime/environment'
import { buildConnector } from 'undici'
import { findUrlFault, type Reach, type UrlUse } from '../../values/base-url.ts'
import { cachedLookup } from './dns-cache.ts'
import { isSpecial } from './special-networks.ts'

/**
 * Returns the rest of a sentence that begins with the member's name; undefined for a usable URL. A
 * name that does not resolve is accepted, because it may resolve later.
 */
export async function findAddressFault(
  text: string,
  reach: Reach,
  use: UrlUse = 'wallet',
): Promise<string | undefined> {
  const fault = findUrlFault(text, use)
  if (fault !== undefined) return fault
  const url = new URL(text)
  if (!reach.plainHttp && url.protocol === 'http:')
    return 'must begin with https://: give such an address, or set PURSER_PLAIN_HTTP=allow where the network is private'
  if (reach.privateAddresses) return undefined
  const addresses = await resolveAddresses(hostOf(url))
  return addresses.some(isSpecial)
    ? 'leads into a private or reserved network: give a public address, or set PURSER_PRIVATE_ADDRESSES=allow'
    : undefined
}

/** An address or a setting can change after the address was saved. */
export function createGuardedConnector(reach: Reach, options: buildConnector.BuildOptions): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: reach.privateAddresses ? cachedLookup : guardedLookup })
  return (target, callback) => {
    const refusal = findUrlRefusal(target, reach)
    if (refusal === undefined) return connect(target, callback)
    environment.nextTurn(() => callback(new Error(refusal), null))
  }
}

/** Sockets look up only names, so an IP address is checked here. */
export function findUrlRefusal(
  target: Pick<URL, 'hostname' | 'protocol'>,
  { privateAddresses, plainHttp }: Reach,
): string | undefined {
  const host = hostOf(target)
  if (!plainHttp && target.protocol === 'http:') return `${host} is called by https only: PURSER_PLAIN_HTTP allows more`
  return !privateAddresses && isIP(host) !== 0 && isSpecial(host) ? describeRefusal(host) : undefined
}

const guardedLookup: LookupFunction = (hostname, options, callback) =>
  cachedLookup(hostname, options, (error, found, family) => {
    const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
    if (error === null && addresses.some(isSpecial)) callback(new Error(describeRefusal(hostname)), '')
    else callback(error, found, family)
  })

const describeRefusal = (host: string) =>
  `${host} leads into a private or reserved network: PURSER_PRIVATE_ADDRESSES allows it`

function hostOf({ hostname }: { readonly hostname: string }): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function resolveAddresses(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const found = await resolve(host, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}
