/**
 * Lists the scenarios of `npm run faults`. Servers, processes and connections fail, while bettors
 * repeat each call until it is answered.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WalletProcess } from '../support/spawned-wallet.ts'
import { diskFull } from './disk-full.ts'
import { failoverLagging, failoverSynchronous } from './failover.ts'
import { linksToPostgres, linksToWallet } from './links.ts'
import { midnight } from './midnight.ts'
import { overload } from './overload.ts'
import { again, databaseIn, newPostgres, newWallet, play, type Stage, sameAs, type Tally } from './stage.ts'
import { rollingUpgrade } from './upgrade.ts'

export interface Scenario {
  readonly name: string
  readonly what: string
  run(stage: Stage): Promise<Tally>
}

async function postgresKilled(stage: Stage): Promise<Tally> {
  const postgres = await newPostgres(stage)
  const wallet = await newWallet(stage, { DATABASE_URL: databaseIn(postgres.url) })
  const fault = async () => {
    await sleep(200 + stage.random.below(400))
    await postgres.kill((['SIGKILL', 'SIGKILL', 'SIGQUIT', 'SIGINT'] as const)[stage.random.below(4)] ?? 'SIGKILL')
    await postgres.start()
  }
  return play(stage, { wallets: [wallet], attack: (betting) => again(stage, betting, fault) })
}

async function postgresFrozen(stage: Stage): Promise<Tally> {
  const postgres = await newPostgres(stage)
  const wallet = await newWallet(stage, { DATABASE_URL: databaseIn(postgres.url) })
  const fault = async () => {
    await sleep(200 + stage.random.below(400))
    const thaw = await postgres.freeze()
    await sleep(500 + stage.random.below(8_000)).finally(thaw)
  }
  return play(stage, { wallets: [wallet], attack: (betting) => again(stage, betting, fault) })
}

/** Two wallets on one database; one at a time is down. */
async function walletPair(stage: Stage) {
  const postgres = await newPostgres(stage)
  const settings = { DATABASE_URL: databaseIn(postgres.url) }
  const first = await newWallet(stage, settings)
  const second = await newWallet(stage, { ...settings, ...sameAs(first), PORT: '0' })
  return { settings, wallets: [first, second] as [WalletProcess, WalletProcess] }
}

async function walletsKilled(stage: Stage): Promise<Tally> {
  const { settings, wallets } = await walletPair(stage)
  const [first] = wallets
  const now = [...wallets]
  const fault = async () => {
    await sleep(200 + stage.random.below(400))
    const which = stage.random.below(2)
    const wallet = now[which] as WalletProcess
    await wallet.kill('SIGKILL')
    now[which] = await newWallet(stage, { ...settings, ...sameAs(wallet) })
  }
  return play(stage, { wallets, attack: (betting) => again(stage, betting, fault), asked: () => now[0] ?? first })
}

async function walletsFrozen(stage: Stage): Promise<Tally> {
  const { wallets } = await walletPair(stage)
  const fault = async () => {
    await sleep(200 + stage.random.below(400))
    const { pid } = wallets[stage.random.below(2)] as WalletProcess
    process.kill(pid, 'SIGSTOP')
    await sleep(500 + stage.random.below(9_000)).finally(() => process.kill(pid, 'SIGCONT'))
  }
  return play(stage, { wallets, attack: (betting) => again(stage, betting, fault) })
}

const CONNECTIONS = 10_000
/** Connections opened at once: a server queues this number before it accepts the first. */
const BURST = 200

/** Idle connections, as many as a proxy in front may hold. */
async function connections(stage: Stage): Promise<Tally> {
  const postgres = await newPostgres(stage)
  const wallet = await newWallet(stage, { DATABASE_URL: databaseIn(postgres.url) })
  const { hostname, port } = new URL(wallet.url)
  const sockets: Socket[] = []
  stage.onEnd(() => sockets.forEach((socket) => void socket.destroy()))
  let closed = 0
  const attack = async () => {
    while (sockets.length < CONNECTIONS) {
      const burst = Array.from({ length: BURST }, () => connect(Number(port), hostname))
      for (const socket of burst) socket.on('error', () => {}).once('close', () => closed++)
      sockets.push(...burst)
      await Promise.all(burst.map((socket) => once(socket, 'connect')))
    }
    await sleep(stage.forMs)
    return 1
  }
  const tally = await play(stage, { wallets: [wallet], attack })
  return { ...tally, note: `${sockets.length} connections, ${closed} closed meanwhile` }
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'postgres-killed', what: 'Postgres killed, at once and in order, and started again', run: postgresKilled },
  { name: 'postgres-frozen', what: 'all processes of Postgres stand still, up to 8 s', run: postgresFrozen },
  { name: 'disk-full', what: 'the disk of Postgres is full', run: diskFull },
  { name: 'failover', what: 'a synchronous standby takes the place of a killed Postgres', run: failoverSynchronous },
  { name: 'failover-lagging', what: 'a standby that lags takes its place', run: failoverLagging },
  { name: 'wallets-killed', what: 'one of two wallets killed and begun anew', run: walletsKilled },
  { name: 'wallets-frozen', what: 'one of two wallets stands still, up to 9 s', run: walletsFrozen },
  { name: 'links-to-postgres', what: 'the link to Postgres cut, late, silent', run: linksToPostgres },
  { name: 'links-to-wallet', what: 'the link of platform and wallet cut, late, silent', run: linksToWallet },
  { name: 'midnight', what: 'the day changes, for one of two wallets at a time', run: midnight },
  { name: 'overload', what: 'ten times as many calls a second', run: overload },
  { name: 'connections', what: '10,000 connections beside the calls', run: connections },
  { name: 'upgrade', what: 'two wallets of an earlier commit, replaced one by one', run: rollingUpgrade },
]
