/** The moment at which a token expires, to the millisecond, on a clock that stands still (P-1). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PlayerId } from '../../src/protocol/ids.ts'
import { judgeToken } from '../../src/wallet/decide/token.ts'
import { hashToken } from '../../src/wallet/store/session.ts'
import { type BatchScene, findingsOf, openScene, place, STARTED_AT, seat } from './batch-scene.ts'

let scene: BatchScene
beforeAll(async () => {
  scene = await openScene()
  await seat(scene, 'ann', '100.00')
})
afterAll(async () => {
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})

const OLD_TOKEN = { token: hashToken('old-token-of-ann') } // expires at STARTED_AT
const BEFORE = new Date(STARTED_AT.getTime() - 1)

test('a Place bet a millisecond before its token expires is accepted, one in the very millisecond is refused', async () => {
  scene.now = BEFORE
  expect(await scene.apply(place('ann', 'bet-1', 10, OLD_TOKEN))).toMatchObject([{ kind: 'accepted' }])
  scene.now = STARTED_AT
  const expired = [{ kind: 'refused', code: 'expired_token' }]
  expect(await scene.apply(place('ann', 'bet-2', 10, OLD_TOKEN))).toEqual(expired)
})

test('so does User data judge it', () => {
  const session = { player: 'ann', currency: 'EUR', expiresAt: STARTED_AT, endedAt: null } as never
  expect([BEFORE, STARTED_AT].map((now) => judgeToken(session, 'ann' as PlayerId, now))).toEqual([
    'live',
    'expired_token',
  ])
})
