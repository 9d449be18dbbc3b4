/**
 * During a rotation, a call to a wallet is tried with several secrets (C-13), also when time is
 * short or the client is replaced.
 */

import { createWalletClient } from '@purser/protocol/client/wallet-client'
import { expect, onTestFinished, test } from 'vitest'
import { fakeTime } from '../support/fake-time.ts'
import { refusal, startScriptedWallet } from '../support/scripted-wallet.ts'
import { signal } from '../support/signal.ts'
import { placeMessage } from '../support/wire.ts'

test('a rejected signature that arrives too late for the next secret counts as a time-out', async () => {
  const wallet = await startScriptedWallet()
  onTestFinished(() => wallet.stop())
  wallet.accepts = [wallet.secret]
  onTestFinished(fakeTime().takeOverTimeOuts()) // as in a process too busy for its timers
  const client = createWalletClient({ baseUrl: wallet.url, secrets: ['another', wallet.secret], timeoutMs: 1 })
  onTestFinished(() => client.close())
  const answer = await client.call('place', JSON.stringify(placeMessage({})))
  expect(answer).toMatchObject({ outcome: { kind: 'unknown', reason: 'time_out' }, status: null })
  expect(wallet.turnedAway).toHaveLength(1)
})

test('a replaced client tries the next secret for a call in flight', async () => {
  const wallet = await startScriptedWallet()
  onTestFinished(() => wallet.stop())
  wallet.accepts = ['another', wallet.secret]
  const { give, given } = signal()
  wallet.next('place', { ...refusal(1), hold: given })
  const client = createWalletClient({ baseUrl: wallet.url, secrets: ['another', wallet.secret], timeoutMs: 60_000 })
  const call = client.call('place', JSON.stringify(placeMessage({})))
  await wallet.seen('place', 1)
  const closed = client.close()
  give()
  expect(await call).toMatchObject({ outcome: { kind: 'accepted' }, status: 200 })
  await closed
})
