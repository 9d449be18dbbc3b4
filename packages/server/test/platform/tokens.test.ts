/** A bet keeps the player's token while a call may need it, and no longer (O-6). */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newToken } from '../support/platform.ts'
import { refusal, reset } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

const SECOND_MS = 1_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let scene: Scene
let token: string
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  const { wallet, partnerId } = await scene.platform.partner()
  token = newToken()
  Object.assign(scene, { wallet, partnerId, frame: await scene.api.loadFrame(partnerId, token) })
})

async function placed(): Promise<string> {
  return (await scene.api.place(scene.frame)).betId
}

/** The rows of the bet that contain the token. */
async function placesOf(betId: string): Promise<string[]> {
  const rows = await scene.platform.sql(
    `select 'bet' as place from platform.bet where bet_id = $1 and token <> ''
     union all select d.operation from platform.delivery d join platform.message m using (delivery_id)
       where bet_id = $1 and m.body like '%' || $2 || '%'`,
    [betId, token],
  )
  return rows.map(({ place }) => String(place)).sort()
}

test('a declined bet keeps no token', async () => {
  scene.wallet.next('place', refusal(7))
  const declined = await placed()
  const onEnded = { selections: [{ eventId: 'over', outcomeId: 'home', coefficient: '2.5' }] }
  await scene.api.event('over', { status: 'ended' })
  const { betId: never } = await scene.api.place(scene.frame, onEnded)
  expect([await placesOf(declined), await placesOf(never)]).toEqual([[], []])
})

test('a settled or cancelled bet keeps its token until the partner has acknowledged the delivery', async () => {
  const [settled, cancelled, cashedOut] = [await placed(), await placed(), await placed()]
  const all = () => Promise.all([settled, cancelled, cashedOut].map(placesOf))
  expect(await all()).toEqual([['bet'], ['bet'], ['bet']])
  for (const operation of ['settle', 'rollback'] as const) scene.wallet.next(operation, reset, reset)
  await scene.api.settle(settled, 'won', '25.00')
  await scene.api.cancel(cancelled, 50)
  await scene.api.settle(cashedOut, 'cashout', '7.00')
  await scene.time.settle()
  scene.wallet.next('rollback', refusal(5))
  expect(await all()).toEqual([['bet'], ['bet', 'rollback'], ['bet', 'settle']])
  await scene.time.advance(10_000)
  expect(await all()).toEqual([[], ['bet', 'rollback'], []])
  const [refused] = (await scene.api.bet(cancelled)).deliveries.slice(-1)
  await scene.api.request('POST', `/deliveries/${refused?.deliveryId}/retry`)
  await scene.time.settle()
  expect(await placesOf(cancelled)).toEqual([])
  const sent = scene.wallet.of('rollback', cancelled)
  expect(new Set(sent.map(({ body }) => body.token))).toEqual(new Set([token]))
  expect((await scene.api.bet(cancelled)).deliveries.at(-1)?.request).toMatchObject({
    transactionId: cancelled,
    type: 3,
  })
})

test('a rejected cashout deletes its token from the delivery, and the bet keeps its own', async () => {
  const betId = await placed()
  scene.wallet.next('settle', refusal(4, 'out of date'))
  await scene.api.settle(betId, 'cashout', '7.00')
  await scene.time.settle()
  expect(await scene.api.bet(betId)).toMatchObject({ status: 'accepted' })
  expect(await placesOf(betId)).toEqual(['bet'])
})

test('a bet that is changed again sends the token of its frame session', async () => {
  const betId = await placed()
  await scene.api.settle(betId, 'lost', '0')
  await scene.time.settle()
  await scene.api.unsettle(betId)
  await scene.api.cancel(betId, 50)
  await scene.time.settle()
  expect(scene.wallet.of('rollback', betId)[0]?.body.token).toBe(token)
  expect(await placesOf(betId)).toEqual([])
})

test.each(['half a character: \ud83d', 'a NUL: \u0000'])(
  'a profile with %j does not prevent the deletion of other frame sessions (C-17)',
  async (nickname) => {
    const userId = `u-${randomUUID()}`
    scene.wallet.profile = { userId, customFields: { nickname, isCashOutAllowed: false } }
    const odd = await scene.api.loadFrame(scene.partnerId)
    await scene.time.leap(DAY_MS + HOUR_MS)
    await scene.time.advance(5 * SECOND_MS)
    const kept = 'select token, profile from platform.frame_session where frame_session_id = any($1)'
    expect(await scene.platform.sql(kept, [[odd, scene.frame]])).toEqual([
      { token: '', profile: expect.anything() },
      { token: '', profile: expect.anything() },
    ])
    const [session] = await scene.platform.sql(kept, [[odd]])
    expect(session?.profile).toEqual({ userId, currency: 'EUR', customFields: { isCashOutAllowed: false } })
  },
)

test('a frame session loses its token and profile after a day, and its placed bets complete (C-17)', async () => {
  const [open, cancelled] = [await placed(), await placed()]
  await scene.time.leap(DAY_MS - HOUR_MS)
  await scene.time.advance(HOUR_MS / 2)
  expect(await placesOf(await placed())).toEqual(['bet'])
  await scene.time.leap(2 * HOUR_MS)
  await scene.time.advance(5 * SECOND_MS)
  const kept = 'select token, profile from platform.frame_session where frame_session_id = $1'
  const [session] = await scene.platform.sql(kept, [scene.frame])
  expect(session?.token).toBe('')
  expect(Object.keys(session?.profile as object)).toEqual(['userId', 'currency', 'customFields'])
  const selections = [{ eventId: 'any', outcomeId: 'home', coefficient: '2.5' }]
  const late = await scene.api.request('POST', '/bets', { frameSessionId: scene.frame, amount: '10', selections })
  expect(late).toMatchObject({ status: 404, body: { code: 'not_found' } })
  await scene.api.cancel(cancelled, 50)
  await scene.time.settle()
  expect(scene.wallet.of('rollback', cancelled)[0]?.body.token).toBe(token)
  expect([await placesOf(open), await placesOf(cancelled)]).toEqual([['bet'], []])
})
