/** A token expires in exactly the right millisecond (P-1). */

import type { PlayerId } from '@purser/protocol/wire-ids'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkToken } from '../../src/wallet/rules/token-validity.ts'
import { hashToken } from '../../src/wallet/store/session.ts'
import { type BatchScene, findingsOf, openScene, place, STARTED_AT, seat, settle } from './call-batch-scene.ts'

let scene: BatchScene
beforeAll(async () => {
  scene = await openScene()
  for (const player of ['ann', 'ben'] as const) await seat(scene, player, '100.00')
})
afterAll(async () => {
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})

const OLD_TOKEN = { token: hashToken('old-token-of-ann') } // expires at STARTED_AT
const BEFORE = new Date(STARTED_AT.getTime() - 1)

test('a Place bet is accepted one millisecond before its token expires, and rejected in the millisecond of the expiry', async () => {
  scene.now = BEFORE
  expect(await scene.apply(place('ann', 'bet-1', 10, OLD_TOKEN))).toMatchObject([{ kind: 'accepted' }])
  scene.now = STARTED_AT
  const expired = [{ kind: 'refused', code: 'expired_token' }]
  expect(await scene.apply(place('ann', 'bet-2', 10, OLD_TOKEN))).toEqual(expired)
})

/**
 * So late copies stay rejected, after a platform has declined the bet (C-2) or reversed the cashout
 * (C-8).
 */
test('a token that was rejected as expired stays rejected when the clock is set back', async () => {
  const ofBen = { token: hashToken('old-token-of-ben') }
  scene.now = BEFORE
  const [bet, late] = [place('ben', 'bet-3', 10, ofBen), place('ben', 'bet-4', 10, ofBen)]
  expect(await scene.apply(bet)).toMatchObject([{ kind: 'accepted' }])
  const cashout = { ...settle('ben', 'bet-3', 'cashout', 5), ...ofBen, resultType: 'cashout' } as const
  const refused = [{ kind: 'refused', code: 'expired_token' }]
  for (scene.now of [STARTED_AT, BEFORE])
    for (const call of [late, cashout]) expect(await scene.apply(call)).toEqual(refused)
  expect(await scene.apply(bet), 'a repeat of what was accepted').toMatchObject([{ kind: 'accepted' }])
})

test('User data uses the same expiry as a Place bet', () => {
  const session = { player: 'ann', currency: 'EUR', expiresAt: STARTED_AT, endedAt: null } as never
  expect([BEFORE, STARTED_AT].map((now) => checkToken(session, 'ann' as PlayerId, now))).toEqual([
    'live',
    'expired_token',
  ])
})
