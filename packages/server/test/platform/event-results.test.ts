/**
 * Results of an event's outcomes decide its bets, and so do results that a member of staff enters
 * for one bet. The platform then sends the right calls to the partner.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusal } from '../support/scripted-wallet.ts'
import { decidedBets, type Outcome } from './decided-bets.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const { betAt, decideEvent, stateOf, toldOf } = decidedBets(() => scene)

describe('the event decides a single at 2.5:', () => {
  test.each([
    ['won', 'won', '25.00', 25],
    ['lost', 'lost', '0.00', 0],
    ['refund', 'refund', '10.00', 10],
  ] as const)('%s', async (outcome, resultType, payout, amount) => {
    const { betId, events } = await betAt('2.5')
    expect(await decideEvent(events[0], outcome)).toBe(1)
    expect(await stateOf(betId)).toEqual(['settled', resultType, payout])
    expect(toldOf(betId)).toEqual([['settle', resultType, amount]])
  })
})

test('the win of a bet is rounded down to the smallest unit', async () => {
  const { betId, events } = await betAt('1.333333')
  await decideEvent(events[0], 'won')
  expect(await stateOf(betId)).toEqual(['settled', 'won', '13.33'])
})

test('an outcome without a result leaves its bets open', async () => {
  const { betId, events } = await betAt('2.5')
  expect(await scene.api.results(events[0] ?? '', { away: 'won' })).toBe(0)
  expect(await stateOf(betId)).toEqual(['accepted', undefined, undefined])
})

describe('an express at 2, 3 and 1.5', () => {
  const rows: [Outcome[], string, string][] = [
    [['won', 'won', 'won'], 'won', '90.00'],
    [['won', 'refund', 'won'], 'won', '30.00'],
    [['refund', 'won', 'refund'], 'won', '30.00'],
    [['refund', 'refund', 'refund'], 'refund', '10.00'],
    [['won', 'won', 'lost'], 'lost', '0.00'],
    [['refund', 'refund', 'lost'], 'lost', '0.00'],
  ]
  test.each(rows)('with %j is %s and pays %s, once', async (outcomes, resultType, payout) => {
    const { betId, events } = await betAt('2', '3', '1.5')
    for (const [i, outcome] of outcomes.entries()) await decideEvent(events[i], outcome)
    expect(await stateOf(betId)).toEqual(['settled', resultType, payout])
    expect(toldOf(betId)).toEqual([['settle', resultType, Number(payout)]])
  })

  test('is lost at once by its first lost selection, and stays so', async () => {
    const { betId, events } = await betAt('2', '3', '1.5')
    expect(await decideEvent(events[1], 'lost')).toBe(1)
    expect(await stateOf(betId)).toEqual(['settled', 'lost', '0.00'])
    expect(await decideEvent(events[0], 'won')).toBe(0)
    expect(await decideEvent(events[2], 'lost')).toBe(0)
    expect(toldOf(betId)).toHaveLength(1)
  })

  test('is open again when the result of the lost selection is withdrawn', async () => {
    const { betId, events } = await betAt('2', '3')
    await decideEvent(events[0], 'lost')
    await decideEvent(events[0])
    expect(await stateOf(betId)).toEqual(['accepted', undefined, undefined])
    expect(toldOf(betId)).toEqual([
      ['settle', 'lost', 0],
      ['unsettle', undefined, 0],
    ])
  })
})

test('a corrected result resettles, a repeated result has no effect, and a withdrawn result unsettles', async () => {
  const { betId, events } = await betAt('2.5')
  expect(await decideEvent(events[0], 'won')).toBe(1)
  expect(await decideEvent(events[0], 'won')).toBe(0)
  expect(await decideEvent(events[0], 'lost')).toBe(1)
  expect(await decideEvent(events[0])).toBe(1)
  expect(await decideEvent(events[0])).toBe(0)
  expect(await decideEvent(events[0], 'refund')).toBe(1)
  expect(toldOf(betId)).toEqual([
    ['settle', 'won', 25],
    ['settle', 'lost', 0],
    ['unsettle', undefined, 0],
    ['settle', 'refund', 10],
  ])
  const requestIds = scene.callsOf(betId).map(({ body }) => body.requestId)
  expect(new Set(requestIds).size).toBe(5)
})

test('one event settles all of its bets, of every partner, and no other bet', async () => {
  const eventId = randomUUID()
  const other = await scene.platform.partner()
  const frames = [scene.frame, await scene.api.loadFrame(other.partnerId)]
  const selections = [{ eventId, outcomeId: 'home', coefficient: '2' }]
  const bets = await Promise.all(
    Array.from({ length: 30 }, (_, i) => scene.api.place(frames[i % 2] ?? '', { selections })),
  )
  const { betId } = await betAt('2.5')
  expect(await decideEvent(eventId, 'won')).toBe(30)
  for (const bet of bets) expect(await stateOf(bet.betId)).toEqual(['settled', 'won', '20.00'])
  expect(await stateOf(betId)).toEqual(['accepted', undefined, undefined])
  expect(other.wallet.of('settle')).toHaveLength(15)
})

test('a cashout contains the token, and the result of the event then has no effect', async () => {
  const { betId, events } = await betAt('2.5')
  await scene.api.settle(betId, 'cashout', '12.34')
  await scene.time.settle()
  const [place, settle] = scene.callsOf(betId)
  expect(settle?.body).toMatchObject({ resultType: 'cashout', amount: 12.34, token: place?.body.token })
  expect(await decideEvent(events[0], 'won')).toBe(0)
  expect(await stateOf(betId)).toEqual(['settled', 'cashout', '12.34'])
})

describe('a user’s change of a bet:', () => {
  test('settle, resettle, unsettle and cancel return 202 with the bet and notify the partner', async () => {
    const { betId } = await betAt('2.5')
    const post = (what: string, body?: object) => scene.api.request('POST', `/bets/${betId}/${what}`, body)
    const steps = [
      await post('settle', { resultType: 'won', amount: '25' }),
      await post('settle', { resultType: 'won', amount: '20.50' }),
      await post('settle', { resultType: 'won', amount: '20.5' }),
      await post('unsettle'),
      await post('unsettle'),
      await post('cancel', { errorCode: 115 }),
      await post('cancel', { errorCode: 115 }),
    ]
    expect(steps.map(({ status }) => status)).toEqual(Array(7).fill(202))
    const states = steps.map(({ body }) => (body as { status: string }).status)
    expect(states).toEqual(['settled', 'settled', 'settled', 'accepted', 'accepted', 'cancelled', 'cancelled'])
    await scene.time.settle()
    expect(toldOf(betId)).toEqual([
      ['settle', 'won', 25],
      ['settle', 'won', 20.5],
      ['unsettle', undefined, 20.5],
      ['rollback', undefined, 10],
    ])
  })

  test.each([8, 9, 10, 32, 50, 52, 110, 111, 112, 113, 114, 115])(
    'cancel accepts the errorCode %i',
    async (errorCode) => {
      const { betId } = await betAt('2.5')
      await scene.api.cancel(betId, errorCode)
      await scene.time.settle()
      expect(scene.callsOf(betId)[1]?.body).toMatchObject({ type: 3, errorCode })
      expect(await scene.api.bet(betId)).toMatchObject({ status: 'cancelled', reason: `rollback ${errorCode}` })
    },
  )

  test.each([7, 0, 999, -1, '8', null, undefined])('cancel rejects the errorCode %j', async (errorCode) => {
    const { betId } = await betAt('2.5')
    expect((await scene.api.request('POST', `/bets/${betId}/cancel`, { errorCode })).status).toBe(400)
    expect((await scene.api.bet(betId)).status).toBe('accepted')
  })

  async function betThatIs(state: 'accepted' | 'settled' | 'declined' | 'cancelled'): Promise<string> {
    if (state === 'declined') scene.wallet.next('place', refusal(7))
    const { betId } = await scene.api.place(scene.frame)
    if (state === 'settled') await scene.api.settle(betId, 'won', '25')
    if (state === 'cancelled') await scene.api.cancel(betId, 50)
    await scene.time.settle()
    expect((await scene.api.bet(betId)).status).toBe(state)
    return betId
  }

  test.each([
    ['settle', 'declined'],
    ['settle', 'cancelled'],
    ['unsettle', 'declined'],
    ['unsettle', 'cancelled'],
    ['cancel', 'declined'],
    ['cancel', 'settled'],
  ] as const)('%s of a %s bet returns 409 and sends nothing', async (what, state) => {
    const betId = await betThatIs(state)
    const calls = scene.callsOf(betId).length
    const bodies = { settle: { resultType: 'won', amount: '1' }, unsettle: undefined, cancel: { errorCode: 8 } }
    const { status, body } = await scene.api.request('POST', `/bets/${betId}/${what}`, bodies[what])
    expect([status, body]).toEqual([409, expect.objectContaining({ code: 'not_possible' })])
    await scene.time.advance(5_000)
    expect(scene.callsOf(betId)).toHaveLength(calls)
    expect((await scene.api.bet(betId)).status).toBe(state)
  })

  test('a bet that is being placed can be neither settled nor cancelled', async () => {
    let answer = () => {}
    scene.wallet.next('place', { hold: new Promise<void>((resolve) => (answer = resolve)) })
    const placing = scene.api.place(scene.frame)
    const place = (await scene.wallet.seen('place', scene.wallet.of('place').length + 1)).at(-1)
    const path = `/bets/${place?.body.transactionId}`
    expect((await scene.api.request('POST', `${path}/cancel`, { errorCode: 8 })).status).toBe(409)
    expect((await scene.api.request('POST', `${path}/settle`, { resultType: 'won', amount: '1' })).status).toBe(409)
    answer()
    expect((await placing).status).toBe('accepted')
  })

  test.each(['10.001', '-1', 'ten', '1234567890123456', '12345678901234.56', 10])(
    'settle rejects the amount %j',
    async (amount) => {
      const { betId } = await betAt('2.5')
      const { status } = await scene.api.request('POST', `/bets/${betId}/settle`, { resultType: 'won', amount })
      expect(status).toBe(400)
    },
  )
})

test('a request that names a selection or an odds line twice is rejected, and nothing of it is stored', async () => {
  const { betId, events } = await betAt('2.5')
  const twice = [
    { outcomeId: 'home', result: 'won' },
    { outcomeId: 'home', result: 'lost' },
  ]
  const results = await scene.api.request('POST', `/events/${events[0]}/result`, { outcomes: twice })
  expect([results.status, results.body]).toEqual([400, expect.objectContaining({ code: 'invalid_request' })])
  const odds = [
    { outcomeId: 'home', coefficient: '2' },
    { outcomeId: 'home', coefficient: '3' },
  ]
  const state = await scene.api.request('PUT', `/events/${events[0]}`, { status: 'ended', outcomes: odds })
  expect(state.status).toBe(400)
  expect(await stateOf(betId)).toEqual(['accepted', undefined, undefined])
})
