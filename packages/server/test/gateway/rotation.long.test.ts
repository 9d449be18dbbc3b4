/**
 * When an operator's secrets change while more calls wait than may be in flight, the gateway still
 * sends each call (C-13).
 */
import { expect, onTestFinished, test } from 'vitest'
import { asking } from '../people/audited-calls.ts'
import { signal } from '../support/signal.ts'
import { settleMessage } from '../support/wire.ts'
import { newGatewayScene, newPlayer } from './scene.ts'

const CALLS = 80

test('calls in flight and waiting calls are answered by the operator when the secrets change', async () => {
  const scene = await newGatewayScene(1)
  onTestFinished(scene.stop)
  const { userId, operator } = await newPlayer(scene)
  const { wallet, operatorId } = operator
  const { url, key, wire } = scene.gateway
  const { give, given } = signal()
  wallet.always('settle', { hold: given })
  const replies = Promise.all(Array.from({ length: CALLS }, () => wire.settle(settleMessage({ userId }))))
  const underWay = async () =>
    /^gateway_calls_in_flight\{operator=".*"\} (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  await expect.poll(underWay).toBe(`${CALLS}`)
  const secrets = [wallet.secret, 'the-new-secret-of-the-operator']
  wallet.accepts = secrets
  const change = { baseUrl: wallet.url, secrets }
  const { status } = await asking(url, key, '/operators/actions').send('PUT', `/operators/${operatorId}`, change)
  expect(status).toBe(200)
  give()
  expect([...new Set((await replies).map((reply) => reply.status))]).toEqual([200])
})
