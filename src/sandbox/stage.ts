/**
 * Everything that runs in the sandbox: one operator whose wallet the platform calls directly, or two behind a gateway, each
 * a partner of its own; and a bad network between every pair.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, ConfigError } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import { openDb, type StoreConfig } from '../db/open.ts'
import { serveGateway } from '../process/gateway.ts'
import { servePlatform } from '../process/platform.ts'
import { type SandboxRoutes, type ServeDeps, serveWallet } from '../process/wallet.ts'
import { createRandom } from '../runtime/random.ts'
import { type Api, createApi } from './api.ts'
import { type BadNetwork, joinNetworks, startBadNetwork } from './faults.ts'

/** A session as the platform is told of it. */
export interface Entry {
  readonly userId: string
  readonly token: string
}

/** An operator: its wallet, and how its players come to the platform. */
export interface House {
  readonly partnerId: string
  readonly wallet: Api
  readonly db: Db
  /** What becomes of a session of the wallet's before the frame is loaded with it. */
  enter(session: Entry): Promise<Entry>
}

export interface Stage {
  readonly db: Db
  readonly houses: readonly House[]
  readonly platform: Api
  readonly gateway?: Api
  /** Whom the platform calls, past the bad network: for calls by hand. */
  readonly door: { readonly url: string; readonly secret: string }
  readonly network: BadNetwork
}

export interface StageOptions {
  readonly seed: number
  /** Part of the calls that go wrong, from 0 to 1. */
  readonly faults: number
  readonly gateway: boolean
  /** What the first wallet's server has beside its own. */
  readonly sandbox: SandboxRoutes
}

/** Takes what must be closed in the end, each part after those that it needs. */
type Closing = (close: () => Promise<void>) => void

/** How many ports after the first one each of the others has. */
const PORTS = { platform: 1, gateway: 2, secondWallet: 3 }

export async function buildStage(config: Config, options: StageOptions, closing: Closing): Promise<Stage> {
  const quiet = { ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }
  const front = options.gateway ? await behindGateway(quiet, options, closing) : await direct(quiet, options, closing)
  const { db, houses, door, network } = front
  const server = await servePlatform({ ...quiet, port: portOf(config, 'platform') }, { db })
  closing(() => server.close())
  const platform = createApi(server.url, config.platformKey)
  for (const { partnerId } of houses)
    await platform.get('POST', '/partners', { partnerId, baseUrl: network.url, secret: door.secret })
  return { ...front, platform }
}

function portOf({ port }: Config, server: keyof typeof PORTS): number {
  return port === 0 ? 0 : port + PORTS[server]
}

type Front = Omit<Stage, 'platform'>

async function direct(config: Config, { seed, faults, sandbox }: StageOptions, closing: Closing): Promise<Front> {
  const db = await open(config.store, closing)
  const wallet = await startWallet(config, { db, sandbox }, closing)
  const network = await bad(wallet.url, faults, seed, 'faults', closing)
  const house = { partnerId: 'sandbox', wallet, db, enter: async (session: Entry) => session }
  return { db, houses: [house], door: { url: wallet.url, secret: config.secrets[0] ?? '' }, network }
}

/** Its books are apart from those without a gateway. Of the faults one half is before the gateway, one behind it. */
async function behindGateway(
  config: Config,
  { seed, faults, sandbox }: StageOptions,
  closing: Closing,
): Promise<Front> {
  const [first, second] = await openBoth(config.store, closing)
  const wallets = [
    { operatorId: 'one', db: first, port: config.port, sandbox },
    { operatorId: 'two', db: second, port: portOf(config, 'secondWallet') },
  ].map((wallet) => ({ ...wallet, secret: randomBytes(24).toString('base64url') }))
  const server = await serveGateway({ ...config, port: portOf(config, 'gateway') }, { db: first })
  closing(() => server.close())
  const gateway = createApi(server.url, config.gatewayKey)
  const houses: House[] = []
  const networks = [await bad(server.url, faults / 2, seed, 'faults', closing)]
  for (const { operatorId, port, secret, ...deps } of wallets) {
    const { db } = deps
    const wallet = await startWallet({ ...config, port, secrets: [secret], behindAggregator: true }, deps, closing)
    const network = await bad(wallet.url, faults / 2, seed, `faults of ${operatorId}`, closing)
    networks.push(network)
    await gateway.get('POST', '/operators', { operatorId, baseUrl: network.url, secret })
    const enter = ({ token }: Entry) => gateway.get<Entry>('POST', `/operators/${operatorId}/sessions`, { token })
    houses.push({ partnerId: `operator-${operatorId}`, wallet, db, enter })
  }
  const door = { url: server.url, secret: config.secrets[0] ?? '' }
  return { db: first, houses, gateway, door, network: joinNetworks(networks) }
}

async function openBoth(store: StoreConfig, closing: Closing): Promise<[Db, Db]> {
  if (store.kind === 'postgres')
    throw new ConfigError(['--gateway needs the embedded databases, one per wallet: unset DATABASE_URL'])
  const { dataDir } = store
  const below = (name: string) => (dataDir.startsWith('memory://') ? dataDir : join(dataDir, name))
  const folder = (name: string) => open({ kind: 'pglite', dataDir: below(name) }, closing)
  return [await folder('gateway'), await folder('gateway-second-wallet')]
}

async function open(store: StoreConfig, closing: Closing): Promise<Db> {
  const db = await openDb(store)
  closing(() => db.close())
  return db
}

async function startWallet(config: Config, deps: ServeDeps, closing: Closing): Promise<Api> {
  const wallet = await serveWallet(config, deps)
  closing(() => wallet.close())
  return createApi(wallet.url, config.operatorKey)
}

async function bad(url: string, faults: number, seed: number, what: string, closing: Closing): Promise<BadNetwork> {
  const network = await startBadNetwork(url, faults, createRandom(seed, what))
  closing(() => network.close())
  return network
}
