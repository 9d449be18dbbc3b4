/**
 * Runs the conformance kit against this process's wallet, over HTTP as against any other wallet.
 */
import type { AddressInfo } from 'node:net'
import { type CaseResult, isGood } from '@purser/conformance/reports/conformance-report'
import { redactReport } from '@purser/conformance/reports/report-redaction'
import { WALLET_CASES } from '@purser/conformance/wallet/cases/wallet-cases'
import { runWalletKit } from '@purser/conformance/wallet/play/wallet-kit-run'
import { createOperatorFixtures } from '@purser/conformance/wallet/players/operator-fixtures'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../core/config/config.ts'
import type { ConformanceRunner } from '../wallet/operator-api/conformance/conformance-runs.ts'
import type { KitResult } from '../wallet/operator-api/conformance/conformance-store.ts'

export function createWalletKit(
  app: FastifyInstance,
  { secrets, platformSecrets, operatorKey: key }: Config,
): ConformanceRunner {
  const secret = secrets[0] ?? platformSecrets[0]?.value ?? ''
  return {
    cases: WALLET_CASES.map(({ id, clause, level, sentence, loses }) => ({ id, clause, level, sentence, loses })),
    async run(signal, found) {
      const url = formatLocalUrl(app)
      const fixtures = createOperatorFixtures({ url, key })
      try {
        // The cause follows at the end of the run, when it is masked.
        const onResult = ({ id, verdict }: CaseResult) => found({ id, verdict: verdict.kind })
        const report = redactReport(await runWalletKit({ baseUrl: url, secret, fixtures, signal, onResult }))
        return { results: report.results.map(toKitResult), isGood: isGood(report) }
      } finally {
        await fixtures.close()
      }
    },
  }
}

function toKitResult({ id, verdict }: CaseResult): KitResult {
  return { id, verdict: verdict.kind, ...(verdict.kind !== 'passed' && { why: verdict.why }) }
}

/** The server listens on all addresses, or on one. */
function formatLocalUrl({ server }: FastifyInstance): string {
  const { address, port, family } = server.address() as AddressInfo
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address] ?? (family === 'IPv6' ? `[${address}]` : address)
  return `http://${host}:${port}`
}
