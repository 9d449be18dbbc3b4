/** A user can declare that a partner has carried out a delivery, for example by hand (W-47). */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { statement } from '../../src/core/database/db.ts'
import { auditPlatform } from '../../src/platform/platform-audit.ts'
import { hang, refusal, reset } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const REASON = 'paid by hand, ticket 4711'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.stop())
beforeEach(async () => {
  const { wallet, partnerId } = await scene.platform.partner()
  Object.assign(scene, { wallet, partnerId, frame: await scene.api.loadFrame(partnerId) })
})

const needsAttention = () => scene.api.deliveries(`?needsAttention=true&partnerId=${scene.partnerId}`)
const acknowledge = (deliveryId: string | undefined, body: object = { reason: REASON }) =>
  scene.api.request('POST', `/deliveries/${deliveryId}/acknowledge`, body)

async function findings() {
  const db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
  const found = await auditPlatform(db)
  await db.close()
  return found
}

async function refusedSettle() {
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.next('settle', refusal(20))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.advance(SECOND_MS)
  const [line] = await needsAttention()
  return { betId, deliveryId: line?.deliveryId }
}

test('a rejected payout that was paid by hand is acknowledged and no longer owed, and the audit log names the user', async () => {
  const { api, wallet, time } = scene
  const { betId, deliveryId } = await refusedSettle()
  const { status, body } = await acknowledge(deliveryId)
  expect([status, body]).toMatchObject([200, { status: 'done', error: `acknowledged by hand: ${REASON}` }])
  expect(await needsAttention()).toEqual([])
  await time.advance(MINUTE_MS)
  expect(wallet.of('settle', betId)).toHaveLength(1)
  const log = await api.request('GET', '/actions?limit=1')
  expect(log.body).toMatchObject({ data: [{ operation: 'acknowledgeDelivery', on: { deliveryId }, reason: REASON }] })
  // A later decision is sent as a correction of the acknowledged one.
  wallet.next('settle', refusal(21))
  await api.settle(betId, 'lost', '0.00')
  await time.advance(SECOND_MS)
  const [correction] = await needsAttention()
  expect(correction).toMatchObject({ owedAmount: '-25.00' })
  await api.request('POST', `/deliveries/${correction?.deliveryId}/retry`)
  await time.advance(SECOND_MS)
  expect(await findings()).toEqual([])
})

test('a Rollback that waits after a permanently rejected Unsettle is sent after the Unsettle is acknowledged', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  await api.settle(betId, 'won', '25.00')
  await time.advance(SECOND_MS)
  wallet.next('unsettle', reset)
  wallet.always('unsettle', refusal(5))
  await api.unsettle(betId)
  await time.settle()
  await api.cancel(betId, 50)
  await time.advance(MINUTE_MS)
  const [line] = await needsAttention()
  expect(wallet.of('rollback', betId)).toEqual([])
  expect((await acknowledge(line?.deliveryId)).status).toBe(200)
  await time.advance(SECOND_MS)
  expect(wallet.of('rollback', betId)).toHaveLength(1)
  expect((await api.bet(betId)).deliveries.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done'])
  expect(await needsAttention()).toEqual([])
  expect(await findings()).toEqual([])
})

test('a delivery cannot be acknowledged while it is retried, after a later delivery, or for a withdrawn cashout', async () => {
  const { api, wallet, time } = scene
  wallet.next('settle', refusal(1))
  const { betId: tried } = await api.place(scene.frame)
  await api.settle(tried, 'won', '25.00')
  await time.settle()
  const [stillTried] = await needsAttention()
  const { betId, deliveryId } = await refusedSettle()
  await api.settle(betId, 'won', '26.00')
  const { betId: sold } = await api.place(scene.frame)
  wallet.next('settle', {}, refusal(4))
  await api.request('POST', `/bets/${sold}/settle`, { resultType: 'cashout', amount: '8.00' })
  await time.advance(SECOND_MS)
  const cashout = (await api.bet(sold)).deliveries.at(-1)
  for (const id of [stillTried?.deliveryId, deliveryId, cashout?.deliveryId])
    expect((await acknowledge(id)).body).toMatchObject({ code: 'not_stuck' })
  expect((await acknowledge('999999')).status).toBe(404)
})

test('an acknowledgement requires a reason', async () => {
  const { deliveryId } = await refusedSettle()
  for (const body of [{}, { reason: '' }, { reason: ' ' }, { reason: 'x'.repeat(501) }])
    expect((await acknowledge(deliveryId, body)).status).toBe(400)
  expect(await needsAttention()).toHaveLength(1)
  const both = await Promise.all([acknowledge(deliveryId), acknowledge(deliveryId)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('an acknowledgement deletes tokens, as an answer of the partner does (O-6)', async () => {
  const { api, wallet, time } = scene
  const settled = await refusedSettle()
  wallet.next('rollback', refusal(5))
  const { betId: cancelled } = await api.place(scene.frame)
  await api.cancel(cancelled, 50)
  await time.advance(SECOND_MS)
  for (const { deliveryId } of await needsAttention()) expect((await acknowledge(deliveryId)).status).toBe(200)
  const db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
  const kept = await db.query(TOKENS, [[settled.betId, cancelled]])
  await db.close()
  expect(kept).toEqual([])
})

const TOKENS = statement(
  'test_tokens_of_bets',
  `select d.operation from platform.bet b join platform.delivery d using (bet_id) join platform.message m using (delivery_id)
   where b.bet_id = any($1::uuid[]) and (b.token <> '' or m.body ~ '"token":"[^"]')`,
)

test('a Rollback without attempts left can be acknowledged', async () => {
  const { api, wallet, time } = scene
  const { betId } = await api.place(scene.frame)
  const giveBack = time.takeOverTimeOuts()
  wallet.always('rollback', hang)
  await api.cancel(betId, 50)
  await time.advance(7 * MINUTE_MS)
  giveBack()
  const [line] = await needsAttention()
  expect(line).toMatchObject({ operation: 'rollback', status: 'stuck', owedAmount: '10.00' })
  expect((await acknowledge(line?.deliveryId)).status).toBe(200)
  expect(await needsAttention()).toEqual([])
  expect(await findings()).toEqual([])
})
