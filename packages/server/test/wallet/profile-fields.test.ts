// The profile contains only the values that the operator stored (P-2, K28, and User profile of
// interface.md).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { member } from './answers.ts'
import { patch } from './moments.ts'
import { newScene, type Scene } from './scene.ts'

let wallet: TestWallet
beforeAll(async () => {
  wallet = await startWallet()
})
afterAll(async () => {
  await wallet.auditIsClean()
  await wallet.stop()
})

async function profileOf({ token }: Scene): Promise<unknown> {
  const { status, body } = await wallet.wire.profile(token)
  expect(status).toBe(200)
  return body
}

const everything = {
  firstName: 'Åsa',
  lastName: "O'Néill <b>",
  nickname: 'Läufer \u{1f3c7}',
  email: 'asa@example.org',
  birthday: '1990-02-28',
  gender: 'no data',
  phone: '+4712345678',
  isCashOutAllowed: false,
  isVerified: true,
  userCountry: 'NO',
  userStatus: 'new',
  registrationDate: '2024-02-29 23:59:59',
  percentMargin: 4.25,
  avgBet: 12.5,
  isAbuser: 0,
  isVIP: 1,
}

describe('the profile', () => {
  it('contains no invented member for a player without stored data', async () => {
    const scene = await newScene(wallet)
    const { isTest, ...rest } = (await profileOf(scene)) as Record<string, unknown>
    expect(rest).toEqual({ userId: scene.userId, currency: 'EUR', currencies: ['EUR', 'USD'] })
    expect([undefined, false]).toContain(isTest)
  })

  it('contains every stored member unchanged', async () => {
    const scene = await newScene(wallet, { player: { isTest: true, customFields: everything } })
    expect(await profileOf(scene)).toEqual({
      ...{ userId: scene.userId, currency: 'EUR', currencies: ['EUR', 'USD'], isTest: true },
      customFields: everything,
    })
  })

  it.each(Object.entries(everything))('has one custom field when only %s is stored', async (name, value) => {
    const scene = await newScene(wallet, { player: { customFields: { [name]: value } } })
    expect(member(await profileOf(scene), 'customFields')).toEqual({ [name]: value })
  })

  it('marks test players', async () => {
    const [test, real] = [
      await newScene(wallet, { player: { isTest: true } }),
      await newScene(wallet, { player: { isTest: false } }),
    ]
    expect(member(await profileOf(test), 'isTest')).toBe(true)
    expect(member(await profileOf(real), 'isTest')).toBe(false)
  })

  it('follows a change by the operator at once', async () => {
    const scene = await newScene(wallet, { player: { customFields: { nickname: 'before' } } })
    await patch(scene, { customFields: { nickname: 'after' } })
    expect(member(member(await profileOf(scene), 'customFields'), 'nickname')).toBe('after')
  })

  it('contains the address and country of the session in the request, not of another session', async () => {
    const scene = await newScene(wallet)
    const token = await wallet.operator.session(scene.userId, { ip: '198.51.100.9', country: 'SE' })
    expect(member(await profileOf({ ...scene, token }), 'customFields')).toEqual({
      userSessionIp: '198.51.100.9',
      userSessionCountry: 'SE',
    })
  })

  it('contains the currency of the token in the request', async () => {
    const scene = await newScene(wallet)
    const token = await wallet.operator.session(scene.userId, { currency: 'USD' })
    expect(member(await profileOf({ ...scene, token }), 'currency')).toBe('USD')
  })

  it('has ids and currencies of the lengths the interface allows', async () => {
    const userId = 'u'.repeat(64 - 13) + Date.now()
    const scene = await newScene(wallet, { player: { userId } })
    expect(member(await profileOf(scene), 'userId')).toBe(userId)
  })

  it('is returned for players who may not bet, so that they see their bets', async () => {
    const scene = await newScene(wallet)
    await patch(scene, { status: 'blocked' })
    expect(member(await profileOf(scene), 'userId')).toBe(scene.userId)
  })
})

describe('the operator API rejects profile data of the wrong type:', () => {
  const wrong = [
    { gender: 'other' },
    { birthday: '28.02.1990' },
    { userCountry: 'Norway' },
    { isVerified: 'yes' },
    { avgBet: '12.5' },
    { firstName: 5 },
    { registrationDate: '2024-02-29T23:59:59Z' },
  ]

  it.each(wrong)('%o is rejected, because the interface defines another type', async (customFields) => {
    const player = { userId: 'never-made', currency: 'EUR', customFields }
    const { status } = await wallet.operator.request('POST', '/operator/players', player)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })

  it.each(wrong)('%o is rejected as a change, and the profile stays unchanged', async (customFields) => {
    const scene = await newScene(wallet, { player: { customFields: { nickname: 'kept' } } })
    const { status } = await wallet.operator.request('PATCH', `/operator/players/${scene.userId}`, { customFields })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(member(await profileOf(scene), 'customFields')).toEqual({ nickname: 'kept' })
  })
})
