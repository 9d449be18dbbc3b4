/**
 * Servers of the sandbox: one operator whose wallet the platform calls directly, or two operators
 * with a gateway, each a partner of the platform. Fault proxies are between the servers.
 */
import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { createRandom } from '@purser/runtime/seeded-random'
import { type Config, ConfigError } from '../core/config/config.ts'
import { type DatabaseConfig, openDb } from '../core/database/database-factory.ts'
import type { Db } from '../core/database/db.ts'
import { serveGateway } from '../servers/gateway-server.ts'
import { servePlatform } from '../servers/platform-server.ts'
import { type SandboxRoutes, type ServeWalletDeps, serveWallet } from '../servers/wallet-server.ts'
import { type BearerClient, createBearerClient } from './bearer-client.ts'
import { type FaultProxy, joinFaultProxies, startFaultProxy } from './wire/fault-proxy.ts'

/** The identity and token that a session sends to the platform. */
export interface SessionEntry {
  readonly userId: string
  readonly token: string
}

/** An operator with its wallet. */
export interface SandboxOperator {
  readonly partnerId: string
  readonly wallet: BearerClient
  readonly db: Db
  /** Turns a session of the wallet into the session with which the frame is loaded. */
  enter(session: SessionEntry): Promise<SessionEntry>
}

export interface SandboxServers {
  readonly db: Db
  readonly operators: readonly SandboxOperator[]
  readonly platform: BearerClient
  readonly gateway?: BearerClient
  /** Address for calls by hand, without the fault proxy. */
  readonly entryPoint: { readonly url: string; readonly secret: string }
  readonly network: FaultProxy
}

export interface SandboxServersOptions {
  readonly seed: number
  /** Fraction of calls that fail, from 0 to 1. */
  readonly faults: number
  readonly gateway: boolean
  /** Extra routes of the first wallet. */
  readonly sandbox: SandboxRoutes
}

/** Registers a part that is closed at the end, before the parts that it needs. */
type RegisterCloser = (close: () => Promise<void>) => void

const PORT_OFFSETS = { platform: 1, gateway: 2, secondWallet: 3 }

export async function startSandboxServers(
  config: Config,
  options: SandboxServersOptions,
  closing: RegisterCloser,
): Promise<SandboxServers> {
  const quiet = { ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }
  const front = options.gateway
    ? await startGatewayWithWallets(quiet, options, closing)
    : await startDirectWallet(quiet, options, closing)
  const { db, operators, entryPoint, network } = front
  const server = await servePlatform({ ...quiet, port: choosePort(config, 'platform') }, { db })
  closing(() => server.close())
  const platform = createBearerClient(server.url, config.platformKey)
  for (const { partnerId } of operators)
    await platform.fetchJson('POST', '/partners', { partnerId, baseUrl: network.url, secret: entryPoint.secret })
  return { ...front, platform }
}

function choosePort({ port }: Config, server: keyof typeof PORT_OFFSETS): number {
  return port === 0 ? 0 : port + PORT_OFFSETS[server]
}

type CalledServers = Omit<SandboxServers, 'platform'>

async function startDirectWallet(
  config: Config,
  { seed, faults, sandbox }: SandboxServersOptions,
  closing: RegisterCloser,
): Promise<CalledServers> {
  const db = await openStore(config.store, closing)
  const wallet = await startWalletServer(config, { db, sandbox }, closing)
  const network = await startProxyBefore(wallet.url, faults, seed, 'faults', closing)
  const operator = { partnerId: 'sandbox', wallet, db, enter: async (session: SessionEntry) => session }
  return { db, operators: [operator], entryPoint: { url: wallet.url, secret: config.secrets[0] ?? '' }, network }
}

/**
 * Its databases are separate from the sandbox without a gateway. Half of the faults occur before
 * the gateway, half after it.
 */
async function startGatewayWithWallets(
  config: Config,
  { seed, faults, sandbox }: SandboxServersOptions,
  closing: RegisterCloser,
): Promise<CalledServers> {
  const [first, second] = await openBothStores(config.store, closing)
  const wallets = [
    { operatorId: 'one', db: first, port: config.port, sandbox },
    { operatorId: 'two', db: second, port: choosePort(config, 'secondWallet') },
  ].map((wallet) => ({ ...wallet, secret: randomBytes(24).toString('base64url') }))
  const server = await serveGateway({ ...config, port: choosePort(config, 'gateway') }, { db: first })
  closing(() => server.close())
  const gateway = createBearerClient(server.url, config.gatewayKey)
  const operators: SandboxOperator[] = []
  const networks = [await startProxyBefore(server.url, faults / 2, seed, 'faults', closing)]
  for (const { operatorId, port, secret, ...deps } of wallets) {
    const { db } = deps
    const wallet = await startWalletServer(
      { ...config, port, secrets: [secret], behindAggregator: true },
      deps,
      closing,
    )
    const network = await startProxyBefore(wallet.url, faults / 2, seed, `faults of ${operatorId}`, closing)
    networks.push(network)
    await gateway.fetchJson('POST', '/operators', { operatorId, baseUrl: network.url, secret })
    const enter = ({ token }: SessionEntry) =>
      gateway.fetchJson<SessionEntry>('POST', `/operators/${operatorId}/sessions`, { token })
    operators.push({ partnerId: `operator-${operatorId}`, wallet, db, enter })
  }
  const entryPoint = { url: server.url, secret: config.secrets[0] ?? '' }
  return { db: first, operators, gateway, entryPoint, network: joinFaultProxies(networks) }
}

async function openBothStores(store: DatabaseConfig, closing: RegisterCloser): Promise<[Db, Db]> {
  if (store.kind === 'postgres')
    throw new ConfigError(['--gateway needs the embedded databases, one per wallet: unset DATABASE_URL'])
  const { dataDir } = store
  const below = (name: string) => (dataDir.startsWith('memory://') ? dataDir : join(dataDir, name))
  const folder = (name: string) => openStore({ kind: 'pglite', dataDir: below(name) }, closing)
  return [await folder('gateway'), await folder('gateway-second-wallet')]
}

async function openStore(store: DatabaseConfig, closing: RegisterCloser): Promise<Db> {
  const db = await openDb(store)
  closing(() => db.close())
  return db
}

async function startWalletServer(
  config: Config,
  deps: ServeWalletDeps,
  closing: RegisterCloser,
): Promise<BearerClient> {
  const wallet = await serveWallet(config, deps)
  closing(() => wallet.close())
  return createBearerClient(wallet.url, config.operatorKey)
}

async function startProxyBefore(
  url: string,
  faults: number,
  seed: number,
  seedName: string,
  closing: RegisterCloser,
): Promise<FaultProxy> {
  const network = await startFaultProxy({
    ...{ walletUrl: url, fraction: faults, random: createRandom(seed, seedName) },
    agent: new Agent({ keepAlive: true }),
  })
  closing(() => network.close())
  return network
}
