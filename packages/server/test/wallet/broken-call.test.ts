/**
 * When our code throws after the signature check, the call is answered as failed. The record
 * of the call still names its caller and operation.
 */
import { randomUUID } from 'node:crypto'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { expect, test } from 'vitest'
import { handleBetCall, type WalletCallDeps } from '../../src/wallet/wire/wallet-call-handler.ts'
import { settleMessage, sign } from '../support/wire.ts'

test('an exception after the signature check still reports the caller and the operation', async () => {
  const failures: unknown[] = []
  const broken = () => {
    throw new Error('a defect')
  }
  const settings = { scales: STANDARD_SCALES, behindAggregator: false }
  const deps = {
    ...{ secrets: ['first', 'second'], platforms: ['', ''], settings },
    platformSettings: [settings, settings].map((one) => ({ ...one, platform: '' })),
    callQueue: { submit: broken, depth: () => 0, room: () => 1 },
    onFailure: (error: unknown) => failures.push(error),
  } as unknown as WalletCallDeps
  const text = JSON.stringify(settleMessage({ transactionId: randomUUID(), token: undefined, amount: 5 }))
  const request = { method: 'PUT', body: Buffer.from(text), arrivedAt: performance.now() }
  const handled = await handleBetCall(deps, { ...request, headers: { 'x-sign-jws': sign(text, 'second') } })
  expect(handled).toMatchObject({ signer: 1, operation: 'settle', reply: { status: 500 }, call: { kind: 'settle' } })
  expect(failures).toHaveLength(1)
})
