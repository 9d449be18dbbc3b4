/**
 * While a partner is down, Place bets are declined without a call, except for one probe at a time
 * (C-10).
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { aBet } from '../support/platform.ts'
import { reset } from '../support/scripted-wallet.ts'
import { signal } from '../support/signal.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
beforeEach(async () => {
  scene = await startScene()
  for (const operation of ['place', 'rollback'] as const) scene.wallet.always(operation, reset)
})
afterEach(() => scene.stop())

/** Places bets until the partner counts as down. Each costs a Place bet and a first Rollback. */
async function bringDown(): Promise<void> {
  for (let bet = 1; bet <= 3; bet++) {
    expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'cancelled' })
    await scene.time.settle()
  }
}

test('a bet is declined without a call, and later bets are probes, one in half a second', async () => {
  await bringDown()
  const calls = scene.wallet.of('place').length
  const declined = await scene.api.place(scene.frame)
  expect(declined).toMatchObject({ status: 'declined', reason: 'partner unavailable' })
  expect(scene.wallet.of('place')).toHaveLength(calls)
  expect((await scene.api.bet(declined.betId)).deliveries).toEqual([])
  await scene.time.advance(500)
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'cancelled' })
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'declined' })
  expect(scene.wallet.of('place')).toHaveLength(calls + 1)
})

test('one of many concurrent bets is the probe, and all others are sent after its answer', async () => {
  await bringDown()
  await scene.time.advance(500)
  const answer = signal()
  scene.wallet.next('place', { hold: answer.given })
  const before = scene.wallet.of('place').length
  const probe = scene.api.place(scene.frame)
  await scene.wallet.seen('place', before + 1)
  // the gap between probes has passed, but the probe is not answered
  await scene.time.advance(2_000)
  const others = await Promise.all(Array.from({ length: 8 }, () => scene.api.place(scene.frame)))
  expect(others.map(({ status }) => status)).toEqual(Array(8).fill('declined'))
  answer.give()
  expect(await probe).toMatchObject({ status: 'accepted' })
  scene.wallet.always('place', {})
  scene.wallet.always('rollback', {})
  const later = await Promise.all(Array.from({ length: 8 }, () => scene.api.place(scene.frame)))
  expect(later.map(({ status }) => status)).toEqual(Array(8).fill('accepted'))
})

test('a repeat with the same idempotency key gets the earlier answer, also after the partner is up again', async () => {
  await bringDown()
  const request = { ...aBet(), idempotencyKey: 'a-key-of-the-user' }
  const declined = await scene.api.place(scene.frame, request)
  for (const operation of ['place', 'rollback'] as const) scene.wallet.always(operation, {})
  await scene.time.advance(60_000)
  const calls = scene.wallet.of('place').length
  expect(await scene.api.place(scene.frame, request)).toEqual(declined)
  expect(scene.wallet.of('place')).toHaveLength(calls)
})

test('a result that probes takes the turn of a bet', async () => {
  scene.wallet.always('place', {})
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.always('place', reset)
  await bringDown()
  const answer = signal()
  scene.wallet.next('settle', { hold: answer.given })
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.advance(500)
  await scene.wallet.seen('settle', 1)
  await scene.time.advance(2_000)
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'declined', reason: 'partner unavailable' })
  answer.give()
  await scene.time.settle()
  scene.wallet.always('place', {})
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'accepted' })
})

test('a bet that sends no call is no probe, so the next bet is', async () => {
  scene.wallet.always('place', {})
  const known = { ...aBet(), idempotencyKey: 'known-already' }
  const placed = await scene.api.place(scene.frame, known)
  scene.wallet.always('place', reset)
  const onEnded = aBet()
  await scene.api.event(String(onEnded.selections[0]?.eventId), { status: 'ended' })
  await bringDown()
  await scene.time.advance(500)
  const calls = scene.wallet.of('place').length
  expect(await scene.api.place(scene.frame, onEnded)).toMatchObject({ status: 'declined', reason: 'event ended' })
  expect(await scene.api.place(scene.frame, known)).toEqual(placed)
  expect(scene.wallet.of('place')).toHaveLength(calls)
  expect(await scene.api.place(scene.frame)).toMatchObject({ status: 'cancelled' })
  expect(scene.wallet.of('place')).toHaveLength(calls + 1)
})
