/**
 * Wire, APIs and log use one function to find the source address of a request that came through
 * proxies.
 */
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { ConfigError, readConfig } from '../../src/core/config/config.ts'
import { createHttpApp } from '../../src/core/http/http-app.ts'
import { registerWire } from '../../src/core/partner-wire/partner-wire.ts'
import { createSourceResolver } from '../../src/core/partner-wire/source-address.ts'
import { walletEnv } from '../support/wallet-env.ts'

const PROXIES = ['10.0.0.0/8', '192.0.2.7', '2001:db8:1::/48']

describe('the source address of a request is', () => {
  const cases: [string, string | undefined, string | undefined, string][] = [
    ['the other end, where it is no trusted proxy', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['the proxy, where it names no address', '10.0.0.1', undefined, '10.0.0.1'],
    ['the proxy, where the header is empty', '10.0.0.1', ' , ', '10.0.0.1'],
    ['what a trusted proxy names', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['what a proxy given as one address names', '192.0.2.7', '198.51.100.1', '198.51.100.1'],
    ['not what is beside that address', '192.0.2.8', '198.51.100.1', '192.0.2.8'],
    ['never a forged entry on the left', '10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
    [
      'the first address that is not trusted, after two proxies',
      '10.0.0.1',
      '1.1.1.1, 198.51.100.1,10.9.9.9',
      '198.51.100.1',
    ],
    ['the leftmost, where all are trusted', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['the last good address before one that cannot be read', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['the proxy of a proxy that listens on a Unix socket', '10.0.0.1', 'unix:', '10.0.0.1'],
    ['IPv4, where the connection is IPv6', '::ffff:10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['IPv6', '2001:db8:1::5', '2001:db8:2::5', '2001:db8:2::5'],
    ['without its zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['without its port', '10.0.0.1', '198.51.100.1:5000', '198.51.100.1'],
    ['IPv6 without brackets and port', '10.0.0.1', '[2001:db8:2::5]:5000', '2001:db8:2::5'],
    ['empty, where the connection is gone or a Unix socket', undefined, '198.51.100.1', ''],
  ]
  test.each(cases)('%s', (_name, remoteAddress, header, source) => {
    const headers = header === undefined ? {} : { 'x-forwarded-for': header }
    expect(createSourceResolver(PROXIES)({ headers, socket: { remoteAddress } })).toBe(source)
  })

  test('the peer address with any header, if no proxy is trusted', () => {
    const headers = { 'x-forwarded-for': '198.51.100.1' }
    expect(createSourceResolver()({ headers, socket: { remoteAddress: '10.0.0.1' } })).toBe('10.0.0.1')
  })
})

test('a server uses one source address for calls and requests of an API', async ({ onTestFinished }) => {
  const http = createHttpApp({ trustedProxies: ['127.0.0.0/8'] })
  const sources: string[] = []
  const reply = { reply: { status: 200, body: '{}' } } as const
  await registerWire(http, {
    handle: async () => reply,
    handleUnreadable: () => reply,
    handleError: () => reply,
    onFailure() {},
    onAnswered: (_handled, { source }) => void sources.push(source),
  })
  const { app } = http
  app.get('/source', async ({ source }) => ({ source }))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => app.close())
  const headers = { 'x-forwarded-for': '1.1.1.1, 198.51.100.1' }
  await (await request(`${url}/payment/bet`, { method: 'POST', headers, body: '{}' })).body.dump()
  expect(sources).toEqual(['198.51.100.1'])
  const answer = await request(`${url}/source`, { headers })
  expect(await answer.body.json()).toEqual({ source: '198.51.100.1' })
})

describe('PURSER_TRUSTED_PROXIES', () => {
  const problemsOf = (value: string) => {
    try {
      readConfig({ ...walletEnv({}).env, PURSER_TRUSTED_PROXIES: value })
      return []
    } catch (error) {
      if (error instanceof ConfigError) return error.problems
      throw error
    }
  }

  test.each(['', '10.0.0.0/8', '10.0.0.1, ::1,2001:db8::/32'])('accepts the value "%s"', (value) =>
    expect(problemsOf(value)).toEqual([]),
  )

  test.each([
    ['proxy.internal', 'is neither an address nor a network'],
    ['10.0.0/8', 'is neither an address nor a network'],
    ['10.0.0.0/33', 'must have a prefix of at most 32 bits'],
    ['10.0.0.0/', 'must have a prefix of at most 32 bits'],
    ['10.0.0.0/8/8', 'must have a prefix of at most 32 bits'],
    ['::1/129', 'must have a prefix of at most 128 bits'],
    ['0.0.0.0/0', 'contains every address'],
    ['::/0', 'contains every address'],
    ['::ffff:10.0.0.0/104', 'is IPv4 in the form of IPv6'],
    ['fe80::1%eth0', 'has a zone'],
    ['10.0.0.1,,10.0.0.2', 'has an empty part'],
  ])('rejects the value "%s"', (value, problem) => {
    const [first, ...others] = problemsOf(value)
    expect([first, others]).toEqual([expect.stringContaining(problem), []])
    expect(first).toMatch(/^PURSER_TRUSTED_PROXIES/)
  })
})
