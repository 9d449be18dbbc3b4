/** The log of a platform contains no token, secret or signature (cases K29, 113). */
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { platformClient } from '../support/platform.ts'
import { refusal, reset, startScriptedWallet, status } from '../support/scripted-wallet.ts'
import { spawnServer } from '../support/server-process.ts'

const KEY = 'the-key-of-the-platform-under-test'
const TOKEN = 'the-token-of-a-player-under-test'

test('the log of successful and failing calls and of a broken database contains no token, secret, key or signature', async () => {
  const database = await createDatabase()
  const wallet = await startScriptedWallet({ secret: 'the-secret-of-a-partner-under-test' })
  const settings = { HOST: '127.0.0.1', PORT: '0', PLATFORM_API_KEY: KEY, DATABASE_URL: database.url }
  const server = await spawnServer('platform', { ...settings, LOG_LEVEL: 'trace' })
  const api = platformClient(server.url, KEY)
  const partnerId = await api.savePartner(wallet)
  const frame = await api.loadFrame(partnerId, TOKEN)
  wallet.next('profile', refusal(3, `no such token: ${TOKEN}`), status(500))
  for (let i = 0; i < 2; i++) await api.request('POST', '/frame-sessions', { partnerId, token: TOKEN })
  wallet.next('place', {}, refusal(7), status(500), reset)
  wallet.next('rollback', reset)
  const { betId } = await api.place(frame)
  for (let i = 0; i < 3; i++) await api.place(frame)
  await api.settle(betId, 'cashout', '5')
  await wallet.seen('settle', 1)
  await api.request('POST', '/bets', { frameSessionId: frame, token: TOKEN })
  await wallet.seen('rollback', 3)
  await database.drop()
  await api.request('POST', '/frame-sessions', { partnerId, token: TOKEN })
  await api.request('POST', '/partners', { partnerId, baseUrl: wallet.url, secret: wallet.secret })
  await server.kill('SIGTERM')
  await wallet.stop()
  const log = server.output()
  const signatures = wallet.requests.map(({ headers }) => String(headers['x-sign-jws']))
  expect(log).toContain('the platform listens')
  expect(log).toContain('failed') // the failures were logged
  for (const hidden of [TOKEN, wallet.secret, KEY, ...signatures]) expect(log).not.toContain(hidden)
})
