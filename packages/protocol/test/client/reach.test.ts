/**
 * The SSRF guard refuses special addresses when a target is saved, and again at each connection.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { findAddressFault } from '../../src/client/network/ssrf-guard.ts'
import { createWalletClient } from '../../src/client/wallet-client.ts'
import type { Reach } from '../../src/values/base-url.ts'

const PUBLIC_ONLY: Reach = { privateAddresses: false, plainHttp: true }
const TLS_ONLY: Reach = { privateAddresses: true, plainHttp: false }

/**
 * The first and last address of each entry in IANA's special-purpose registries, of multicast, and
 * of deprecated ranges.
 */
const SPECIAL = [
  ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255'],
  ...['127.0.0.0', '127.255.255.255', '169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ...['172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.8', '192.0.0.9', '192.0.0.192', '192.0.0.255'],
  ...['192.0.2.0', '192.0.2.255', '192.31.196.0', '192.31.196.255', '192.52.193.0', '192.52.193.255'],
  ...['192.88.99.0', '192.88.99.255', '192.168.0.0', '192.168.255.255', '192.175.48.0', '192.175.48.255'],
  ...['198.18.0.0', '198.19.255.255', '198.51.100.0', '198.51.100.255', '203.0.113.0', '203.0.113.255'],
  ...['224.0.0.1', '239.255.255.255', '240.0.0.0', '255.255.255.254', '255.255.255.255'],
  ...['[::]', '[::1]', '[::a00:1]', '[::ffff:10.0.0.1]', '[::ffff:7f00:1]', '[::ffff:169.254.169.254]'],
  ...['[::ffff:0:10.0.0.1]', '[64:ff9b::10.0.0.1]', '[64:ff9b::7f00:1]', '[64:ff9b::169.254.169.254]'],
  ...['[64:ff9b:1::]', '[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]', '[100::]', '[100::ffff:ffff:ffff:ffff]'],
  ...['[100:0:0:1::]', '[2001::]', '[2001::1]', '[2001:1::1]', '[2001:2::]', '[2001:3::]', '[2001:4:112::]'],
  ...['[2001:10::]', '[2001:20::]', '[2001:30::]', '[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]'],
  ...['[2001:db8::]', '[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]', '[2002:7f00:1::]', '[2002:a00:1::]'],
  ...['[2002:ffff:ffff::]', '[2620:4f:8000::]', '[3fff::]', '[3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff]'],
  ...['[5f00::]', '[fc00::]', '[fdff::1]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[feff::1]', '[ff02::1]'],
  ...['2130706433', '0x7f.1', '017700000001', '127.1'],
]
const PUBLIC = [
  ...['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ...['172.15.255.255', '172.32.0.0', '192.0.1.0', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
  ...['198.20.0.0', '223.255.255.255', '[2001:200::]', '[2001:db7::]', '[2606:4700::1111]', '[2a00::1]'],
  ...['[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]', 'a-name.invalid'],
]

describe('a saved address', () => {
  test.each(SPECIAL)('is rejected if it is https://%s', async (host) => {
    expect(await findAddressFault(`https://${host}/w`, PUBLIC_ONLY)).toContain('PURSER_PRIVATE_ADDRESSES=allow')
    expect(await findAddressFault(`https://${host}/w`, TLS_ONLY)).toBeUndefined()
  })

  test.each(PUBLIC)('is accepted if it is https://%s', async (host) => {
    expect(await findAddressFault(`https://${host}/w`, PUBLIC_ONLY)).toBeUndefined()
  })

  test('is rejected without TLS, unless a setting allows it', async () => {
    for (const use of ['wallet', 'webhook'] as const) {
      expect(await findAddressFault('http://wallet.invalid', TLS_ONLY, use)).toContain('PURSER_PLAIN_HTTP=allow')
      expect(await findAddressFault('http://wallet.invalid', PUBLIC_ONLY, use)).toBeUndefined()
    }
  })
})

describe('the client opens no connection to', () => {
  const cases: [string, string, Reach, string][] = [
    ['to an address in figures', 'http://127.0.0.1', PUBLIC_ONLY, 'PURSER_PRIVATE_ADDRESSES'],
    ['to one of IPv6', 'http://[::ffff:127.0.0.1]', PUBLIC_ONLY, 'PURSER_PRIVATE_ADDRESSES'],
    ['to what a name leads to', 'http://localhost', PUBLIC_ONLY, 'PURSER_PRIVATE_ADDRESSES'],
    ['without TLS', 'http://127.0.0.1', TLS_ONLY, 'PURSER_PLAIN_HTTP'],
  ]
  test.each(cases)('%s, although the address was allowed when it was saved', async (_what, origin, reach, setting) => {
    let connections = 0
    const server = createServer((socket) => {
      connections += 1
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const client = createWalletClient({ baseUrl: `${origin}:${port}`, secrets: ['a-secret'], reach })
    const { outcome } = await client.call('profile', '{}')
    expect(outcome).toMatchObject({ kind: 'unknown', reason: 'network', detail: expect.stringContaining(setting) })
    expect(connections).toBe(0)
    await client.close()
    server.close()
  })
})
