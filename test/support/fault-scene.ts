/**
 * What a test of faults is made of: databases, networks, wallets in processes of their own, players with money. All of it
 * is gone when the test is over, also of tests that run at the same time.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestContext } from 'vitest'
import { createDatabase } from './database.ts'
import type { Player } from './journal.ts'
import { playerWithMoney } from './operator.ts'
import { until } from './server-settings.ts'
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { type SpawnOptions, spawnWallet, type WalletProcess } from './wallet-process.ts'

export type Finishing = Pick<TestContext, 'onTestFinished'>

/** More than all bets together can cost: no call has a reason to be refused. */
export const MONEY = 1_000_000
/** The platform gives a Place bet up after 5 s; an answer that comes a little later still says the same as none. */
const LATEST_ANSWER_MS = 5_500
/** Orchestrators wait 10 to 30 s before they kill. */
const EXIT_MS = 10_000

export async function newDatabase({ onTestFinished }: Finishing): Promise<string> {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  return database.url
}

/** A network between a wallet and this database. */
export async function newNetwork({ onTestFinished }: Finishing, databaseUrl: string): Promise<TcpProxy> {
  const network = await startTcpProxy(databaseUrl)
  onTestFinished(() => network.close())
  return network
}

export async function newWallet({ onTestFinished }: Finishing, options: SpawnOptions): Promise<WalletProcess> {
  const wallet = await spawnWallet(options)
  onTestFinished(async () => void (await wallet.kill('SIGKILL')))
  return wallet
}

/** One after another: those of several tests at once are more than a busy machine makes within the API's time. */
export async function newPlayers({ operator }: WalletProcess, count: number, money = MONEY): Promise<Player[]> {
  const players: Player[] = []
  while (players.length < count) players.push(await playerWithMoney(operator, `${money}.00`))
  return players
}

/** Calls that wait or are being applied, as the wallet tells. */
export async function queueDepth(wallet: WalletProcess): Promise<number> {
  const text = await (await fetch(`${wallet.url}/metrics`)).text()
  return Number(/^wallet_queue_depth (\d+)$/m.exec(text)?.[1])
}

/** Resolves when the wallet takes no new connection: then it has heard that it is to end. */
export async function untilClosed(wallet: WalletProcess): Promise<void> {
  const { hostname, port } = new URL(wallet.url)
  await until(() => {
    const socket = connect(Number(port), hostname)
    return once(socket, 'connect').then(
      () => socket.destroy() === undefined,
      () => true,
    )
  })
}

/** The exit code, null after a death by a signal, 'none' when the process is still there. */
export function exitOf(wallet: WalletProcess, signal: NodeJS.Signals): Promise<number | null | 'none'> {
  return Promise.race([wallet.kill(signal), sleep(EXIT_MS, 'none' as const, { ref: false })])
}

const lateness = monitorEventLoopDelay({ resolution: 20 })
lateness.enable()

/** How late this process was at worst. Where the machine keeps it waiting, it does so with the wallet too. */
export function lateMs(): number {
  return lateness.max / 1e6
}

/** Milliseconds for the answer to a Place bet. */
export function latestAnswerMs(): number {
  return LATEST_ANSWER_MS + lateMs()
}
