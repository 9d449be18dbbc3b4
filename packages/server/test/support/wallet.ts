/**
 * Starts a wallet in this process, with a clock that the test can advance. wallet-process.ts starts
 * a separate process.
 */

import type { Logger } from '@purser/runtime/logger'
import { inject } from 'vitest'
import { readConfig } from '../../src/core/config/config.ts'
import { serveWallet } from '../../src/servers/wallet-server.ts'
import { auditIsClean } from './audit.ts'
import { type TestClock, testClock } from './clock.ts'
import { asServer, CITUS_BUCKETS, createDatabase } from './database.ts'
import { type OperatorClient, operatorClient } from './operator.ts'
import { walletEnv } from './wallet-env.ts'
import { type PartnerWire, partnerWire } from './wire.ts'

export { type SpawnOptions, spawnWallet, type WalletProcess } from './wallet-process.ts'

export interface TestWallet {
  url: string
  secret: string
  operatorKey: string
  /** The value of DATABASE_URL; empty when the wallet runs on PGlite. */
  databaseUrl: string
  wire: PartnerWire
  operator: OperatorClient
  clock: TestClock
  /** Throws with the findings. */
  auditIsClean(): Promise<void>
  stop(): Promise<void>
}

export interface StartOptions {
  /** Without a value, a new database is made, and stop() drops it. */
  databaseUrl?: string
  /** With PURSER_DATA_DIR and without a databaseUrl the wallet runs on PGlite. */
  env?: Record<string, string>
  log?: Logger
}

export async function startWallet(options: StartOptions = {}): Promise<TestWallet> {
  const own = options.databaseUrl || options.env?.PURSER_DATA_DIR ? undefined : await createDatabase()
  const databaseUrl = options.databaseUrl ?? own?.url
  const DATABASE_URL = databaseUrl && asServer('wallet', databaseUrl)
  const { env, secret, operatorKey } = walletEnv({
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    DATABASE_URL,
    ...(inject('citusWorkers') && { PURSER_BUCKETS: String(CITUS_BUCKETS) }),
    ...options.env,
  })
  const clock = testClock()
  const { url, close } = await serveWallet(readConfig(env), { clock, ...(options.log && { log: options.log }) })
  const operator = operatorClient(url, operatorKey)
  const stop = async () => {
    await close()
    await own?.drop()
  }
  return {
    ...{ url, secret, operatorKey, databaseUrl: databaseUrl ?? '', operator, clock, stop },
    wire: partnerWire(url, secret),
    auditIsClean: () => auditIsClean(operator),
  }
}
