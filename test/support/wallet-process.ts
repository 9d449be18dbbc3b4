/** A wallet as an operator runs it: `node dist/main.js wallet`, a process that can be killed at any moment. */
import { asServer } from './database.ts'
import { spawnWalletWith, type WalletProcess } from './spawned-wallet.ts'

export type { WalletProcess } from './spawned-wallet.ts'

export interface SpawnOptions {
  databaseUrl?: string
  /** Where PGlite keeps the data when there is no databaseUrl. */
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
