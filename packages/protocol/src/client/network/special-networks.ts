/**
 * Networks in which no partner, operator or webhook may be, unless a setting permits it (O-17).
 *
 * They are IANA's special-purpose registries, multicast, and networks with a former special
 * purpose. Some are publicly reachable (AS112, AMT), but no partner has a wallet there.
 */
import { containsAddress, toNetworks } from '@purser/runtime/network/ip-networks'

const IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by providers (carrier-grade NAT)
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, includes the metadata of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays (deprecated)
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, includes broadcast
]

const IPV6 = [
  '::/96', // unspecified, loopback, IPv4-compatible
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b:1::/48', // local NAT64
  '100::/64', // discard
  '100:0:0:1::/64', // dummy prefix
  '2001::/23', // protocol assignments, includes Teredo
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local (deprecated)
  'ff00::/8', // multicast
]

/**
 * A NAT64 address leads to the IPv4 address in it. IPv6-only networks reach every partner in this
 * way, so the whole prefix cannot be forbidden.
 */
const NAT64 = IPV4.map((network) => {
  const [address, prefix = ''] = network.split('/')
  return `64:ff9b::${address}/${Number.parseInt(prefix, 10) + 96}`
})

const SPECIAL = toNetworks([...IPV4, ...IPV6, ...NAT64])

/** `::ffff:10.0.0.1` is checked as the IPv4 address in it. */
export function isSpecial(address: string): boolean {
  return containsAddress(SPECIAL, address)
}
