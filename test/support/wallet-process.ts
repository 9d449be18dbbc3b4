/** A wallet as an operator runs it: `node dist/main.js wallet`, a process that can be killed at any moment. */
import { auditIsClean } from './audit.ts'
import { asServer } from './database.ts'
import { type OperatorClient, operatorClient } from './operator.ts'
import { spawnServer } from './server-process.ts'
import { walletEnv } from './wallet-env.ts'
import { type PartnerWire, partnerWire } from './wire.ts'

export interface SpawnOptions {
  databaseUrl?: string
  /** Where PGlite keeps the data when there is no databaseUrl. */
  dataDir?: string
  port?: number
  env?: Record<string, string>
}

export interface WalletProcess {
  url: string
  pid: number
  wire: PartnerWire
  operator: OperatorClient
  secret: string
  operatorKey: string
  /** Throws with the findings. */
  auditIsClean(): Promise<void>
  /** Everything written to stdout and stderr so far. */
  output(): string
  /** Waits for the exit; the exit code, null after a death by the signal. At once when the process is gone already. */
  kill(signal: NodeJS.Signals): Promise<number | null>
}

export async function spawnWallet(options: SpawnOptions): Promise<WalletProcess> {
  const settings = {
    DATABASE_URL: options.databaseUrl && asServer('wallet', options.databaseUrl),
    PURSER_DATA_DIR: options.dataDir,
    PORT: options.port?.toString(),
  }
  const { env, secret, operatorKey } = walletEnv({ ...settings, ...options.env })
  const { url, pid, output, kill } = await spawnServer('wallet', env)
  const operator = operatorClient(url, operatorKey)
  return {
    ...{ url, pid, secret, operatorKey, operator, output, kill },
    wire: partnerWire(url, secret),
    auditIsClean: () => auditIsClean(operator),
  }
}
