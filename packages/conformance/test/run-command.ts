/**
 * Runs `conformance wallet` in the process of the test, and resolves to its output and exit code.
 */
import { type ConformanceWalletFlags, runConformanceWallet } from '../src/wallet/wallet-conformance-command.ts'
import type { RunningWallet } from './mutants/wallet.ts'

export interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** `program`: the command that users of the kit type. */
export async function runCommand(flags: ConformanceWalletFlags, program = 'purser conformance'): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await runConformanceWallet(flags, {
    stdout: { write: (text) => void out.push(text) },
    stderr: { write: (text) => void err.push(text) },
    noColour: true,
    program,
    signal: new AbortController().signal,
  })
  return { code, out: out.join(''), err: err.join('') }
}

export function flagsOf({ url, secret, operatorKey }: RunningWallet): ConformanceWalletFlags {
  return { baseUrl: url, secret, operatorApi: url, operatorKey }
}
