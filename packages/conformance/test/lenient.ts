/**
 * Runs some cases of the kit against a test wallet, correct or a mutant, behind a proxy that fails
 * some calls.
 */
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'
import { runWalletKit } from '../src/wallet/play/wallet-kit-run.ts'
import { createOperatorFixtures } from '../src/wallet/players/operator-fixtures.ts'
import { frontOf, type ProxiedCall, type ProxyFaults } from './faulty-proxy.ts'
import type { MutantId } from './mutants/mutants.ts'
import { startTestWallet } from './mutants/wallet.ts'

export const isRollback = ({ method, type }: ProxiedCall) => method === 'PUT' && type === 3

/** Resolves to each case's outcome, with the reason of a failure. */
export async function verdicts(ids: readonly string[], faults: ProxyFaults, fault?: MutantId): Promise<string[]> {
  const wallet = await startTestWallet({ ...(fault !== undefined && { fault }) })
  const front = await frontOf(wallet.url, faults)
  const fixtures = createOperatorFixtures({ url: wallet.url, key: wallet.operatorKey })
  const cases = WALLET_CASES.filter(({ id }) => ids.includes(id))
  try {
    const { results } = await runWalletKit({ baseUrl: front.url, secret: wallet.secret, fixtures, cases })
    return results.map(({ id, verdict }) => `${id} ${verdict.kind === 'failed' ? verdict.why : verdict.kind}`)
  } finally {
    await fixtures.close()
    await front.close()
    await wallet.close()
  }
}

export function passing(ids: readonly string[]): string[] {
  return WALLET_CASES.flatMap(({ id }) => (ids.includes(id) ? [`${id} passed`] : []))
}
