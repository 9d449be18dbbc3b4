/**
 * The conformance kit gives our wallet the same verdicts through the gateway as without the
 * gateway.
 */

import type { ConformanceReport } from '@purser/conformance/reports/conformance-report'
import { runWalletKit } from '@purser/conformance/wallet/play/wallet-kit-run'
import { createOperatorFixtures } from '@purser/conformance/wallet/players/operator-fixtures'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type ExchangingOperator, startExchangingOperator } from './exchanging-operator.ts'

/**
 * Milliseconds for two runs of the kit during other tests on two cores; alone they take seconds.
 */
vi.setConfig({ testTimeout: 300_000 })

let gateway: TestGateway
let wallet: TestWallet
let operator: ExchangingOperator
const OPERATOR = 'ours'

beforeAll(async () => {
  gateway = await startGateway()
  wallet = await startWallet({ env: { PURSER_BEHIND_AGGREGATOR: 'true' } })
  await gateway.api.saveOperator(OPERATOR, wallet)
  operator = await startExchangingOperator(wallet.url, (token) => gateway.api.exchange(OPERATOR, token))
})
afterAll(async () => {
  await operator?.close()
  await gateway?.stop()
  await wallet?.stop()
})

async function direct(): Promise<ConformanceReport> {
  const fixtures = createOperatorFixtures({ url: wallet.url, key: wallet.operatorKey })
  const report = await runWalletKit({ baseUrl: wallet.url, secret: wallet.secret, fixtures })
  await fixtures.close()
  return report
}

async function throughTheGateway(): Promise<ConformanceReport> {
  const fixtures = createOperatorFixtures({ url: operator.url, key: wallet.operatorKey })
  const report = await runWalletKit({
    baseUrl: gateway.url,
    secret: gateway.secret,
    fixtures: operator.through(fixtures),
  })
  await fixtures.close()
  return report
}

const verdicts = ({ results }: ConformanceReport) =>
  results.map(({ id, verdict }) =>
    verdict.kind === 'failed' ? `${id} failed: ${verdict.why}` : `${id} ${verdict.kind}`,
  )

test('the conformance kit has the same results through the gateway as directly, without a failure', async () => {
  const reports = [await direct(), await throughTheGateway()].map(verdicts)
  expect(reports[0]?.filter((verdict) => !verdict.endsWith(' passed'))).toEqual([])
  expect(reports[1]).toEqual(reports[0])
  await wallet.auditIsClean()
})
