/**
 * An API key can be limited to one brand, partner or operator (W-25), and then has no access to the
 * data of others.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import { type Asking, asking } from './audited-calls.ts'
import { answerOf, routesOf } from './servers.ts'

/** Listed a second time, so that no operation is opened to such keys unnoticed. */
const MAY: Readonly<Record<'wallet' | 'platform' | 'gateway', readonly string[]>> = {
  wallet: [
    ...['readPlayer', 'changePlayer', 'openPersonalData', 'listOpenings', 'readHistory', 'createPlayer'],
    ...['startSession', 'listSessions', 'endSessions', 'switchCurrency', 'deposit', 'withdrawal', 'readBalances'],
    ...['readStatement', 'adjustment', 'approveAdjustment', 'refuseAdjustment', 'readBet', 'lockBet', 'unlockBet'],
    ...['listBets', 'listAdjustments', 'listPlayers', 'listTransfers', 'reportDays'],
  ],
  platform: [
    ...['loadFrame', 'placeBet', 'getBet', 'settleBet', 'unsettleBet', 'cancelBet', 'listBets'],
    ...['retryDelivery', 'acknowledgeDelivery', 'listDeliveries', 'retryDeliveries', 'changePartner'],
  ],
  gateway: ['changeOperator', 'exchangeToken'],
}

/** The scope rejects exactly the operations that are not in the list. */
async function expectMatrix(server: keyof typeof MAY, url: string, key: string): Promise<void> {
  for (const route of routesOf(server)) {
    const { status, problem } = await answerOf(url, route, `Bearer ${key}`)
    const isRefused = status === 403 && problem?.detail.endsWith(': use another key') === true
    expect({ [route.operationId]: isRefused }).toEqual({
      [route.operationId]: !MAY[server].includes(route.operationId),
    })
  }
}

describe('an API key of one brand', () => {
  let wallet: TestWallet
  let blue: Asking
  beforeAll(async () => {
    wallet = await startWallet()
    const admin = asking(wallet.url, wallet.operatorKey, '/operator/actions')
    for (const [userId, brand] of [
      ['anna', 'blue'],
      ['bert', 'red'],
      ['carl', undefined],
    ] as const)
      await admin.must('POST', '/operator/players', { userId, currency: 'EUR', ...(brand && { brand }) })
    const { key, scope } = await admin.must('POST', '/operator/keys', { name: 'of-blue', role: 'admin', scope: 'blue' })
    expect(scope).toBe('blue')
    blue = asking(wallet.url, String(key), '/operator/actions')
    await expectMatrix('wallet', wallet.url, String(key))
    const { data } = await admin.must('GET', '/operator/keys')
    expect(data).toMatchObject([{ name: 'of-blue', scope: 'blue' }])
    expect(await admin.must('POST', '/operator/keys/of-blue/rotate')).toMatchObject({ scope: 'blue' })
  })
  afterAll(() => wallet.stop())

  test('reads and pays the players of the brand, and finds no other player', async () => {
    const deposit = { currency: 'EUR', amount: '5.00', reference: 'one' }
    await blue.must('GET', '/operator/players/anna')
    await blue.must('POST', '/operator/players/anna/deposits', deposit)
    for (const userId of ['bert', 'carl', 'nobody', '%00'])
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { status: 'blocked' }],
        ['POST', '/deposits', deposit],
        ['GET', '/statement?currency=EUR', undefined],
      ] as const) {
        const { status } = await blue.send(method, `/operator/players/${userId}${path}`, body)
        expect([400, 404], `${method} ${userId}${path}`).toContain(status)
      }
    expect((await wallet.operator.request('GET', '/operator/players/bert')).body).toMatchObject({ status: 'active' })
  })

  test('lists the entries of the brand when it names the brand', async () => {
    const { data } = await blue.must('GET', '/operator/players?brand=blue')
    expect(data).toMatchObject([{ userId: 'anna' }])
    await blue.must('GET', '/operator/bets?userId=anna')
    for (const path of [
      ...['/operator/players', '/operator/players?brand=red', '/operator/transfers?brand='],
      ...['/operator/bets', '/operator/transfers?brand=red', '/operator/reports/daily?from=2031-05-01&to=2031-05-02'],
    ])
      expect(await blue.send('GET', path), path).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(await blue.send('GET', '/operator/bets?userId=bert')).toMatchObject({ status: 404 })
  })

  test('creates players of the brand only, and creates neither keys nor people', async () => {
    const made = { userId: 'dora', currency: 'EUR' }
    for (const brand of [{}, { brand: 'red' }])
      expect(await blue.send('POST', '/operator/players', { ...made, ...brand })).toMatchObject({ status: 403 })
    await blue.must('POST', '/operator/players', { ...made, brand: 'blue' })
    expect(await blue.send('POST', '/operator/keys', { name: 'eve', role: 'read' })).toMatchObject({ status: 403 })
    expect(await blue.send('POST', '/console/api/people', { name: 'eve', role: 'read' })).toMatchObject({ status: 403 })
  })

  test('has the same limits in a console session', async () => {
    const { key } = await asking(wallet.url, wallet.operatorKey, '').must('POST', '/operator/keys', {
      ...{ name: 'at-the-console', role: 'admin', scope: 'blue' },
    })
    const ours = { 'x-purser-console': '1' }
    const answer = await fetch(`${wallet.url}/console/api/session`, {
      ...{ method: 'POST', headers: { ...ours, 'content-type': 'application/json' } },
      body: JSON.stringify({ key }),
    })
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const seated = asking(wallet.url, '', '', { ...ours, cookie })
    await seated.must('GET', '/operator/players/anna')
    expect(await seated.send('GET', '/operator/players/bert')).toMatchObject({ status: 404 })
    expect(await seated.send('POST', '/console/api/people', { name: 'eve', role: 'admin' })).toMatchObject({
      status: 403,
    })
  })
})

