/**
 * The wallet rejects profile fields that have a valid form but that the platform cannot receive:
 * impossible dates, and too much data.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { expectProblem } from './answers.ts'

let wallet: TestWallet

beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(() => wallet.stop())

const wrong: [string, object, string][] = [
  ['a day of birth that does not exist', { birthday: '2001-02-29' }, '/birthday'],
  ['a month of birth that does not exist', { birthday: '2026-99-99' }, '/birthday'],
  ['a registration on no day', { registrationDate: '2026-02-30 10:00:00' }, '/registrationDate'],
  ['a registration at no time', { registrationDate: '2026-02-03 24:00:00' }, '/registrationDate'],
  ['a registration of nines', { registrationDate: '2026-99-99 99:99:99' }, '/registrationDate'],
  ['more than 16 KiB', { nickname: 'é'.repeat(8_185) }, ''],
]
test.each(wrong)(
  'custom fields with %s are 400 for a new and for a known player',
  async (_name, customFields, member) => {
    const stored = { nickname: 'Ada', registrationDate: '2024-02-29 23:59:59', birthday: '2000-02-29' }
    const { userId } = await wallet.operator.createPlayer({ customFields: stored })
    const path = `/operator/players/${userId}`
    const pointers = [`/customFields${member}`]
    const created = { userId: randomUUID(), currency: 'EUR', customFields }
    expectProblem(await wallet.operator.request('POST', '/operator/players', created), 400, 'invalid_request', pointers)
    expectProblem(await wallet.operator.request('GET', `/operator/players/${created.userId}`), 404, 'not_found')
    expectProblem(await wallet.operator.request('PATCH', path, { customFields }), 400, 'invalid_request', pointers)
    expect((await wallet.operator.request('GET', path)).body).toMatchObject({ customFields: stored })
  },
)

test('custom fields of a player have at most 16 KiB in total, and the platform receives them', async () => {
  const full = { nickname: `${'é'.repeat(8_184)}e` }
  expect(Buffer.byteLength(JSON.stringify(full))).toBe(16 * 1024)
  const { userId } = await wallet.operator.createPlayer({ customFields: full })
  const oneMore = await wallet.operator.request('PATCH', `/operator/players/${userId}`, { customFields: { phone: '' } })
  expectProblem(oneMore, 400, 'invalid_request', ['/customFields'])
  const { body } = await wallet.wire.profile(await wallet.operator.session(userId))
  expect(body).toMatchObject({ customFields: full })
  await wallet.operator.patch(userId, { customFields: { nickname: 'Ada', phone: '1' } })
})
