/**
 * The wallet hides identity and address of players from the role `read` (O-11), on every route with
 * players, bets, calls or audit entries.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { answered } from '../wallet/answers.ts'
import { type Asking, asking } from './audited-calls.ts'

const NAMES = { nickname: 'Nick-of-Ada', email: 'ada@person.example', firstName: 'Ada-Augusta', phone: '+4712345678' }
const CUSTOM = { ...NAMES, passport: 4_711_000_001, isVerified: true, percentMargin: 5 }
const BIRTHDAY = '1815-12-10'
const IP = '203.0.113.77'
const INFO = 'ada likes this'
const COUNTRY = 'IS'
const PERSONAL = [...Object.values(NAMES), String(CUSTOM.passport), BIRTHDAY, IP, `"${COUNTRY}"`, INFO]
const player = '/operator/players/player-1'
const transactionId = randomUUID()

let wallet: TestWallet
let token: string
const asked = {} as Record<'read' | 'support' | 'admin', Asking>

beforeAll(async () => {
  wallet = await startWallet()
  const admin = asking(wallet.url, wallet.operatorKey, '/operator/actions')
  asked.admin = admin
  for (const role of ['read', 'support'] as const) {
    const { key } = await admin.must('POST', '/operator/keys', { name: role, role })
    asked[role] = asking(wallet.url, String(key), '/operator/actions')
  }
  const { support } = asked
  await support.must('POST', '/operator/players', { userId: 'player-1', currency: 'EUR', customFields: CUSTOM })
  await support.must('PATCH', player, { birthday: BIRTHDAY, customFields: { lastName: 'Lovelace' } })
  await admin.must('POST', `${player}/deposits`, { currency: 'EUR', amount: '100.00', reference: 'first' })
  token = String((await support.must('POST', `${player}/sessions`, { ip: IP, country: COUNTRY })).token)
  const bet = { userId: 'player-1', token, transactionId, amount: 10, ip: IP, info: INFO }
  expect(answered(await wallet.wire.place(bet))).toBe(200)
  const isKept = async () => expect((await support.must('GET', '/operator/calls')).data).toHaveLength(1)
  await vi.waitFor(isKept, { timeout: 60_000 })
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

test.each([
  [player, [...Object.values(NAMES), BIRTHDAY]],
  ['/operator/players', [...Object.values(NAMES), BIRTHDAY]],
  [`${player}/bets/${transactionId}`, [IP, INFO]],
  ['/operator/show/player-1', [...Object.values(NAMES)]],
  [`/operator/show/${transactionId}`, [IP, INFO]],
  ['/operator/actions', [...Object.values(NAMES), BIRTHDAY, IP, `"${COUNTRY}"`]],
  [`${player}/sessions`, [IP, `"${COUNTRY}"`]],
  [`${player}/history`, [...Object.values(NAMES), BIRTHDAY]],
])('GET %s shows personal data to the role support and not to the role read', async (path, shown) => {
  const seen = JSON.stringify(await asked.support.must('GET', path))
  for (const text of shown) expect(seen, text).toContain(text)
  const masked = JSON.stringify(await asked.read.must('GET', path))
  for (const text of PERSONAL) expect(masked, text).not.toContain(text)
  expect(masked).toContain('***')
})

test('a request for a player’s identity writes an action that names the fields without values, and the role read may see it', async () => {
  expect(await asked.support.must('POST', `${player}/personal-data`)).toMatchObject({
    ...{ userId: 'player-1', birthday: BIRTHDAY, customFields: NAMES },
  })
  const seen = await asked.read.must('GET', `${player}/personal-data`)
  expect(seen).toMatchObject({
    data: [
      {
        operation: 'openPersonalData',
        key: { name: 'support' },
        after: { opened: expect.arrayContaining(['birthday', 'email']) },
      },
    ],
  })
  for (const text of PERSONAL) expect(JSON.stringify(seen), text).not.toContain(text)
})

test('a session shows its origin to the role support only', async () => {
  const shown = async (role: 'read' | 'support') => (await asked[role].must('GET', `/operator/show/${token}`)).session
  expect(await shown('support')).toMatchObject({ userId: 'player-1', ip: IP, country: COUNTRY })
  expect(await shown('read')).toMatchObject({ userId: 'player-1', ip: '***', country: '***' })
})

test('redaction keeps fields that are not personal, and shows that a personal field has a value', async () => {
  expect(await asked.read.must('GET', player)).toMatchObject({
    userId: 'player-1',
    birthday: '***',
    customFields: { nickname: '***', passport: '***', isVerified: true, percentMargin: 5 },
  })
  expect(await asked.read.must('GET', `/operator/show/${transactionId}`)).toMatchObject({
    bet: { stake: '10.00', details: { ip: '***', ticketType: 'single' } },
    calls: [{ operation: 'place', status: 200 }],
  })
})

test('the role read cannot find a redacted name by search', async () => {
  for (const q of [NAMES.email, 'nick', 'player-']) {
    const found = async (role: 'read' | 'support') => (await asked[role].must('GET', `/operator/players?q=${q}`)).data
    expect(await found('support')).toHaveLength(1)
    expect(await found('read')).toHaveLength(q === 'player-' ? 1 : 0)
  }
})

test('the address of a webhook, which may contain a secret, is shown to the role admin only, in the log too', async () => {
  const url = 'http://127.0.0.1:1/hooks/a-secret-of-crm'
  await asked.admin.must('PUT', '/operator/webhooks/crm', { url })
  await asked.admin.must('PUT', '/operator/webhooks/crm', { url: `${url}?again` })
  const readActions = async (who: Asking) => JSON.stringify(await who.must('GET', '/operator/actions'))
  expect(await readActions(asked.admin)).toContain(`${url}?again`)
  for (const who of [asked.read, asked.support]) {
    expect(await readActions(who)).not.toContain('a-secret-of-crm')
    const { data } = await who.must('GET', '/operator/actions?limit=1')
    expect(data).toMatchObject([{ operation: 'saveWebhook', before: { url: '***' }, after: { url: '***' } }])
  }
})
