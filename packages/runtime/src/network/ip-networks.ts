/** IP networks in CIDR notation. `::ffff:192.0.2.1` counts as the IPv4 address 192.0.2.1. */
import { BlockList, isIP } from 'node:net'

const IPV4_MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i
const PREFIX = /^\d{1,3}$/

/** Predicate of a sentence about the network; undefined for a usable network. */
export function findNetworkFault(text: string): string | undefined {
  const { address, prefix, most } = parseNetwork(text)
  if (most === undefined) return 'is neither an address nor a network: write it as in 10.0.0.0/8'
  if (address.includes('%')) return 'has a zone: leave the percent sign and the zone out'
  if (IPV4_MAPPED.test(address)) return 'is IPv4 in the form of IPv6: write the IPv4 address'
  if (!(prefix <= most)) return `must have a prefix of at most ${most} bits after the slash`
  return prefix === 0 ? 'contains every address: name the networks' : undefined
}

/** `texts` must have no fault. */
export function toNetworks(texts: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const text of texts) {
    const { address, prefix } = parseNetwork(text)
    networks.addSubnet(address, prefix, addressFamily(address))
  }
  return networks
}

export function containsAddress(networks: BlockList, address: string): boolean {
  return networks.check(address, addressFamily(address))
}

/**
 * One spelling per address: no IPv4-mapped form and no zone. Undefined for a text that is no
 * address.
 */
export function normalizeAddress(text: string): string | undefined {
  const [address = ''] = text.replace(IPV4_MAPPED, '').split('%')
  return isIP(address) === 0 ? undefined : address
}

function parseNetwork(text: string) {
  const [address = '', ...rest] = text.split('/')
  const most = { 0: undefined, 4: 32, 6: 128 }[isIP(address)]
  const [bits = String(most)] = rest
  return { address, most, prefix: rest.length < 2 && PREFIX.test(bits) ? Number.parseInt(bits, 10) : Number.NaN }
}

function addressFamily(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
