/**
 * The audit log records changes of console users (O-4, U-4) with the author and the changed user,
 * but no password.
 */
import { expect, test } from 'vitest'
import { startPlatform } from '../support/platform.ts'
import { startWallet } from '../support/wallet.ts'
import { type Asking, asking, storedText } from './audited-calls.ts'

const SERVERS = [
  {
    ...{ server: 'wallet', actions: '/operator/actions', table: 'purser.action', setting: 'OPERATOR_API_KEY' },
    start: async () => {
      const { url, databaseUrl, operatorKey: key, stop } = await startWallet()
      return { url, databaseUrl, key, stop }
    },
  },
  {
    ...{ server: 'platform', actions: '/actions', table: 'platform.action', setting: 'PLATFORM_API_KEY' },
    start: async () => {
      const { url, databaseUrl, key, stop } = await startPlatform()
      return { url, databaseUrl, key, stop }
    },
  },
]
const OURS = { 'x-purser-console': '1' }
const MINE = 'a password of my own choice'

test.each(SERVERS)(
  'the action log of the $server records changes of console accounts and no password',
  async ({ actions, table, setting, start }) => {
    const running = await start()
    const asked: Asking = asking(running.url, running.key, actions)
    const signedIn = async (body: object) => {
      const headers = { ...OURS, 'content-type': 'application/json' }
      const answer = await fetch(`${running.url}/console/api/session`, {
        ...{ method: 'POST', headers, body: JSON.stringify(body) },
      })
      expect(answer.status).toBe(200)
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] as string
      return asking(running.url, '', actions, { ...OURS, cookie })
    }
    const boss = await signedIn({ key: running.key })
    const made = await boss.must('POST', '/console/api/people', { name: 'maria', role: 'support' })
    const reset = await boss.must('POST', '/console/api/people/maria/password')
    const maria = await signedIn({ name: 'maria', password: reset.password })
    await maria.must('POST', '/console/api/password', { password: reset.password, next: MINE })
    await boss.must('DELETE', '/console/api/people/maria')
    const log = (await asked.log('?limit=6')).data
    const data = log.filter(({ operation }) => operation !== 'signIn')
    const by = (name: string) => expect.objectContaining({ name })
    const common = { on: { person: 'maria' }, before: {} }
    expect(data).toMatchObject([
      { operation: 'endConsolePerson', ...common, after: { ended: true }, key: by(setting) },
      {
        operation: 'changeConsolePassword',
        ...common,
        after: { password: 'changed' },
        key: by('maria'),
        person: 'maria',
      },
      { operation: 'resetConsolePassword', ...common, after: { password: 'changed' }, key: by(setting) },
      { operation: 'makeConsolePerson', ...common, after: { role: 'support' }, key: by(setting) },
    ])
    const stored = await storedText(running.databaseUrl, table)
    for (const password of [made.password, reset.password, MINE]) expect(stored).not.toContain(password)
    await running.stop()
  },
)
