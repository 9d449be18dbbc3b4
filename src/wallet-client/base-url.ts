/**
 * Private networks and the addresses that people give us to call.
 *
 * The calls come from inside our network. An address in it (loopback, private, link-local: a cloud's
 * metadata) is taken only where a setting allows that.
 */
import { lookup as resolve } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { findUrlFault, type UrlUse } from '../protocol/base-url.ts'

const INSIDE = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  INSIDE.addSubnet(network, prefix, 'ipv4')
INSIDE.addAddress('::', 'ipv6')
INSIDE.addAddress('::1', 'ipv6')
INSIDE.addSubnet('fc00::', 7, 'ipv6')
INSIDE.addSubnet('fe80::', 10, 'ipv6')

/**
 * Returns the rest of a sentence that begins with the name of the member; undefined for a usable URL.
 * A name that does not resolve is not refused, because it may later.
 */
export async function findFault(
  text: string,
  allowsInside: boolean,
  use: UrlUse = 'wallet',
): Promise<string | undefined> {
  const fault = findUrlFault(text, use)
  if (fault !== undefined || allowsInside) return fault
  const url = new URL(text)
  const addresses = await addressesOf(url.hostname.replace(/^\[|\]$/g, ''))
  return addresses.some(isInside)
    ? 'leads into a private network: give a public address, or set PURSER_PRIVATE_ADDRESSES=allow'
    : undefined
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  const found = await resolve(host, { all: true }).catch(() => [])
  return found.map(({ address }) => address)
}

/** Resolves as the other one does, but to no address inside: what a name leads to can change after it was looked at. */
export function refusingInside(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      if (error === null && addresses.some(isInside))
        callback(new Error(`${hostname} leads into a private network`), '')
      else callback(error, found, family)
    })
}

/** An IPv4 address in IPv6 is looked at as what it is: BlockList does that for `::ffff:`. */
function isInside(address: string): boolean {
  return INSIDE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
