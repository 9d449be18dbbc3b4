/** A call that is tried with several secrets must end within 5 s for all tries together (C-13). */
import { expect, test } from 'vitest'
import { hang } from '../support/scripted-wallet.ts'
import { startScene } from './scene.ts'

test('a bet whose second try hangs is rolled back as timed out, 5 s after the first try started', async () => {
  const scene = await startScene()
  const [refused, known] = ['the-new-secret-of-the-scripted-partner', scene.wallet.secret]
  const change = { baseUrl: scene.wallet.url, secrets: [refused, known] }
  scene.wallet.accepts = [known]
  expect((await scene.api.request('PUT', `/partners/${scene.partnerId}`, change)).status).toBe(200)
  const tried = scene.wallet.turnedAway.length
  scene.wallet.next('place', hang)
  const startedAt = performance.now()
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'cancelled', reason: 'rollback 10' })
  expect(scene.wallet.turnedAway.length - tried).toBe(1)
  // 10 s if each try had its own time-out
  expect(performance.now() - startedAt).toBeLessThan(9_000)
  await scene.stop()
})
