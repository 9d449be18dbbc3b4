/**
 * The platform sends the right Place bet for singles, expresses, freebets and boosts. It rejects
 * invalid bets without a call to the partner.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())

const pick = (coefficient: string | number, over: Record<string, unknown> = {}) => ({
  ...{ eventId: randomUUID(), outcomeId: 'home', coefficient },
  ...over,
})

/** The body of the Place bet that the partner received. */
async function placed(over: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { betId, status } = await scene.api.place(scene.frame, over)
  expect(status).toBe('accepted')
  return scene.callsOf(betId)[0]?.body ?? {}
}

test('a single carries its selection’s odds', async () => {
  const selections = [pick('2.10')]
  const body = await placed({ selections, amount: '10' })
  expect(body).toMatchObject({ type: 1, amount: 10, coefficient: 2.1, ticketType: 'single', gameType: 'sportsbook' })
  expect(body.metadata).toEqual([{ ...selections[0], coefficient: 2.1 }])
})

test.each([
  [['2', '3'], 6],
  [['1.5', '1.5', '1.5'], 3.375],
  [['1.85', '2.05', '1.33', '4.2'], 21.185],
  [['1.01', '1.011', '1.0111'], 1.032444],
])('an express of %j has the product of the odds, truncated to six places', async (odds, coefficient) => {
  const body = await placed({ selections: odds.map((written) => pick(written)) })
  expect(body.ticketType).toBe('express')
  expect(Math.abs(Number(body.coefficient) - coefficient)).toBeLessThan(0.001)
  expect(String(body.coefficient)).toMatch(/^\d+(\.\d{1,6})?$/)
  expect(body.metadata).toHaveLength(odds.length)
})

test('an express of 30 selections is placed', async () => {
  expect((await placed({ selections: Array.from({ length: 30 }, () => pick('1.2')) })).metadata).toHaveLength(30)
})

test('the members of the metadata reach the partner unchanged, extensions too', async () => {
  const described = {
    ...{ disciplineId: 1, discipline: 'Football', tournamentId: '77', tournament: 'Eliteserien' },
    ...{ tournamentRegionCode: 'NO', event: 'Brann - Molde', eventDate: '2031-05-16 18:00:00', marketId: 1 },
    ...{ market: 'Winner', outcome: 'Molde', stage: 1, extension: { of: ['ours', null, 1] } },
  }
  const body = await placed({ selections: [pick(2.5, described)] })
  expect(body.metadata).toEqual([expect.objectContaining({ ...described, coefficient: 2.5 })])
})

test('a freebet contains its ids and amount, and may have no stake', async () => {
  const freebet = { bonusId: 42, bonusTemplateId: 7, bonusAmount: '5.50' }
  expect(await placed({ ...freebet, amount: '0' })).toMatchObject({ ...freebet, bonusAmount: 5.5, amount: 0 })
  expect(await placed({ bonusId: null, bonusTemplateId: null, bonusAmount: null })).toMatchObject({
    ...{ bonusId: null, bonusTemplateId: null, bonusAmount: null },
  })
})

test('a freebet keeps its ids through settle and rollback', async () => {
  const { betId } = await scene.api.place(scene.frame, { bonusId: 42, bonusTemplateId: 7, bonusAmount: '5.50' })
  await scene.api.settle(betId, 'won', '15')
  await scene.api.unsettle(betId)
  await scene.api.cancel(betId, 9)
  await scene.time.advance(5_000)
  const calls = scene.callsOf(betId)
  expect(calls).toHaveLength(4)
  for (const { body } of calls) expect(body).toMatchObject({ bonusId: 42, bonusTemplateId: 7 })
})

test('boosterCoefficient, subPartnerId, ip and info are sent if they are given', async () => {
  const given = { boosterCoefficient: '1.25', subPartnerId: 'site-2', ip: '203.0.113.7', info: 'by phone' }
  const selections = [pick('2'), pick('3')]
  expect(await placed({ ...given, selections })).toMatchObject({ ...given, boosterCoefficient: 1.25 })
  expect(await placed({ boosterCoefficient: '1.00' })).toMatchObject({ boosterCoefficient: 1 })
  expect(await placed({ ip: '2001:db8::1' })).toMatchObject({ ip: '2001:db8::1', subPartnerId: null })
  const plain = await placed({})
  expect(['boosterCoefficient', 'ip', 'info'].filter((name) => name in plain)).toEqual([])
})

test('the booster multiplies the win of the bet', async () => {
  const selections = [pick('2'), pick('3')]
  const { betId } = await scene.api.place(scene.frame, { selections, boosterCoefficient: 1.1 })
  for (const { eventId } of selections) await scene.api.results(eventId, { home: 'won' })
  await scene.time.settle()
  expect(await scene.api.bet(betId)).toMatchObject({ status: 'settled', resultType: 'won', payout: '66.00' })
  expect(scene.callsOf(betId)[1]?.body).toMatchObject({ amount: 66, coefficient: 6, boosterCoefficient: 1.1 })
})

