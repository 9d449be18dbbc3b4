// P-2: the profile says what the operator stored and nothing else (interface.md, User profile; K28).
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
  it('of a player of whom nothing is stored has no invented member', async () => {
    const scene = await newScene(wallet)
    const { isTest, ...rest } = (await profileOf(scene)) as Record<string, unknown>
    expect(rest).toEqual({ userId: scene.userId, currency: 'EUR', currencies: ['EUR', 'USD'] })
    expect([undefined, false]).toContain(isTest)
  })

  it('of a player of whom everything is stored has every member as it was stored', async () => {
    const scene = await newScene(wallet, { player: { isTest: true, customFields: everything } })
    expect(await profileOf(scene)).toEqual({
      ...{ userId: scene.userId, currency: 'EUR', currencies: ['EUR', 'USD'], isTest: true },
      customFields: everything,
    })
  })

  it.each(Object.entries(everything))('with %s alone has that one custom field', async (name, value) => {
    const scene = await newScene(wallet, { player: { customFields: { [name]: value } } })
    expect(member(await profileOf(scene), 'customFields')).toEqual({ [name]: value })
  })

  it('tells test players from others', async () => {
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

  it('names the address and country of the session that asks, not of another', async () => {
    const scene = await newScene(wallet)
    const token = await wallet.operator.session(scene.userId, { ip: '198.51.100.9', country: 'SE' })
    expect(member(await profileOf({ ...scene, token }), 'customFields')).toEqual({
      userSessionIp: '198.51.100.9',
      userSessionCountry: 'SE',
    })
  })

  it('names the currency of the token that asks', async () => {
    const scene = await newScene(wallet)
    const token = await wallet.operator.session(scene.userId, { currency: 'USD' })
    expect(member(await profileOf({ ...scene, token }), 'currency')).toBe('USD')
  })

  it('has ids and currencies of the lengths the interface allows', async () => {
    const userId = 'u'.repeat(64 - 13) + Date.now()
    const scene = await newScene(wallet, { player: { userId } })
    expect(member(await profileOf(scene), 'userId')).toBe(userId)
  })

  it('comes for players who may not bet too: they must see their bets', async () => {
    const scene = await newScene(wallet)
    await patch(scene, { status: 'blocked' })
    expect(member(await profileOf(scene), 'userId')).toBe(scene.userId)
  })
})

describe('what the operator may not store', () => {
  const wrong = [
    { gender: 'other' },
    { birthday: '28.02.1990' },
    { userCountry: 'Norway' },
    { isVerified: 'yes' },
    { avgBet: '12.5' },
    { firstName: 5 },
    { registrationDate: '2024-02-29T23:59:59Z' },
  ]

  it.each(wrong)('%o is refused, because the interface gives the field another type', async (customFields) => {
    const player = { userId: 'never-made', currency: 'EUR', customFields }
    const { status } = await wallet.operator.request('POST', '/operator/players', player)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
  })

  it.each(wrong)('%o is refused as a change too, and the profile stays as it was', async (customFields) => {
    const scene = await newScene(wallet, { player: { customFields: { nickname: 'kept' } } })
    const { status } = await wallet.operator.request('PATCH', `/operator/players/${scene.userId}`, { customFields })
    expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(500)
    expect(member(await profileOf(scene), 'customFields')).toEqual({ nickname: 'kept' })
  })
})
