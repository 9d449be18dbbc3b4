/**
 * A new partner that never answers the test call is saved after at most the time-out of one call.
 */
import { expect, test } from 'vitest'
import { hang } from '../support/scripted-wallet.ts'
import { startScene } from './scene.ts'

test('an address without an answer is saved after 5 s', async () => {
  const { api, wallet, stop } = await startScene()
  wallet.next('profile', hang)
  const begun = performance.now()
  const partner = { partnerId: 'new', baseUrl: wallet.url, secret: wallet.secret }
  const { status, body } = await api.request('POST', '/partners', partner)
  expect({ status, body }).toMatchObject({ status: 201, body: { tried: { signature: 'unknown' } } })
  expect(performance.now() - begun).toBeLessThan(7_000)
  const { body: listed } = await api.request('GET', '/partners')
  expect((listed as { data: { partnerId: string }[] }).data.map(({ partnerId }) => partnerId)).toContain('new')
  await stop()
})
