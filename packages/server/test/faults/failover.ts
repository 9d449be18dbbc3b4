/**
 * Scenario of `npm run faults`: a standby replaces a killed Postgres.
 *
 * A synchronous standby has everything that was answered. After a failover to a lagging standby,
 * `purser reconcile` must name each lost bet.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readBetStatuses } from '../support/bet-statuses.ts'
import type { BetRecord } from '../support/journal.ts'
import { until, waitForStandby } from '../support/server-settings.ts'
import type { WalletProcess } from '../support/spawned-wallet.ts'
import { startStandby } from '../support/standby.ts'
import { startBetting } from '../support/stubborn-load.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import {
  BETTORS,
  databaseIn,
  figuresOf,
  lostOf,
  newPlayers,
  newPostgres,
  newWallet,
  oddBalances,
  play,
  type Stage,
  type Tally,
  takenOf,
} from './stage.ts'

const MAIN = resolve('packages/server/dist/main.js')
/** Bytes. */
const MAX_REPORT = 64 * 1024 * 1024
/** The server keeps the log that the standby has not received yet. */
const KEEPS = { wal_keep_size: '512MB' }

/** The wallet uses one address, which leads to the other server after the failover. */
async function scene(stage: Stage, isSynchronous: boolean) {
  const postgres = await newPostgres(stage, KEEPS)
  const replication = await startTcpProxy(postgres.url)
  stage.onEnd(() => replication.close())
  const standby = await startStandby(postgres, replication.url)
  stage.onEnd(() => standby.stop())
  await until(async () => (await postgres.execute('select from pg_stat_replication')).length > 0)
  if (isSynchronous) await waitForStandby(postgres, replication)
  const network = await startTcpProxy(databaseIn(postgres.url))
  stage.onEnd(() => network.close())
  const wallet = await newWallet(stage, { DATABASE_URL: network.url })
  const failOver = async () => {
    await postgres.kill('SIGKILL')
    await standby.promote()
    network.leadTo(databaseIn(standby.url))
    network.cut()
  }
  return { wallet, replication, failOver }
}

export async function failoverSynchronous(stage: Stage): Promise<Tally> {
  const { wallet, failOver } = await scene(stage, true)
  const attack = async () => {
    await sleep(Math.min(stage.forMs, 3_000) + stage.random.below(1_000))
    await failOver()
    return 1
  }
  return play(stage, { wallets: [wallet], attack })
}

/**
 * All calls end before the first server dies. Answered bets that the standby never received are
 * lost, and must be named.
 */
export async function failoverLagging(stage: Stage): Promise<Tally> {
  const { wallet, replication, failOver } = await scene(stage, false)
  const players = await newPlayers(wallet)
  const betting = startBetting({ wires: [wallet.wire], players, bettors: BETTORS, random: stage.random })
  await betting.recovered(200)
  replication.silence()
  await betting.recovered(200)
  await betting.stop()
  await failOver()
  await until(async () => (await wallet.wire.balance({ ...players[0] }).catch(() => undefined))?.status === 200)
  await wallet.auditIsClean()
  const outcomes = await readBetStatuses(wallet.operator)
  const lost = lostOf(betting.bets, outcomes).map(({ betId }) => betId)
  if (lost.length === 0) throw new Error('the standby lost nothing: it did not lag')
  const named = await namedByReconcile(wallet, betting.bets)
  const differ = lost.filter((id) => !named.has(id)).length + [...named].filter((id) => !lost.includes(id)).length
  const taken = takenOf(betting.bets, outcomes).length
  const doubled = taken + (await oddBalances(wallet, players, betting.bets, outcomes))
  const note = `${lost.length} bets lost with the first server, ${named.size} named by purser reconcile`
  return { ...figuresOf(betting), faults: 1, lost: differ, doubled, note }
}

/** Compares the platform's bets, as a file, with the wallet's. */
async function namedByReconcile(wallet: WalletProcess, bets: readonly BetRecord[]): Promise<Set<string>> {
  const folder = mkdtempSync(join(tmpdir(), 'purser-faults-'))
  try {
    const path = join(folder, 'platform.csv')
    const rows = bets.flatMap((bet) => (bet.status === 'unknown to the wallet' ? [] : [lineOf(bet)]))
    writeFileSync(path, ['betId,player,status,currency,stake,payout,resultType', ...rows, ''].join('\n'))
    const args = ['reconcile', '--platform-csv', path, '--operator-api', wallet.url, '--json']
    const env = { PATH: process.env.PATH, OPERATOR_API_KEY: wallet.operatorKey }
    const { stdout, stderr, status } = await ended(args, env)
    if (status !== 0 && status !== 1) throw new Error(`reconcile ended with ${status}: ${stderr}`)
    return new Set(bets.map(({ betId }) => betId).filter((betId) => stdout.includes(betId)))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function lineOf({ betId, userId, status, stake, payout }: BetRecord): string {
  const settled = status === 'settled' ? [`${payout}.00`, payout > 0 ? 'won' : 'lost'] : ['', '']
  return [betId, userId, status, 'EUR', `${stake}.00`, ...settled].join(',')
}

/** The proxy to the database runs in this process, so the command must not block it. */
function ended(args: readonly string[], env: Record<string, string | undefined>) {
  return new Promise<{ stdout: string; stderr: string; status: unknown }>((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env, maxBuffer: MAX_REPORT }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, status: error === null ? 0 : error.code }),
    )
  })
}