test('a boost requires an express: it is rejected for a single, and not paid if void selections leave a single (D-6)', async () => {
  const boosted = { frameSessionId: scene.frame, amount: '10', boosterCoefficient: 1.1 }
  const single = await scene.api.request('POST', '/bets', { ...boosted, selections: [pick('2')] })
  expect([single.status, single.body]).toEqual([
    400,
    expect.objectContaining({
      errors: [{ pointer: '/boosterCoefficient', detail: expect.stringContaining('an express') }],
    }),
  ])
  const settled = async (results: readonly ('won' | 'refund')[], boosterCoefficient = 1.1) => {
    const selections = results.map(() => pick('2'))
    const { betId } = await scene.api.place(scene.frame, { selections, boosterCoefficient })
    for (const [i, { eventId }] of selections.entries()) await scene.api.results(eventId, { home: results[i] ?? 'won' })
    await scene.time.settle()
    const { payout } = await scene.api.bet(betId)
    return [payout, scene.callsOf(betId).at(-1)?.body.amount]
  }
  expect(await settled(['won', 'refund'])).toEqual(['20.00', 20])
  expect(await settled(['won', 'won', 'refund'])).toEqual(['44.00', 44])
  expect(await settled(['refund', 'refund'])).toEqual(['10.00', 10])
  expect(await settled(['won', 'refund'], 0.5), 'a factor below 1 is no boost, and stays').toEqual(['10.00', 10])
})

test.each(['\ufeff', '\u00a0', '\u00e9', 'e\u0301', '😀'])(
  'texts with %j at both ends reach the partner unchanged',
  async (odd) => {
    const text = `${odd}${randomUUID()}${odd}`
    const selections = [pick('2', { eventId: text, outcomeId: text, event: text })]
    const bet = { selections, info: text, subPartnerId: text, idempotencyKey: text }
    const body = await placed(bet)
    expect(body).toMatchObject({
      info: text,
      subPartnerId: text,
      metadata: [{ eventId: text, outcomeId: text, event: text }],
    })
    expect(await placed(bet)).toEqual(body)
  },
)

test('descriptive members of a selection reach the partner unchanged (W-3)', async () => {
  const odd = { event: { en: 'A', de: 'B' }, eventDate: null, stage: null, market: [7, null], discipline: true }
  const { eventId, outcomeId, coefficient } = pick('2')
  const { metadata, transactionId } = await placed({ selections: [{ eventId, outcomeId, coefficient, ...odd }] })
  expect(metadata).toEqual([{ ...odd, eventId, outcomeId, coefficient: 2 }])
  const { body } = await scene.api.request('GET', '/bets?selections=true')
  const listed = (body as { data: { betId: string }[] }).data.find(({ betId }) => betId === transactionId)
  const [event, market] = ['{"en":"A","de":"B"}', '[7,null]']
  expect(listed).toMatchObject({ selections: [{ event, market, eventId, outcomeId }] })
  scene.wallet.faults.length = 0 // the interface states other types
})

test('a bonusId of 0 is no bonus, so a stake of 0 is rejected with it (D-1)', async () => {
  const wanted = { frameSessionId: scene.frame, amount: '0', selections: [pick('2')], bonusId: 0 }
  expect((await scene.api.request('POST', '/bets', wanted)).status).toBe(400)
})

test('the list shows the selections of a bet on request: the first three of an express, and their number', async () => {
  const named = ['Arsenal - Chelsea', 'Ajax - PSV', 'Roma - Lazio', 'Celta - Betis'].map((event) => {
    const { eventId, outcomeId } = pick('2')
    return { eventId, outcomeId, event, market: 'Match winner' }
  })
  const selections = named.map((one) => ({ ...one, coefficient: '2', outcome: null }))
  const { betId } = await scene.api.place(scene.frame, { selections })
  const listed = async (query: string) => {
    const { body } = await scene.api.request('GET', `/bets?${query}`)
    return (body as { data: { betId: string }[] }).data.find((one) => one.betId === betId)
  }
  expect(await listed('selections=true')).toMatchObject({
    ...{ betId, selectionCount: 4 },
    selections: named.slice(0, 3),
  })
  expect(await listed('')).not.toHaveProperty('selections')
  await scene.api.cancel(betId, 32)
  await scene.time.settle()
  for (const list of ['needsAttention=false', 'operation=rollback', 'status=done'])
    expect(await delivered(betId, `${list}&selections=true`), list).toMatchObject({
      ...{ betId, selectionCount: 4 },
      selections: named.slice(0, 3),
    })
  expect(await delivered(betId, '')).not.toHaveProperty('selections')
})