describe('an API key of one partner', () => {
  let platform: TestPlatform
  let key: string
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(() => platform.stop())

  test('places, reads and decides the bets of the partner, and finds no other bet', async () => {
    const [acme, other] = [await platform.partner(), await platform.partner()]
    const admin = asking(platform.url, platform.key, '/actions')
    const wanted = { name: 'of-acme', role: 'admin', scope: acme.partnerId }
    key = String((await admin.must('POST', '/keys', wanted)).key)
    await expectMatrix('platform', platform.url, key)
    const mine = asking(platform.url, key, '/actions')
    const frames = [await platform.api.loadFrame(acme.partnerId), await platform.api.loadFrame(other.partnerId)]
    const bets = await Promise.all(frames.map((frame) => platform.api.place(frame)))
    const [own, foreign] = bets.map(({ betId }) => betId)
    const bet = { amount: '1.00', selections: [{ eventId: 'e', outcomeId: 'o', coefficient: '2' }] }
    await mine.must('POST', '/bets', { ...bet, frameSessionId: frames[0] })
    expect(await mine.send('POST', '/bets', { ...bet, frameSessionId: frames[1] })).toMatchObject({ status: 404 })
    await mine.must('GET', `/bets/${own}`)
    await mine.must('GET', `/bets/${own?.toUpperCase()}`)
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '/settle', { resultType: 'lost', amount: '0.00' }],
      ['POST', '/cancel', { errorCode: 113 }],
    ] as const)
      expect((await mine.send(method, `/bets/${foreign}${path}`, body)).status, path).toBe(404)
    const { deliveries } = await platform.api.bet(foreign ?? '')
    const [delivery] = deliveries
    expect((await mine.send('POST', `/deliveries/${delivery?.deliveryId}/retry`)).status).toBe(404)
    const page = await mine.must('GET', `/bets?partnerId=${acme.partnerId}`)
    expect(new Set((page.data as { partnerId: string }[]).map(({ partnerId }) => partnerId))).toEqual(
      new Set([acme.partnerId]),
    )
    for (const path of ['/bets', `/bets?partnerId=${other.partnerId}`, '/deliveries', '/partners'])
      expect(await mine.send('GET', path), path).toMatchObject({ status: 403 })
    const all = { status: 'stuck' }
    expect(await mine.send('POST', '/deliveries/retry', all)).toMatchObject({ status: 403 })
    expect(
      await mine.send('POST', '/frame-sessions', { partnerId: other.partnerId, token: 'a-token-of-the-player' }),
    ).toMatchObject({
      status: 403,
    })
  })
})

describe('an API key of one operator', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startGateway()
  })
  afterAll(() => gateway.stop())

  test('exchanges tokens of that operator only', async () => {
    const admin = asking(gateway.url, gateway.key, '/operators/actions')
    const wanted = { name: 'of-acme', role: 'admin', scope: 'acme' }
    const key = String((await admin.must('POST', '/operators/keys', wanted)).key)
    await expectMatrix('gateway', gateway.url, key)
    const mine = asking(gateway.url, key, '/operators/actions')
    expect(await mine.send('POST', '/operators/acme/sessions', { token: 'a-token-of-the-player' })).toMatchObject({
      status: 404,
    })
    expect(await mine.send('POST', '/operators/other/sessions', { token: 'a-token-of-the-player' })).toMatchObject({
      status: 403,
    })
    expect(await mine.send('GET', '/operators')).toMatchObject({ status: 403 })
  })
})
