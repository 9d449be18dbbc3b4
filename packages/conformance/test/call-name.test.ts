/**
 * The line that explains a failure names the unusual part of the call, such as an amount of -500.
 */
import { afterAll, expect, test } from 'vitest'
import { WALLET_CASES } from '../src/wallet/cases/wallet-cases.ts'
import { runWalletKit } from '../src/wallet/play/wallet-kit-run.ts'
import { createOperatorFixtures } from '../src/wallet/players/operator-fixtures.ts'
import type { MutantId } from './mutants/mutants.ts'
import { startTestWallet } from './mutants/wallet.ts'

const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends) await end()
})

async function whyFailed(fault: MutantId, id: string): Promise<string> {
  const { url, secret, operatorKey, close } = await startTestWallet({ fault })
  const fixtures = createOperatorFixtures({ url, key: operatorKey })
  ends.push(close, () => fixtures.close())
  const cases = WALLET_CASES.filter((one) => one.id === id)
  const [result] = (await runWalletKit({ baseUrl: url, secret, fixtures, cases })).results
  return result?.verdict.kind === 'failed' ? result.verdict.why : `${id} ${result?.verdict.kind}`
}

test.concurrent.each<[MutantId, string, string]>([
  ['negative-amount-accepted', 'message-04', 'Place bet X, amount: -500: accepted'],
  ['amount-true-accepted', 'message-04', 'Place bet X, amount: true: accepted'],
  ['bet-id-length-unchecked', 'message-05', 'Place bet X 100, transactionId: "": accepted'],
  ['amount-absent-is-zero', 'message-09', 'Settle Y won, without amount: accepted'],
  ['type-absent-accepted', 'message-02', 'Place bet X 100, type: null: accepted'],
  ['unknown-currency-accepted', 'currency-01', 'Place bet X 100, currency: "XTS": accepted'],
  ['operator-user-unchecked', 'message-12', 'Place bet X 100, operatorUser: "a b": accepted'],
  ['malformed-json-crashes', 'message-01', 'Place bet X, body: {: HTTP status 500'],
  ['other-method-ok', 'message-03', 'Place bet X, method: GET, body: empty: accepted'],
  ['content-type-demanded', 'message-15', 'content type: application/json; charset=utf-8: refused'],
  ['place-expired-token-accepted', 'profile-04', 'Place bet X 100, token: dead: accepted'],
  ['place-token-currency-unchecked', 'currency-03', 'Place bet Y 100, in the other currency: accepted'],
  ['signature-over-own-order', 'signature-09', 'Place bet X 100, written: reordered: refused'],
  ['signature-prefix-enough', 'signature-17', 'Place bet cut short 100, signature: cut short: accepted'],
  ['token-in-part', 'alike-03', 'Place bet X 100, token: cut short: accepted'],
  ['user-id-in-part', 'alike-05', 'Place bet X 100, userId: longer: accepted'],
  ['used-request-id-refused', 'place-17', 'Place bet Y 50, requestId: r: refused'],
  ['late-repeat-applied', 'resettle-04', 'Settle X won 200, the bytes of "the old one" again'],
  ['error-codes-listed-only', 'rollback-15', 'Rollback X 100, errorCode: 999: refused'],
  ['rollback-of-another', 'rollback-12', 'Rollback X 100, of B'],
  ['long-express-refused', 'place-14', 'metadata: [{"disciplineId":1,'],
])('the kit finds %s with %s and names the call: %s', async (fault, id, says) => {
  const why = await whyFailed(fault, id)
  expect(why).toContain(says)
  expect(why.length).toBeLessThan(600)
})
