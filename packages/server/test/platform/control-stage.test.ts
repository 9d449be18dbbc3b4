/**
 * After the partner accepts a bet, the platform checks it again in the control stage, and rolls it
 * back if a check fails (C-3).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { auditPlatform } from '../../src/platform/platform-audit.ts'
import type { PlacedBet } from '../support/platform.ts'
import { reset } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())
afterEach(() => scene.api.limits({}))

const selection = (eventId: string, over: Record<string, unknown> = {}) => ({
  ...{ eventId, outcomeId: 'home', coefficient: '2.5' },
  ...over,
})

function placeOn(eventId: string, over: Record<string, unknown> = {}): Promise<PlacedBet> {
  return scene.api.place(scene.frame, { selections: [selection(eventId)], ...over })
}

async function expectRollback({ betId, status, reason }: PlacedBet, errorCode: number): Promise<void> {
  await scene.time.settle()
  expect([status, reason]).toEqual(['cancelled', `rollback ${errorCode}`])
  const calls = scene.callsOf(betId)
  // the partner had accepted
  expect(calls.map((call) => call.operation)).toEqual(['place', 'rollback'])
  expect(calls[1]?.body).toMatchObject({ errorCode, amount: calls[0]?.body.amount, token: calls[0]?.body.token })
  const { deliveries } = await scene.api.bet(betId)
  expect(deliveries.map((d) => d.status)).toEqual(['done', 'done'])
}

async function expectAccepted({ betId, status }: PlacedBet): Promise<void> {
  await scene.time.settle()
  expect(status).toBe('accepted')
  expect(scene.callsOf(betId).map((call) => call.operation)).toEqual(['place'])
}

const odds = (coefficient: string | number) => [{ outcomeId: 'home', coefficient }]

test.each([
  ['withdrawn', { status: 'withdrawn' }, 32],
  ['suspended', { status: 'suspended' }, 8],
  ['open with higher odds', { status: 'open', outcomes: odds('2.6') }, 8],
  ['open with lower odds', { status: 'open', outcomes: odds(2.4) }, 8],
])('an event that is %s rolls the bet back', async (_what, state, errorCode) => {
  const eventId = randomUUID()
  await scene.api.event(eventId, state)
  await expectRollback(await placeOn(eventId), errorCode)
})

describe('a bet on a finished event is declined without a call to the partner (C-11)', () => {
  async function expectDeclined(bet: Record<string, unknown>): Promise<void> {
    const placed = await scene.api.place(scene.frame, bet)
    expect(placed).toMatchObject({ status: 'declined', reason: 'event ended' })
    await scene.time.settle()
    expect(scene.callsOf(placed.betId)).toEqual([])
    expect(await scene.api.bet(placed.betId)).toMatchObject({
      status: 'declined',
      reason: 'event ended',
      deliveries: [],
    })
  }

  test('when the event has ended, with any odds', async () => {
    const eventId = randomUUID()
    await scene.api.event(eventId, { status: 'ended', outcomes: odds('3') })
    await expectDeclined({ selections: [selection(eventId)] })
  })

  test('when the event has a result', async () => {
    const eventId = randomUUID()
    await scene.api.results(eventId, { away: 'won' })
    await expectDeclined({ selections: [selection(eventId)] })
  })

  test('when the event is one of an express, and a repeat with the same key returns the same bet', async () => {
    const [open, ended] = [randomUUID(), randomUUID()]
    await scene.api.event(ended, { status: 'ended' })
    const bet = { selections: [selection(open), selection(ended)], idempotencyKey: randomUUID() }
    await expectDeclined(bet)
    await expectDeclined(bet)
    expect((await scene.api.request('GET', `/bets?status=declined&partnerId=${scene.partnerId}`)).body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ reason: 'event ended' })]),
    })
  })

  test('and stays unchanged by later results', async () => {
    const eventId = randomUUID()
    await scene.api.event(eventId, { status: 'ended' })
    const { betId } = await placeOn(eventId)
    expect(await scene.api.results(eventId, { home: 'won' })).toBe(0)
    expect((await scene.api.bet(betId)).status).toBe('declined')
  })
})

test.each([
  ['2.50', { status: 'open', outcomes: odds('2.5') }],
  ['as a number', { status: 'open', outcomes: odds(2.5) }],
  ['of another outcome', { status: 'open', outcomes: [{ outcomeId: 'away', coefficient: '9' }] }],
  ['not named', { status: 'open' }],
])('an open event with the same odds, %s, accepts the bet', async (_what, state) => {
  const eventId = randomUUID()
  await scene.api.event(eventId, state)
  await expectAccepted(await placeOn(eventId, { selections: [selection(eventId, { coefficient: '2.500' })] }))
})

test('one bad selection is enough to reject an express', async () => {
  const [good, bad] = [randomUUID(), randomUUID()]
  await scene.api.event(bad, { status: 'withdrawn' })
  await expectRollback(await placeOn(good, { selections: [selection(good), selection(bad)] }), 32)
})

test.each([
  ['other odds', { status: 'open', outcomes: odds('2.4') }, 8],
  ['its end', { status: 'ended' }, 9],
  ['its end and odds that moved', { status: 'ended', outcomes: odds('3') }, 9],
])(
  'a change of the event during the call to the partner counts, because the check is repeated: %s',
  async (_what, state, errorCode) => {
    const eventId = randomUUID()
    await scene.api.event(eventId, { status: 'open', outcomes: odds('2.5') })
    let answer = () => {}
    scene.wallet.next('place', { hold: new Promise<void>((resolve) => (answer = resolve)) })
    const count = scene.wallet.of('place').length
    const placing = placeOn(eventId)
    await scene.wallet.seen('place', count + 1)
    await scene.api.event(eventId, state)
    answer()
    await expectRollback(await placing, errorCode)
  },
)

test('the acceptance of the partner is recorded while the rollback after it is unanswered', async () => {
  const { api, wallet, platform, time } = scene
  const recordedStatus = async (betId: string) =>
    (await platform.sql('select acknowledged_status from platform.bet where bet_id = $1', [betId]))[0]
      ?.acknowledged_status
  const eventId = randomUUID()
  await api.event(eventId, { status: 'withdrawn' })
  wallet.next('rollback', reset)
  const { betId, status } = await placeOn(eventId)
  expect([status, await recordedStatus(betId)]).toEqual(['cancelled', 'open'])
  const db = await openDb({ kind: 'postgres', url: platform.databaseUrl })
  onTestFinished(() => db.close())
  expect(await auditPlatform(db)).toEqual([])
  await time.advance(60_000)
  expect(await recordedStatus(betId)).toBe('cancelled')
  wallet.next('place', reset)
  wallet.next('rollback', reset)
  const unknown = await placeOn(randomUUID())
  expect([unknown.status, await recordedStatus(unknown.betId)]).toEqual(['cancelled', null])
  await time.advance(60_000)
})

test('an event can be opened again', async () => {
  const eventId = randomUUID()
  await scene.api.event(eventId, { status: 'suspended' })
  await expectRollback(await placeOn(eventId), 8)
  await scene.api.event(eventId, { status: 'open' })
  await expectAccepted(await placeOn(eventId))
})

describe('the limits of the control stage:', () => {
  type Members = Record<string, unknown>
  const cases: [number, Members, Members, Members][] = [
    [110, { outcomeMaxStake: '10.00' }, { amount: '10' }, { amount: '10.01' }],
    [111, { outcomeMaxWin: '25' }, { amount: '10' }, { amount: '10.01' }],
    [112, { eventMaxBets: 0 }, {}, {}],
    [113, { playerMaxStake: '10.5' }, { amount: '10.50' }, { amount: '10.51' }],
    [114, { playerMaxWin: '25.01' }, { amount: '10' }, { amount: '10.01' }],
    [115, { maxStake: '10' }, { amount: '10' }, { amount: '10.01' }],
  ]
  test.each(cases)('error %i with %o allows %o and rolls %o back', async (errorCode, limits, fits, exceeds) => {
    await scene.api.limits(limits)
    if (errorCode !== 112) await expectAccepted(await placeOn(randomUUID(), fits))
    await expectRollback(await placeOn(randomUUID(), exceeds), errorCode)
    await scene.api.limits({})
    await expectAccepted(await placeOn(randomUUID(), exceeds))
  })

  test('stakes on one outcome are added up, without other outcomes and cancelled bets (110)', async () => {
    const eventId = randomUUID()
    await scene.api.limits({ outcomeMaxStake: '25' })
    const first = await placeOn(eventId)
    await expectAccepted(first)
    await expectAccepted(await placeOn(eventId, { selections: [selection(eventId, { outcomeId: 'away' })] }))
    await expectAccepted(await placeOn(eventId))
    await expectRollback(await placeOn(eventId), 110)
    await scene.api.cancel(first.betId, 50)
    await expectAccepted(await placeOn(eventId))
  })

  test('wins on one outcome are added up (111)', async () => {
    const eventId = randomUUID()
    await scene.api.limits({ outcomeMaxWin: '50' })
    await expectAccepted(await placeOn(eventId))
    await expectAccepted(await placeOn(eventId))
    await expectRollback(await placeOn(eventId), 111)
  })

  test('accepted bets on an event are counted for all outcomes (112)', async () => {
    const eventId = randomUUID()
    await scene.api.limits({ eventMaxBets: 2 })
    await expectAccepted(await placeOn(eventId))
    await expectAccepted(await placeOn(eventId, { selections: [selection(eventId, { outcomeId: 'away' })] }))
    await expectRollback(await placeOn(eventId), 112)
    await expectAccepted(await placeOn(randomUUID()))
  })

  test('concurrent bets never exceed the limit (112)', async () => {
    const eventId = randomUUID()
    await scene.api.limits({ eventMaxBets: 3 })
    const placed = await Promise.all(Array.from({ length: 8 }, () => placeOn(eventId)))
    expect(placed.filter(({ status }) => status === 'accepted')).toHaveLength(3)
    expect(placed.filter(({ reason }) => reason === 'rollback 112')).toHaveLength(5)
  })

  const inEuro = (amounts: object) => ({ currencies: { EUR: amounts } })
  test.each(cases.filter(([errorCode]) => errorCode !== 112))(
    'error %i with %o below a currency limits that currency only',
    async (errorCode, amounts, fits, exceeds) => {
      await scene.api.limits(inEuro(amounts))
      await expectAccepted(await placeOn(randomUUID(), fits))
      await expectRollback(await placeOn(randomUUID(), exceeds), errorCode)
      await scene.api.limits({ currencies: { USD: amounts } })
      await expectAccepted(await placeOn(randomUUID(), exceeds))
    },
  )

  test('an amount without a currency limits every other currency in its own units', async () => {
    await scene.api.limits({ maxStake: '5', currencies: { USD: { maxStake: '1' } } })
    await expectAccepted(await placeOn(randomUUID(), { amount: '5' }))
    await expectRollback(await placeOn(randomUUID(), { amount: '5.01' }), 115)
    await scene.api.limits({ maxStake: '5', ...inEuro({}) })
    await expectAccepted(await placeOn(randomUUID(), { amount: '5.01' }))
  })

  test('bets in all currencies are counted together, and stakes are not (112)', async () => {
    const eventId = randomUUID()
    const { frame, wallet, api, partnerId } = scene
    wallet.profile = { currency: 'USD', currencies: ['USD'] }
    const dollars = await api.loadFrame(partnerId)
    wallet.profile = {}
    const inDollars = () => api.place(dollars, { selections: [selection(eventId)] })
    await api.limits({
      eventMaxBets: 2,
      currencies: { EUR: { outcomeMaxStake: '10' }, USD: { outcomeMaxStake: '20' } },
    })
    await expectAccepted(await api.place(frame, { selections: [selection(eventId)] }))
    await expectAccepted(await inDollars())
    await expectRollback(await inDollars(), 112)
  })

  test.each([
    ['a currency that is not known', { currencies: { XYZ: { maxStake: '1' } } }, '/currencies/XYZ'],
    ['more decimals than it has', inEuro({ maxStake: '1.005' }), '/currencies/EUR/maxStake'],
    ['an amount that is none', inEuro({ maxStake: 'much' }), '/currencies/EUR/maxStake'],
    ['a number of bets below a currency', inEuro({ eventMaxBets: 1 }), '/currencies/EUR/eventMaxBets'],
    ['a currency in small letters', { currencies: { eur: {} } }, '/currencies/eur'],
  ])('limits with %s are rejected', async (_what, limits, pointer) => {
    const { status, body } = await scene.api.request('PUT', '/limits', limits)
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ errors: [{ pointer, detail: expect.any(String) }] }),
    ])
  })

  test('the booster and the product of an express count into the win (114)', async () => {
    await scene.api.limits({ playerMaxWin: '60' })
    const selections = [selection(randomUUID(), { coefficient: '2' }), selection(randomUUID(), { coefficient: '3' })]
    await expectAccepted(await placeOn('x', { selections }))
    await expectRollback(await placeOn('x', { selections, boosterCoefficient: '1.1' }), 114)
  })
})

test('a placement that broke off after the partner’s acceptance is rolled back with error 50', async () => {
  const eventId = randomUUID()
  await scene.platform.sql('update platform.limits set limits = \'{"maxStake": "broken"}\'')
  const reply = await scene.api.request('POST', '/bets', {
    frameSessionId: scene.frame,
    amount: '10',
    selections: [selection(eventId)],
  })
  await scene.api.limits({})
  expect(reply.status).toBe(500)
  const [place] = scene.wallet.of('place').slice(-1)
  const betId = String(place?.body.transactionId)
  expect((await scene.api.bet(betId)).status).toBe('placing')
  await scene.time.advance(9_000)
  expect((await scene.api.bet(betId)).status).toBe('cancelled')
  expect(scene.callsOf(betId).map(({ operation, body }) => [operation, body.errorCode])).toEqual([
    ['place', undefined],
    ['rollback', 50],
  ])
})
