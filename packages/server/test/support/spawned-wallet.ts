/**
 * Starts a wallet in its own process, for a test (wallet-process.ts) or for a command such as `npm
 * run faults`.
 */
import { auditIsClean } from './audit.ts'
import { type OperatorClient, operatorClient } from './operator.ts'
import { spawnServer } from './server-process.ts'
import { walletEnv } from './wallet-env.ts'
import { type PartnerWire, partnerWire } from './wire.ts'

export interface WalletProcess {
  url: string
  pid: number
  wire: PartnerWire
  operator: OperatorClient
  secret: string
  operatorKey: string
  /** Throws with the findings. */
  auditIsClean(): Promise<void>
  output(): string
  /**
   * Waits for the end if necessary. Resolves to the exit code, or null after a death by a signal.
   */
  kill(signal: NodeJS.Signals): Promise<number | null>
}

/** `main` may belong to another build. */
export async function spawnWalletWith(
  settings: Record<string, string | undefined>,
  main?: string,
): Promise<WalletProcess> {
  const { env, secret, operatorKey } = walletEnv(settings)
  const { url, pid, output, kill } = await spawnServer('wallet', env, main)
  const operator = operatorClient(url, operatorKey)
  return {
    ...{ url, pid, secret, operatorKey, operator, output, kill },
    wire: partnerWire(url, secret),
    auditIsClean: () => auditIsClean(operator),
  }
}
