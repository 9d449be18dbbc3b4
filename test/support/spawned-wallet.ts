/** A wallet in a process of its own, whoever starts it: a test (wallet-process.ts) or a command. */
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
  /** Everything written to stdout and stderr so far. */
  output(): string
  /** Waits for the exit; the exit code, null after a death by the signal. At once when the process is gone already. */
  kill(signal: NodeJS.Signals): Promise<number | null>
}

/** `main`: of another build. */
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
