/** Starts a wallet, a platform and a gateway with API keys, for the tests of keys. */
import { operationsOf, readDocument } from '../openapi/document.ts'
import { startGateway } from '../support/gateway.ts'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'
import { type Asking, asking } from './audited-calls.ts'

export interface ServerWithKey {
  readonly url: string
  /** The key of the environment. */
  readonly firstKey: string
  readonly databaseUrl: string
  /** Uses the key of the environment. */
  readonly asked: Asking
  stop(): Promise<void>
}

interface Kind {
  readonly server: 'wallet' | 'platform' | 'gateway'
  readonly schema: string
  readonly setting: string
  readonly prefix: string
  /** A list that the role read may request. */
  readonly list: string
  start(databaseUrl?: string): Promise<ServerWithKey>
}

function keyed(
  started: { url: string; databaseUrl: string; stop(): Promise<void> },
  key: string,
  prefix: string,
): ServerWithKey {
  const { url, databaseUrl, stop } = started
  return { url, databaseUrl, stop, firstKey: key, asked: asking(url, key, `${prefix}/actions`) }
}

export const SERVERS: readonly Kind[] = [
  {
    ...{ server: 'wallet', schema: 'purser', setting: 'OPERATOR_API_KEY', prefix: '/operator', list: '/operator/bets' },
    async start(databaseUrl) {
      const wallet = await startWallet(databaseUrl === undefined ? {} : { databaseUrl })
      return keyed(wallet, wallet.operatorKey, '/operator')
    },
  },
  {
    ...{ server: 'platform', schema: 'platform', setting: 'PLATFORM_API_KEY', prefix: '', list: '/bets' },
    async start(databaseUrl) {
      const platform = await startPlatform(databaseUrl === undefined ? {} : { databaseUrl })
      return keyed(platform, platform.key, '')
    },
  },
  {
    ...{ server: 'gateway', schema: 'gateway', setting: 'GATEWAY_API_KEY', prefix: '/operators', list: '/operators' },
    async start(databaseUrl) {
      const gateway = await startGateway(databaseUrl === undefined ? {} : { databaseUrl })
      return keyed(gateway, gateway.key, '/operators')
    },
  },
]

export interface Route {
  readonly operationId: string
  readonly method: string
  readonly path: string
}

/** Every route of a server's own API, with values for its parameters. */
export function routesOf(server: Kind['server']): Route[] {
  return operationsOf(readDocument(server))
    .filter(({ tags }) => !tags.includes('Partner wire'))
    .map(({ operationId, name, path }) => ({
      operationId,
      method: name.split(' ')[0] as string,
      path: path.replaceAll(/\{\w+\}/g, 'no-such-one'),
    }))
}

/** Status and code of a call without a body. */
export async function answerOf(url: string, { method, path }: Omit<Route, 'operationId'>, authorization?: string) {
  const reply = await fetch(url + path, { method, headers: { ...(authorization !== undefined && { authorization }) } })
  const hasEnd = !reply.headers.get('content-type')?.startsWith('text/event-stream')
  const text = hasEnd ? await reply.text() : ''
  if (!hasEnd) await reply.body?.cancel()
  const isProblem = reply.headers.get('content-type')?.startsWith('application/problem+json') && text !== ''
  return {
    status: reply.status,
    problem: isProblem ? (JSON.parse(text) as { code: string; detail: string }) : undefined,
  }
}
