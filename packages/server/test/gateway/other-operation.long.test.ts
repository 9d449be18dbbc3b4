/**
 * The gateway rejects the bytes of an earlier Place bet when they arrive as an Unsettle, so a
 * replay takes no payout back (S-5).
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { newGatewayPlayer, startOperator, type TestOperator } from '../support/gateway-operators.ts'
import { placeMessage, settleMessage } from '../support/wire.ts'
import { expectRefused } from '../wallet/answers.ts'

let gateway: TestGateway
let operator: TestOperator
beforeAll(async () => {
  gateway = await startGateway()
  operator = await startOperator('acme', gateway.api)
})
afterAll(async () => {
  await operator.wallet.auditIsClean()
  await gateway.stop()
  await operator.stop()
})

test('the bytes of a settled bet’s Place bet with PUT take nothing back', async () => {
  const { userId, token, operatorUser } = await newGatewayPlayer(operator, gateway.api)
  const place = placeMessage({ userId, token, amount: 10 })
  const { transactionId } = place
  expect(await gateway.wire.call('POST', '/payment/bet', place)).toMatchObject({ status: 200 })
  const settle = settleMessage({ userId, transactionId, amount: 500 })
  expect(await gateway.wire.call('PUT', '/payment/bet', settle)).toMatchObject({ status: 200 })
  expectRefused(await gateway.wire.call('PUT', '/payment/bet', place), 5)
  expect(await operator.wallet.operator.balance(operatorUser)).toBe('1000490.00')
})
