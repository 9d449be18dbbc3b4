/**
 * Servers can call partners, operators and webhooks with a private CA, a client certificate and a
 * required header (O-20). The test is long, because openssl makes the certificates.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Certificates, makeCertificates } from '../support/certificates.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway } from '../support/gateway.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'

let theirs: Certificates
let others: Certificates
let server: Server
let url = ''
let database: TestDatabase
const received: { readonly header: unknown; readonly client: string | undefined }[] = []

const read = ({ certificate, key }: { certificate: string; key: string }) => ({
  certificate: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
})
const ca = () => readFileSync(theirs.authority, 'utf8')

beforeAll(async () => {
  ;[theirs, others, database] = [makeCertificates(), makeCertificates(), await createDatabase()]
  const { certificate, key } = read(theirs.sign('localhost'))
  server = createServer({ cert: certificate, key, ca: ca(), requestCert: true, rejectUnauthorized: true }, answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `https://localhost:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  theirs.remove()
  others.remove()
  await database.drop()
})

function answer(request: IncomingMessage, response: import('node:http').ServerResponse): void {
  const client = (request.socket as TLSSocket).getPeerCertificate().subject?.CN
  received.push({ header: request.headers['x-api-key'], client: String(client) })
  request.resume()
  const isHook = request.url === '/hook'
  const body = isHook ? '{}' : JSON.stringify({ code: 3, message: 'Invalid token' })
  response.writeHead(isHook ? 200 : 400, { 'content-type': 'application/json' }).end(body)
}

type View = { readonly body: unknown }
type Request = (method: string, path: string, body?: object) => Promise<View>
interface Kind {
  readonly column: string
  /** Saves and calls the target; returns the stored view and the error of the call. */
  save(request: Request, connection: unknown): Promise<{ view: View; error: string | undefined }>
  withServer(keys: string, work: (request: Request) => Promise<void>): Promise<void>
}

const env = (keys: string) => ({ PURSER_ENCRYPTION_KEY: keys })
const target = (connection: unknown) => ({ baseUrl: url, secret: 'a-shared-secret', connection })
const tried = (view: View) => ({ view, error: errorOf((view.body as { tried?: object }).tried) })
const errorOf = (it: object | undefined) => {
  const { code, error } = { ...it } as { code?: number; error?: string }
  return code === undefined ? error : undefined
}

const KINDS: Record<string, Kind> = {
  partner: {
    column: 'platform.partner',
    save: async (request, it) => tried(await request('POST', '/partners', { partnerId: 'acme', ...target(it) })),
    async withServer(keys, work) {
      const { api, stop } = await startPlatform({ databaseUrl: database.url, env: env(keys) })
      await work(api.request).finally(stop)
    },
  },
  operator: {
    column: 'gateway.operator',
    save: async (request, it) => tried(await request('POST', '/operators', { operatorId: 'acme', ...target(it) })),
    async withServer(keys, work) {
      const { api, stop } = await startGateway({ databaseUrl: database.url, env: env(keys) })
      await work(api.request).finally(stop)
    },
  },
  webhook: {
    column: 'purser.webhook',
    async save(request, connection) {
      const view = await request('PUT', '/operator/webhooks/acme', { url: `${url}/hook`, connection })
      const { body } = await request('POST', '/operator/webhooks/acme/test')
      return { view, error: errorOf(body as object) }
    },
    async withServer(keys, work) {
      const { operator, stop } = await startWallet({ databaseUrl: database.url, env: env(keys) })
      await work(operator.request as Request).finally(stop)
    },
  },
}

describe.each(Object.entries(KINDS))('a %s', (_name, { column, save, withServer }) => {
  const kept = async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(`select connection::text as it from ${column}`).finally(() => client.end())
    return String(rows[0]?.it)
  }

  test('is called with its header, CA and certificate, which are encrypted, redacted and replaceable', async () => {
    const [OLD, NEW] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
    const [first, second] = [read(theirs.sign('client-1')), read(theirs.sign('client-2'))]
    await withServer(OLD, async (request) => {
      expect((await save(request, undefined)).error).toMatch(/no authority that is known here has signed/)
      const wrongCa = readFileSync(others.authority, 'utf8')
      expect((await save(request, { ca: wrongCa, ...first })).error).toMatch(/no authority that is known here/)
      expect((await save(request, { ca: ca(), certificate: null })).error).toBeDefined()

      const { view, error } = await save(request, { headers: { 'X-Api-Key': 'the-api-key' }, ...first })
      expect(error).toBeUndefined()
      expect(received.at(-1)).toEqual({ header: 'the-api-key', client: 'client-1' })
      expect(view.body).toMatchObject({
        connection: {
          headers: ['x-api-key'],
          ca: [{ subject: 'CN=authority' }],
          certificate: { subject: 'CN=client-1' },
        },
      })
      expect(JSON.stringify(view.body)).not.toMatch(/the-api-key|BEGIN/)

      expect((await save(request, { key: second.key })).view.body).toMatchObject({
        errors: [{ pointer: '/connection/key', detail: expect.stringContaining('does not match the certificate') }],
      })
      expect((await save(request, { ...second })).error).toBeUndefined()
      expect(received.at(-1)).toEqual({ header: 'the-api-key', client: 'client-2' })
    })
    const before = await kept()
    expect(before).toMatch(/^\{"key":"[0-9a-f]{8}","sealed":"[\w-]+"\}$/)
    await withServer(`${NEW},${OLD}`, async () => {})
    expect(JSON.parse(await kept()).key).not.toBe(JSON.parse(before).key)
    await withServer(NEW, async (request) => {
      expect((await save(request, undefined)).error).toBeUndefined()
      expect(received.at(-1)).toEqual({ header: 'the-api-key', client: 'client-2' })
    })
  })
})