async function delivered(betId: string, query: string) {
  const { body } = await scene.api.request('GET', `/deliveries?${query}`)
  return (body as { data: { betId: string }[] }).data.find((one) => one.betId === betId)
}

describe('the platform rejects a bet without a call to the partner:', () => {
  const home = { eventId: 'final', outcomeId: 'home' }
  const cases: [string, Record<string, unknown>, string][] = [
    ['no amount', { amount: undefined }, ''],
    ['the amount 0 without a bonus', { amount: '0' }, '/amount'],
    ['the amount 0 with a null bonus', { amount: '0.00', bonusId: null }, '/amount'],
    ['a negative amount', { amount: '-1' }, '/amount'],
    ['an amount as a number', { amount: 10 }, '/amount'],
    ['an amount with more places than the currency', { amount: '10.001' }, '/amount'],
    ['an amount with an exponent', { amount: '1e2' }, '/amount'],
    ['an amount of 16 digits, which the wire cannot carry exactly', { amount: '12345678901234.56' }, '/amount'],
    ['a win of 16 digits', { amount: '9999999999', selections: [pick('1000000')] }, '/amount'],
    ['no selections', { selections: [] }, '/selections'],
    ['odds below 1.01', { selections: [pick('1.009999')] }, '/selections/0/coefficient'],
    ['odds of 1', { selections: [pick('2'), pick(1)] }, '/selections/1/coefficient'],
    ['the same outcome twice', { selections: [pick('2', home), pick('2', home)] }, '/selections/1/eventId'],
    [
      'two outcomes of one event',
      { selections: [pick('2', home), pick('2'), pick('3', { ...home, outcomeId: 'away' })] },
      '/selections/2/eventId',
    ],
    ['odds of 0', { selections: [pick('0')] }, '/selections/0/coefficient'],
    ['negative odds', { selections: [pick(-2)] }, '/selections/0/coefficient'],
    ['odds with seven places', { selections: [pick('2.1234567')] }, '/selections/0/coefficient'],
    ['odds beyond reason', { selections: [pick('1000'), pick('1001')] }, '/selections'],
    ['a selection without event', { selections: [{ outcomeId: 'a', coefficient: '2' }] }, '/selections/0'],
    ['an express of one', { ticketType: 'express' }, '/ticketType'],
    ['a single of two', { ticketType: 'single', selections: [pick('2'), pick('2')] }, '/ticketType'],
    ['another ticketType', { ticketType: 'system' }, '/ticketType'],
    ['a booster of 0', { boosterCoefficient: '0' }, '/boosterCoefficient'],
    ['an ip that is none', { ip: '999.1.1.1' }, '/ip'],
    ['a bonusId that is not whole', { bonusId: 1.5 }, '/bonusId'],
    ['a bonusId that no integer column holds', { bonusId: 3_000_000_000 }, '/bonusId'],
    ['a bonusTemplateId that no integer column holds', { bonusTemplateId: -3_000_000_000 }, '/bonusTemplateId'],
    ['a bonusAmount with too many places', { bonusId: 1, bonusAmount: '1.001' }, '/bonusAmount'],
    ['an unknown member', { odds: 2 }, '/odds'],
    ['an info with NUL', { info: 'a\u0000b' }, '/info'],
    ['an eventId with NUL', { selections: [pick('2', { eventId: 'a\u0000b' })] }, '/selections/0/eventId'],
    [
      'an outcomeId with half a character',
      { selections: [pick('2', { outcomeId: '\ud800' })] },
      '/selections/0/outcomeId',
    ],
    ['an idempotencyKey with NUL', { idempotencyKey: 'a\u0000b' }, '/idempotencyKey'],
  ]
  test.each(cases)('%s', async (_what, over, pointer) => {
    const before = scene.wallet.requests.length
    const bet = { frameSessionId: scene.frame, amount: '10', selections: [pick('2.5')], ...over }
    const { status, body } = await scene.api.request('POST', '/bets', bet)
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', errors: [expect.objectContaining({ pointer })] }),
    ])
    expect(scene.wallet.requests).toHaveLength(before)
  })

  test('a bonusAmount with leading zeros is valid JSON on the wire', async () => {
    expect(await placed({ bonusId: 1, bonusAmount: '005.5' })).toMatchObject({ bonusAmount: 5.5 })
  })

  test('an unknown frame session is rejected with 404', async () => {
    const bet = { frameSessionId: randomUUID(), amount: '10', selections: [pick('2')] }
    expect((await scene.api.request('POST', '/bets', bet)).status).toBe(404)
  })
})
