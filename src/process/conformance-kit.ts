/** The conformance kit for the wallet of this process: over HTTP, as it judges any other one. */
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config/config.ts'
import { masked } from '../conformance/report/masked.ts'
import { type CaseResult, isGood } from '../conformance/report/report.ts'
import { CASES } from '../conformance/wallet/cases/all.ts'
import { runKit } from '../conformance/wallet/play/run.ts'
import { createOperatorFixtures } from '../conformance/wallet/players/operator.ts'
import type { Kit } from '../operator/conformance-runs.ts'
import type { KitResult } from '../operator/conformance-store.ts'

export function kitFor(app: FastifyInstance, { secrets, platformSecrets, operatorKey: key }: Config): Kit {
  const secret = secrets[0] ?? platformSecrets[0]?.value ?? ''
  return {
    cases: CASES.map(({ id, clause, level, sentence, loses }) => ({ id, clause, level, sentence, loses })),
    async judge(signal, found) {
      const url = addressOf(app)
      const fixtures = createOperatorFixtures({ url, key })
      try {
        const onResult = (result: CaseResult) => found(shortOf(result, false))
        const report = masked(await runKit({ baseUrl: url, secret, fixtures, signal, onResult }))
        return { results: report.results.map((result) => shortOf(result, true)), isGood: isGood(report) }
      } finally {
        await fixtures.close()
      }
    },
  }
}

/** What a case said is told when it is masked, at the end. */
function shortOf({ id, verdict }: CaseResult, isMasked: boolean): KitResult {
  const why = isMasked && verdict.kind !== 'passed' ? verdict.why : undefined
  return { id, verdict: verdict.kind, ...(why !== undefined && { why }) }
}

/** It listens everywhere, or at one address. */
function addressOf({ server }: FastifyInstance): string {
  const { address, port, family } = server.address() as AddressInfo
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[address] ?? (family === 'IPv6' ? `[${address}]` : address)
  return `http://${host}:${port}`
}
