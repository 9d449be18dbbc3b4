/**
 * Starts a gateway in this process on its own database, with a client of its API.
 * gateway-process.ts starts separate processes.
 */
import { randomBytes } from 'node:crypto'
import { request as send } from 'undici'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { serveGateway } from '../../src/servers/gateway-server.ts'
import { asServer, createDatabase } from './database.ts'
import { type PartnerWire, partnerWire, readReply, type WireReply } from './wire.ts'

export interface GatewaySession {
  token: string
  userId: string
  operatorUser: string
  currency: string
}

/** All calls except `request` throw when the answer is no success. */
export interface GatewayClient {
  request(method: string, path: string, body?: object): Promise<WireReply>
  saveOperator(operatorId: string, wallet: { url: string; secret: string }): Promise<void>
  exchange(operatorId: string, token: string): Promise<GatewaySession>
}

export interface TestGateway {
  url: string
  secret: string
  key: string
  databaseUrl: string
  api: GatewayClient
  wire: PartnerWire
  stop(): Promise<void>
}

export function gatewayClient(url: string, key: string): GatewayClient {
  const request: GatewayClient['request'] = async (method, path, body) => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await send(url + path, { method, headers, body: body ? JSON.stringify(body) : null })
    return readReply(reply.statusCode, await reply.body.text())
  }
  const must = async (path: string, body: object): Promise<unknown> => {
    const reply = await request('POST', path, body)
    if (reply.status === 201) return reply.body
    throw new Error(`POST ${path} answered ${reply.status}: ${reply.text}`)
  }
  return {
    request,
    saveOperator: async (operatorId, { url: baseUrl, secret }) =>
      void (await must('/operators', { operatorId, baseUrl, secret })),
    exchange: async (operatorId, token) =>
      (await must(`/operators/${operatorId}/sessions`, { token })) as GatewaySession,
  }
}

export function gatewayEnv(databaseUrl: string) {
  const keys = { PARTNER_SECRET: randomBytes(16).toString('hex'), GATEWAY_API_KEY: randomBytes(16).toString('hex') }
  return { HOST: '127.0.0.1', PORT: '0', DATABASE_URL: asServer('gateway', databaseUrl), ...keys }
}

export interface GatewayOptions {
  /** Without a value, a new database is made, and stop() drops it. */
  databaseUrl?: string
  secret?: string
  env?: Record<string, string>
}

export async function startGateway(options: GatewayOptions = {}): Promise<TestGateway> {
  const own = options.databaseUrl === undefined ? await createDatabase() : undefined
  const databaseUrl = options.databaseUrl ?? own?.url ?? ''
  const env = { ...gatewayEnv(databaseUrl), ...(options.secret && { PARTNER_SECRET: options.secret }), ...options.env }
  const { PARTNER_SECRET: secret, GATEWAY_API_KEY: key } = env
  const { url, close } = await serveGateway(
    readConfig({ ...env, LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent' }, PROCESS_ROLES.gateway),
  )
  const stop = async () => {
    await close()
    await own?.drop()
  }
  return { url, secret, key, databaseUrl, api: gatewayClient(url, key), wire: partnerWire(url, secret), stop }
}
