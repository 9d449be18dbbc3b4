/**
 * The platform sends a cashout with a live token of the player (L-4), even if the token of the
 * placement has ended (W-14).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { playerWithMoney } from '../support/operator.ts'
import { newToken } from '../support/platform.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const cashOut = (betId: string, over: Record<string, unknown> = {}) =>
  scene.api.request('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount: '7.00', ...over })

describe('the platform sends a cashout', () => {
  const ada = { userId: 'ada', operatorUser: 'ada-of-the-operator' }
  afterAll(() => {
    scene.wallet.profile = {}
  })
  async function frameOf(profile: Record<string, unknown>, token = newToken()): Promise<string> {
    scene.wallet.profile = profile
    return scene.api.loadFrame(scene.partnerId, token)
  }

  test('with the token of the given frame session, and otherwise with the members of the placement', async () => {
    const { betId } = await scene.api.place(await frameOf({ ...ada, currency: 'EUR' }))
    const later = await frameOf({ ...ada, currency: 'USD' }, 'the-token-after-the-switch')
    expect((await cashOut(betId, { frameSessionId: later })).status).toBe(202)
    await scene.time.settle()
    const [place, settle] = scene.callsOf(betId)
    expect(settle?.body).toMatchObject({ resultType: 'cashout', amount: 7, token: 'the-token-after-the-switch' })
    expect(settle?.body).toMatchObject({ ...ada, currency: 'EUR', coefficient: place?.body.coefficient })
  })

  test('with the token of the placement if no session is given', async () => {
    const { betId } = await scene.api.place(await frameOf(ada, 'the-token-of-placement'))
    await cashOut(betId)
    await scene.time.settle()
    expect(scene.callsOf(betId)[1]?.body.token).toBe('the-token-of-placement')
  })

  test('never, if the session belongs to another player', async () => {
    const { betId } = await scene.api.place(await frameOf(ada))
    const elsewhere = await scene.platform.partner()
    elsewhere.wallet.profile = ada
    const foreign = [
      await frameOf({ ...ada, userId: 'bob' }),
      await frameOf({ userId: ada.userId }),
      await scene.api.loadFrame(elsewhere.partnerId),
      randomUUID(),
    ]
    for (const frameSessionId of foreign) {
      const { status, body } = await cashOut(betId, { frameSessionId })
      expect([status, body]).toMatchObject([400, { errors: [{ pointer: '/frameSessionId' }] }])
    }
    expect(scene.callsOf(betId)).toHaveLength(1)
  })

  test('never, if another result than a cashout gives a session', async () => {
    const { betId } = await scene.api.place(scene.frame)
    const { status, body } = await cashOut(betId, { resultType: 'won', frameSessionId: scene.frame })
    expect([status, body]).toMatchObject([400, { errors: [{ pointer: '/frameSessionId' }] }])
    expect(scene.callsOf(betId)).toHaveLength(1)
  })
})

describe('our own wallet', () => {
  let wallet: TestWallet
  let partnerId: string
  beforeAll(async () => {
    wallet = await startWallet()
    partnerId = await scene.api.savePartner(wallet)
  })
  afterAll(() => wallet?.stop())

  test('rejects a cashout with the token from before a switch of the currency, and pays it with the later token', async () => {
    const { userId, token } = await playerWithMoney(wallet.operator, '100.00')
    const { betId } = await scene.api.place(await scene.api.loadFrame(partnerId, token), { amount: '10.00' })
    const next = await wallet.operator.switchCurrency(userId, 'USD')
    await cashOut(betId)
    await scene.time.settle()
    expect((await scene.api.bet(betId)).deliveries[1]).toMatchObject({ status: 'refused', code: 4 })
    expect(await wallet.operator.balance(userId)).toBe('90.00')

    await cashOut(betId, { frameSessionId: await scene.api.loadFrame(partnerId, next) })
    await scene.time.settle()
    expect((await scene.api.bet(betId)).deliveries.at(-1)).toMatchObject({ operation: 'settle', status: 'done' })
    expect(await wallet.operator.balance(userId)).toBe('97.00')
    expect(await wallet.operator.balance(userId, 'USD')).toBe('0.00')
    await wallet.auditIsClean()
  })
})
