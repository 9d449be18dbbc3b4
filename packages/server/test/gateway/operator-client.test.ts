/**
 * The gateway can replace its client for an operator (C-13) while calls are in flight and waiting,
 * without the loss of a call.
 */

import { environment } from '@purser/runtime/environment'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createOperatorClient,
  OPERATOR_CALL_LIMITS,
  type OperatorCall,
} from '../../src/gateway/operators/operator-client.ts'
import { refusal, type ScriptedWallet, startScriptedWallet } from '../support/scripted-wallet.ts'
import { signal } from '../support/signal.ts'
import { settleMessage } from '../support/wire.ts'

const [OLD, NEW] = ['the-old-secret', 'the-new-secret']
const WAITING = 16
/** Milliseconds that make a call so young that it is not late on a slow machine. */
const YOUNGER_MS = 600_000

let wallet: ScriptedWallet
beforeEach(async () => {
  wallet = await startScriptedWallet({ secret: OLD })
  wallet.accepts = [OLD, NEW]
})
afterEach(() => wallet.stop())

const linkOf = (...secrets: string[]) => createOperatorClient({ baseUrl: wallet.url, secrets })

function settle(): OperatorCall {
  const body = Buffer.from(JSON.stringify(settleMessage({})))
  return { method: 'PUT', path: '/payment/bet', body, arrivedAt: environment.monotonicNow() + YOUNGER_MS }
}

test.each([
  ['one secret', [OLD]],
  ['two', [NEW, OLD]],
])(
  'with %s, calls in flight and waiting calls reach the operator after the client is closed',
  async (_many, secrets) => {
    const { give, given } = signal()
    wallet.always('settle', { hold: given })
    const link = linkOf(...secrets)
    const calls = Array.from({ length: OPERATOR_CALL_LIMITS.inside + WAITING }, () => link.send(settle()))
    await wallet.seen('settle', OPERATOR_CALL_LIMITS.inside)
    expect(link.depth()).toBe(calls.length)
    const closed = link.close()
    give()
    const results = await Promise.all(calls)
    const statuses = results.map((result) =>
      result.kind === 'sent' && result.exchange.kind === 'answered' ? result.exchange.status : JSON.stringify(result),
    )
    expect([...new Set(statuses)]).toEqual([200])
    await closed
  },
)

test('a call that is rejected after the close is repeated with the second secret', async () => {
  const { give, given } = signal()
  wallet.next('settle', { ...refusal(1), hold: given })
  const link = linkOf(NEW, OLD)
  const call = link.send(settle())
  await wallet.seen('settle', 1)
  const closed = link.close()
  give()
  expect(await call).toMatchObject({ kind: 'sent', exchange: { kind: 'answered', status: 200 } })
  await closed
})

test('a client without calls closes at once', async () => {
  const link = linkOf(OLD)
  await link.send(settle())
  await link.close()
  expect(await link.send(settle())).toMatchObject({ exchange: { kind: 'failed' } })
})
