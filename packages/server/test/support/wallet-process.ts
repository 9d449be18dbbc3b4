/**
 * Starts a wallet in its own process, as in production: `node packages/server/dist/main.js wallet`.
 */
import { asServer } from './database.ts'
import { spawnWalletWith, type WalletProcess } from './spawned-wallet.ts'

export type { WalletProcess } from './spawned-wallet.ts'

export interface SpawnOptions {
  databaseUrl?: string
  /** The data folder of PGlite when no databaseUrl is given. */
  dataDir?: string
  port?: number
  env?: Record<string, string>
}

export function spawnWallet(options: SpawnOptions): Promise<WalletProcess> {
  return spawnWalletWith({
    DATABASE_URL: options.databaseUrl && asServer('wallet', options.databaseUrl),
    PURSER_DATA_DIR: options.dataDir,
    PORT: options.port?.toString(),
    ...options.env,
  })
}
