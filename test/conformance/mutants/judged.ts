/** One test wallet, right or a mutant, judged by the whole kit over HTTP, with players made for each case. */

import type { Report } from '../../../src/conformance/report/report.ts'
import type { Case } from '../../../src/conformance/wallet/case/case.ts'
import { CASES } from '../../../src/conformance/wallet/cases/all.ts'
import { runKit } from '../../../src/conformance/wallet/play/run.ts'
import { createOperatorFixtures } from '../../../src/conformance/wallet/players/operator.ts'
import type { Clock } from '../../../src/runtime/clock.ts'
import { MUTANTS, type MutantId } from './mutants.ts'
import { type RunningWallet, startTestWallet } from './wallet.ts'

/** Milliseconds that `--patient` waits: the clock of the wallet is put forward by so much. */
const PATIENCE_MS = 300_000

export async function judgeTestWallet(
  fault?: MutantId,
  cases: readonly Case[] = CASES,
): Promise<Report & Pick<RunningWallet, 'fired'>> {
  const clock = clockAhead()
  const { url, secret, operatorKey, fired, close } = await startTestWallet({
    clock,
    ...(fault !== undefined && { fault }),
  })
  const fixtures = createOperatorFixtures({ url, key: operatorKey })
  const isPatient = fault !== undefined && MUTANTS[fault].takesPatience
  const patience = isPatient ? { patienceMs: PATIENCE_MS, wait: clock.putForward } : {}
  try {
    return { ...(await runKit({ baseUrl: url, secret, fixtures, cases, isStrict: true, ...patience })), fired }
  } finally {
    await fixtures.close()
    await close()
  }
}

/** Goes as the system's does, for sessions that run out, and can be put forward. */
function clockAhead(): Clock & { putForward(ms: number): Promise<void> } {
  let ahead = 0
  return {
    now: () => new Date(Date.now() + ahead),
    async putForward(ms) {
      ahead += ms
    },
  }
}

/** The ids of the cases that fail. */
export function failing({ results }: Report): string[] {
  return results.filter(({ verdict }) => verdict.kind === 'failed').map(({ id }) => id)
}

/** These and the ids of the cases that are not judged. */
export function notPassed({ results }: Report): string[] {
  return results.filter(({ verdict }) => verdict.kind !== 'passed').map(({ id }) => id)
}
