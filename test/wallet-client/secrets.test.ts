/** A call of a partner with several secrets, while they rotate (C-13). */
import { expect, onTestFinished, test } from 'vitest'
import { createWalletClient } from '../../src/wallet-client/wallet-client.ts'
import { fakeTime } from '../support/fake-time.ts'
import { refusal, startScriptedWallet } from '../support/scripted-wallet.ts'
import { signal } from '../support/signal.ts'
import { placeMessage } from '../support/wire.ts'

test('a bad signature that comes so late that the next secret cannot be tried is no answer: the call has timed out', async () => {
  const wallet = await startScriptedWallet()
  onTestFinished(() => wallet.stop())
  wallet.accepts = [wallet.secret]
  onTestFinished(fakeTime().takeOverTimeOuts()) // as in a process that is too busy for its timers
  const client = createWalletClient({ baseUrl: wallet.url, secrets: ['another', wallet.secret], timeoutMs: 1 })
  onTestFinished(() => client.close())
  const answer = await client.call('place', JSON.stringify(placeMessage({})))
  expect(answer).toMatchObject({ outcome: { kind: 'unknown', reason: 'time_out' }, status: null })
  expect(wallet.turnedAway).toHaveLength(1)
})

test('a client that is replaced while a call is in it tries the next secret all the same', async () => {
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
