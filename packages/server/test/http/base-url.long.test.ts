/** Platform and gateway reject the same base URLs, for partners and for operators. */
import { randomBytes } from 'node:crypto'
import type { Logger } from '@purser/runtime/logger'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { serveGateway } from '../../src/servers/gateway-server.ts'
import { servePlatform } from '../../src/servers/platform-server.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { newToken } from '../support/platform.ts'
import { startScriptedWallet } from '../support/scripted-wallet.ts'

const PURSER_ENCRYPTION_KEY = randomBytes(32).toString('hex')
const KEY = randomBytes(32).toString('hex')
/** packages/protocol/test/client/reach.test.ts has every internal and public address. */
const INSIDE = ['https://127.0.0.1:8080', 'https://localhost:8080', 'https://[::1]:80', 'https://[::ffff:127.0.0.1]']
const OUTSIDE = 'https://a-name.invalid'
const MALFORMED: [string, string][] = [
  ['https://user@203.0.113.9', 'user'],
  ['https://:secret@203.0.113.9', 'password'],
  ['https://203.0.113.9/?key=1', 'query'],
  ['https://203.0.113.9/w?', 'query'],
  ['https://203.0.113.9/#top', 'fragment'],
  ['https://', 'not a URL'],
  ['ftp://203.0.113.9', 'not a URL of http'],
  [' https://203.0.113.9', 'spaces'],
  ['https://203.0.113.9/payment/bet', 'leave /payment/bet out'],
  ['https://203.0.113.9/w/user/profile/', 'leave /user/profile out'],
]

describe.each(['platform', 'gateway'] as const)('the base URL check of the %s', (role) => {
  let database: TestDatabase
  const urls: Record<string, string> = {}
  const closing: (() => Promise<void>)[] = []
  async function start(over: Record<string, string>, log?: Logger): Promise<string> {
    const keys =
      role === 'platform'
        ? { PLATFORM_API_KEY: KEY }
        : { GATEWAY_API_KEY: KEY, PARTNER_SECRET: randomBytes(32).toString('hex') }
    const env = { PORT: '0', LOG_LEVEL: 'silent', DATABASE_URL: database.url, PURSER_ENCRYPTION_KEY, ...keys, ...over }
    const serve = role === 'platform' ? servePlatform : serveGateway
    const running = await serve(readConfig(env, PROCESS_ROLES[role]), log && { log })
    closing.push(running.close)
    return running.url
  }
  beforeAll(async () => {
    database = await createDatabase()
    for (const [name, over] of Object.entries({
      elsewhere: {},
      refusing: { PURSER_PRIVATE_ADDRESSES: 'refuse' },
      production: { NODE_ENV: 'production' },
      allowing: { NODE_ENV: 'production', PURSER_PRIVATE_ADDRESSES: 'allow', PURSER_PLAIN_HTTP: 'allow' },
    }))
      urls[name] = await start(over)
  })
  afterAll(async () => {
    for (const close of closing) await close()
    await database.drop()
  })

  function save(server: string, baseUrl: string, name = 'acme'): Promise<{ status: number; detail: string }> {
    const [path, id] = role === 'platform' ? ['/partners', 'partnerId'] : ['/operators', 'operatorId']
    return post(server, path as string, { [id as string]: name, baseUrl, secret: 'shared-with-acme' })
  }

  function change(server: string, name: string, baseUrl: string): Promise<{ status: number; detail: string }> {
    return send('PUT', server, `/${role === 'platform' ? 'partners' : 'operators'}/${name}`, { baseUrl })
  }

  const post = (server: string, path: string, body: object) => send('POST', server, path, body)

  async function send(method: string, server: string, path: string, body: object) {
    const reply = await fetch(`${urls[server]}${path}`, {
      method,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: reply.status, detail: await reply.text() }
  }

  /**
   * Saves on all servers at once. Each save makes a test call, and the network reports an unused
   * address only after seconds.
   */
  async function expectTaken(servers: string[], baseUrl: string) {
    const saved = await Promise.all(servers.map((server) => save(server, baseUrl)))
    for (const { status } of saved) expect(status).toBe(201)
  }

  test.concurrent.each(INSIDE)('rejects %s in production, and if a setting requires it', async (baseUrl) => {
    for (const server of ['production', 'refusing'])
      expect(await save(server, baseUrl)).toMatchObject({
        status: 400,
        detail: expect.stringContaining('PURSER_PRIVATE_ADDRESSES=allow'),
      })
    await expectTaken(['elsewhere', 'allowing'], baseUrl)
  })

  test('accepts a public address everywhere', () => expectTaken(Object.keys(urls), OUTSIDE))

  test('rejects plain HTTP in production, unless a setting allows it', async () => {
    const baseUrl = 'http://a-name.invalid'
    const refused = { status: 400, detail: expect.stringContaining('PURSER_PLAIN_HTTP=allow') }
    expect(await save('production', baseUrl)).toMatchObject(refused)
    await expectTaken(['elsewhere', 'refusing', 'allowing'], baseUrl)
  })

  test('prevents a call to a name that now resolves to an internal address', async () => {
    const wallet = await startScriptedWallet({ secret: 'shared-with-acme' })
    closing.push(() => wallet.stop())
    const byName = wallet.url.replace('127.0.0.1', 'localhost')
    expect((await save('allowing', byName, 'by-name')).status).toBe(201)
    const token = newToken()
    const load = (server: string) =>
      role === 'platform'
        ? post(server, '/frame-sessions', { partnerId: 'by-name', token })
        : post(server, '/operators/by-name/sessions', { token })
    for (const server of ['production', 'refusing']) expect((await load(server)).status).toBe(502)
    expect(wallet.requests).toEqual([])
    expect((await load('allowing')).status).toBe(201)
  })

  test('warns at the start of each saved address that may not be called', async () => {
    const saved = ['http://a-name.invalid', 'https://10.0.0.7', OUTSIDE]
    for (const [i, baseUrl] of saved.entries()) expect((await save('allowing', baseUrl, `zz-${i}`)).status).toBe(201)
    const lines: { level: number; msg: string }[] = []
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
    await start({ NODE_ENV: 'production' }, log)
    const warnings = lines.filter(({ level }) => level === 40).map(({ msg }) => msg)
    const called = role === 'platform' ? 'partner' : 'operator'
    expect(warnings.filter((warning) => warning.includes('zz-'))).toEqual([
      `no call to the ${called} zz-0 can be made: a-name.invalid is called by https only: PURSER_PLAIN_HTTP allows more`,
      `no call to the ${called} zz-1 can be made: 10.0.0.7 leads into a private or reserved network: PURSER_PRIVATE_ADDRESSES allows it`,
    ])
  })

  test.each(MALFORMED)('rejects %s everywhere: %s', async (baseUrl, word) => {
    const refused = { status: 400, detail: expect.stringContaining(word) }
    for (const server of Object.keys(urls)) expect(await save(server, baseUrl)).toMatchObject(refused)
    expect(await change('allowing', 'by-name', baseUrl)).toMatchObject(refused)
  })
})
