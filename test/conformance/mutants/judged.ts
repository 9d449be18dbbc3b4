/** One test wallet, right or a mutant, judged by the whole kit over HTTP, with players made for each case. */
import type { Report } from '../../../src/conformance/report.ts'
import { createOperatorFixtures } from '../../../src/conformance/wallet/fixtures-operator.ts'
import { runKit } from '../../../src/conformance/wallet/run.ts'
import type { MutantId } from './mutants.ts'
import { startTestWallet } from './wallet.ts'

export async function judgeTestWallet(fault?: MutantId): Promise<Report> {
  const { url, secret, operatorKey, close } = await startTestWallet(fault === undefined ? {} : { fault })
  const fixtures = createOperatorFixtures({ url, key: operatorKey })
  try {
    return await runKit({ baseUrl: url, secret, fixtures, isStrict: true })
  } finally {
    await fixtures.close()
    await close()
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
