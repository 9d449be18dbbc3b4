/**
 * On a busy machine, a call may start late after a process has claimed it. Either its schedule
 * starts with the call, or the call is not made.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startPlatform, type TestPlatform } from '../support/platform.ts'
import { status } from '../support/scripted-wallet.ts'

/** Milliseconds between a claim and its call. */
const CLAIM_TAKES_MS = 400
/**
 * Milliseconds between a bet's intent and its call. After 2.5 s the call might outlast its lease.
 */
const LATE_MS = 2_700

const BEGUN = 'select from platform.delivery where partner_id = $1'

let platform: TestPlatform
beforeAll(async () => {
  platform = await startPlatform()
})
afterAll(() => platform.stop())

test('the gap after the first attempt of a rollback starts with its call, not with its claim (C-4)', async () => {
  const { wallet, partnerId } = await platform.partner()
  const frame = await platform.api.loadFrame(partnerId)
  await platform.sql(`create function platform.dawdle() returns trigger language plpgsql
    as 'begin perform pg_sleep(${CLAIM_TAKES_MS / 1_000}); return null; end'`)
  await platform.sql(`create trigger slow_first_claim after update on platform.delivery for each row
    when (new.operation = 'rollback' and old.attempts = 0 and new.attempts = 1) execute function platform.dawdle()`)
  wallet.next('place', status(500))
  wallet.next('rollback', status(500))
  const { betId } = await platform.api.place(frame)
  await wallet.seen('rollback', 2)
  await platform.sql('drop trigger slow_first_claim on platform.delivery')
  const starts = async () => {
    const [, rollback] = (await platform.api.bet(betId)).deliveries
    return rollback?.attemptList.map(({ startedAt }) => Date.parse(startedAt)) ?? []
  }
  // the partner receives the call before it is recorded
  await expect.poll(async () => (await starts()).length).toBe(2)
  const [one, two] = await starts()
  expect((two ?? 0) - (one ?? 0)).toBeGreaterThanOrEqual(699)
})

test('a Place bet whose call would start too late is not sent, so that it cannot arrive after its rollback (C-1)', async () => {
  const { wallet, partnerId } = await platform.partner()
  const frame = await platform.api.loadFrame(partnerId)
  // it must read the partner before the lock
  const other = await startPlatform({ databaseUrl: platform.databaseUrl })
  onTestFinished(() => other.stop())
  await platform.sql('begin')
  await platform.sql('lock table platform.partner in access exclusive mode')
  const placing = other.api.place(frame)
  while ((await platform.sql(BEGUN, [partnerId])).length === 0) await sleep(5)
  await sleep(LATE_MS)
  await platform.sql('rollback')
  const { betId, status: placed, reason } = await placing
  await wallet.seen('rollback', 1)
  expect([placed, reason]).toEqual(['cancelled', 'rollback 52'])
  expect(wallet.of('place', betId)).toEqual([])
  const [place] = (await platform.api.bet(betId)).deliveries
  expect(place).toMatchObject({ status: 'unknown', error: 'network: no time was left for the call' })
})
