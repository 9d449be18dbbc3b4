/**
 * Judges one test wallet, correct or a mutant, by the cases of the kit over HTTP. Each case gets
 * new players.
 */

import type { Clock } from '@purser/runtime/clock'
import type { ConformanceReport } from '../../src/reports/conformance-report.ts'
import type { WalletCase } from '../../src/wallet/case/wallet-case.ts'
import { WALLET_CASES } from '../../src/wallet/cases/wallet-cases.ts'
import { runWalletKit } from '../../src/wallet/play/wallet-kit-run.ts'
import { createOperatorFixtures } from '../../src/wallet/players/operator-fixtures.ts'
import { MUTANTS, type MutantId } from './mutants.ts'
import { type RunningWallet, startTestWallet } from './wallet.ts'

/** Milliseconds of the wait of `--patient`, by which the wallet's clock is advanced. */
const RETRY_WAIT_MS = 300_000

export async function judgeTestWallet(
  fault?: MutantId,
  cases: readonly WalletCase[] = WALLET_CASES,
): Promise<ConformanceReport & Pick<RunningWallet, 'fired'>> {
  const clock = clockAhead()
  const { url, secret, operatorKey, fired, close } = await startTestWallet({
    clock,
    ...(fault !== undefined && { fault }),
  })
  const fixtures = createOperatorFixtures({ url, key: operatorKey })
  const needsLongWait = fault !== undefined && MUTANTS[fault].needsLongWait
  const waitOptions = needsLongWait ? { lateRepeatDelayMs: RETRY_WAIT_MS, wait: clock.putForward } : {}
  try {
    return { ...(await runWalletKit({ baseUrl: url, secret, fixtures, cases, isStrict: true, ...waitOptions })), fired }
  } finally {
    await fixtures.close()
    await close()
  }
}

/** The system's clock, for sessions that expire, plus the advanced time. */
function clockAhead(): Clock & { putForward(ms: number): Promise<void> } {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    async putForward(ms) {
      ahead += ms
    },
  }
}

export function failing({ results }: ConformanceReport): string[] {
  return results.filter(({ verdict }) => verdict.kind === 'failed').map(({ id }) => id)
}

/** Includes the cases without a verdict. */
export function notPassed({ results }: ConformanceReport): string[] {
  return results.filter(({ verdict }) => verdict.kind !== 'passed').map(({ id }) => id)
}
