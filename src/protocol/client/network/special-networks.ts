/**
 * Networks that no address of a partner, an operator or a webhook may lead into, unless a setting
 * allows it: IANA's special-purpose registries, multicast, and what was such a network once.
 *
 * Some of them are reachable from everywhere (AS112, AMT). No partner has its wallet there.
 */
import { containsAddress, toNetworks } from '../../../runtime/network/ip-networks.ts'

const IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared, of providers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, a cloud's metadata among it
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays, once
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast among it
]

const IPV6 = [
  '::/96', // unspecified, loopback, IPv4-compatible
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b:1::/48', // NAT64 of one network
  '100::/64', // discard
  '100:0:0:1::/64', // dummy
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local
  'fe80::/10', // link-local
  'fec0::/10', // site-local, once
  'ff00::/8', // multicast
]

/** NAT64 leads to the IPv4 address in it. In a network of IPv6 alone every partner is called so. */
const NAT64 = IPV4.map((network) => {
  const [address, prefix = ''] = network.split('/')
  return `64:ff9b::${address}/${Number.parseInt(prefix, 10) + 96}`
})

const SPECIAL = toNetworks([...IPV4, ...IPV6, ...NAT64])

/** `::ffff:10.0.0.1` is looked at as the IPv4 address in it. */
export function isSpecial(address: string): boolean {
  return containsAddress(SPECIAL, address)
}
