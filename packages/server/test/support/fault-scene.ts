/**
 * Creates the parts of a fault test: databases, networks, wallets in separate processes, players
 * with money. Each part is removed when its test ends.
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

/** More than every bet together costs, so no call is rejected for lack of money. */
export const MONEY = 1_000_000
/**
 * The platform gives up a Place bet after 5 s; an answer shortly after that counts as no answer.
 */
const LATEST_ANSWER_MS = 5_500
/** Orchestrators wait 10 to 30 s before they kill a process. */
const EXIT_MS = 10_000

export async function newDatabase({ onTestFinished }: Finishing): Promise<string> {
  const database = await createDatabase()
  onTestFinished(() => database.drop())
  return database.url
}

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

/**
 * The players are made one after another, because tests in parallel would exceed the API's time
 * limit on a busy machine.
 */
export async function newPlayers({ operator }: WalletProcess, count: number, money = MONEY): Promise<Player[]> {
  const players: Player[] = []
  while (players.length < count) players.push(await playerWithMoney(operator, `${money}.00`))
  return players
}

/** Calls that wait or are being applied, from the metrics. */
export async function queueDepth(wallet: WalletProcess): Promise<number> {
  const text = await (await fetch(`${wallet.url}/metrics`)).text()
  return Number(/^wallet_queue_depth (\d+)$/m.exec(text)?.[1])
}

/** Resolves when the wallet accepts no new connection: it has received the stop signal. */
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

/** The exit code; null after a death by a signal, 'none' while the process still runs. */
export function exitOf(wallet: WalletProcess, signal: NodeJS.Signals): Promise<number | null | 'none'> {
  return Promise.race([wallet.kill(signal), sleep(EXIT_MS, 'none' as const, { ref: false })])
}

const lateness = monitorEventLoopDelay({ resolution: 20 })
lateness.enable()

/**
 * The longest delay of this process's event loop. A machine that delays this process delays the
 * wallet too.
 */
export function lateMs(): number {
  return lateness.max / 1e6
}

/** In milliseconds. */
export function latestAnswerMs(): number {
  return LATEST_ANSWER_MS + lateMs()
}
