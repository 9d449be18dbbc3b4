/**
 * A process cannot record the answer to a delivery that another process has taken over (C-6,
 * outbox.ts).
 */

import { toNotCalledAnswer, type WalletAnswer } from '@purser/protocol/client/wallet-client'
import { expect, test } from 'vitest'
import type { Db } from '../../src/core/database/db.ts'
import { recordAnswers } from '../../src/platform/delivery/attempt-recorder.ts'
import { type Claim, claimByIds, claimDue } from '../../src/platform/delivery/delivery-claim.ts'
import { retryDelivery } from '../../src/platform/delivery/manual-retry.ts'
import { ROLLBACK_ATTEMPTS, ROLLBACK_WINDOW_MS } from '../../src/platform/delivery/retry-backoff.ts'
import { isReleasable, readHeldClaims, releaseClaims } from '../../src/platform/recovery/lease-watch.ts'
import { LEASE_MS, START_WITHIN_MS } from '../../src/platform/store/outbox.ts'
import { status } from '../support/scripted-wallet.ts'
import { signal } from '../support/signal.ts'
import { type Scene, sceneWithDb } from './scene.ts'

let scene: Scene
let db: Db
sceneWithDb((...begun) => {
  ;[scene, db] = begun
})

const ANSWERS: [string, WalletAnswer['outcome']][] = [
  ['that nothing came back', toNotCalledAnswer('the connection broke').outcome],
  ['a refusal', { kind: 'refused', code: 20, message: 'no' }],
  ['a yes', { kind: 'accepted', reply: {} }],
]

/** The deliverer sleeps, because the clock does not advance. */
async function waitingSettle(): Promise<string> {
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.next('settle', status(500))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  return betId
}

/** The claims of a process that scans this many milliseconds later. */
function claimsOf(lane: 'results' | 'rollbacks', laterMs: number): Promise<Claim[]> {
  const at = new Date(scene.time.now().getTime() + laterMs)
  return db.transaction((tx) => claimDue(tx, [{ partnerId: scene.partnerId, lane, free: 1 }], at))
}

/** Acts as a process that has watched all claims for a whole lease. */
async function releaseAll(laterMs = 0): Promise<void> {
  const at = new Date(scene.time.now().getTime() + laterMs)
  const held = await readHeldClaims(db)
  await db.transaction((tx) => releaseClaims(tx, held.filter(isReleasable), at, 0))
}

async function claim(laterMs: number, lane: 'results' | 'rollbacks' = 'results'): Promise<Claim> {
  const [claimed] = await claimsOf(lane, laterMs)
  if (claimed === undefined) throw new Error('nothing was due')
  return claimed
}

function recordAnswer(claim: Claim, outcome: WalletAnswer['outcome']) {
  const answer: WalletAnswer = { outcome, status: outcome.kind === 'refused' ? 400 : 200, body: '', durationMs: 1 }
  const deps = { clock: scene.time, random: () => 0, onCashoutsRefused: async () => {} }
  return db.transaction(async (tx) => {
    const { sendRemaining, ...recorded } = await recordAnswers(deps, tx, [
      { claim, answer, startedAt: scene.time.now() },
    ])
    await sendRemaining()
    return recorded
  })
}

const DELIVERY = `select status, attempts, due_at, code, error, finished_at from platform.delivery where delivery_id = $1`
const deliveryOf = async ({ delivery_id }: Claim) => (await scene.platform.sql(DELIVERY, [delivery_id]))[0]

test.each(ANSWERS)(
  'an attempt that records %s after its lease does not change the next attempt',
  async (_what, late) => {
    const betId = await waitingSettle()
    const frozen = await claim(LEASE_MS)
    expect(await claimsOf('results', 24 * 3_600_000), 'no clock makes it due').toEqual([])
    await releaseAll()
    const successor = await claim(LEASE_MS)
    expect([successor.delivery_id, successor.attempts]).toEqual([frozen.delivery_id, frozen.attempts + 1])
    const before = await deliveryOf(frozen)
    expect(await recordAnswer(frozen, late)).toEqual({ over: [], busy: [] })
    expect(await deliveryOf(frozen)).toEqual(before)
    const { over } = await recordAnswer(successor, { kind: 'accepted', reply: {} })
    expect(over.map(({ status }) => status)).toEqual(['done'])
    expect((await scene.api.bet(betId)).deliveries[1]?.status).toBe('done')
  },
)

test('an attempt is recorded once, and a second record has no effect', async () => {
  await waitingSettle()
  const claimed = await claim(LEASE_MS)
  await recordAnswer(claimed, { kind: 'refused', code: 20, message: 'no' })
  const before = await deliveryOf(claimed)
  expect(await recordAnswer(claimed, { kind: 'accepted', reply: {} })).toEqual({ over: [], busy: [] })
  expect(await deliveryOf(claimed)).toEqual(before)
})

async function waitingRollback(): Promise<void> {
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.next('rollback', status(500))
  await scene.api.cancel(betId, 50)
  await scene.time.settle()
}

test('a rollback with abandoned attempts keeps its schedule, and the tenth attempt is the last (C-4)', async () => {
  await waitingRollback()
  const due = async (claimed: Claim) => Number((await deliveryOf(claimed))?.due_at) - scene.time.now().getTime()
  const starts = [0]
  for (let at = 700, attempt = 2; attempt <= ROLLBACK_ATTEMPTS; attempt++) {
    const claimed = await claim(at, 'rollbacks')
    expect(claimed).toMatchObject({ status: 'pending', attempts: attempt })
    starts.push(at)
    await releaseAll(at + LEASE_MS)
    at = await due(claimed)
    if (attempt === ROLLBACK_ATTEMPTS)
      expect(await claim(at, 'rollbacks')).toMatchObject({ status: 'stuck', attempts: ROLLBACK_ATTEMPTS })
  }
  // A lease is longer than the first gaps. The later gaps keep half of their length, from the
  // latest time at which a claimed call may begin.
  const fifth = 700 + 3 * LEASE_MS
  const sixth = fifth + START_WITHIN_MS + 11_200 / 2
  const seventh = sixth + START_WITHIN_MS + 22_400 / 2
  const released = [700, 700 + LEASE_MS, 700 + 2 * LEASE_MS]
  expect(starts).toEqual([0, ...released, fifth, sixth, seventh, 88_900, 178_500, 357_700])
})

/** A rollback that a user has retried, after the process of the last attempt was presumed dead. */
async function sentAgain(): Promise<{ frozen: Claim; again: Claim }> {
  await waitingRollback()
  const frozen = await claim(1_000, 'rollbacks')
  await releaseAll(ROLLBACK_WINDOW_MS)
  const stuck = await claim(2 * ROLLBACK_WINDOW_MS, 'rollbacks')
  expect(stuck.status).toBe('stuck')
  const tomorrow = new Date(scene.time.now().getTime() + 86_400_000)
  expect(await retryDelivery(db, TEST_ACTOR, stuck.delivery_id, tomorrow)).toBeUndefined()
  return { frozen, again: stuck }
}
const TEST_ACTOR = { person: null, keyName: 'a test', record: async () => {} }

test.each(ANSWERS.slice(0, 2))(
  'a delivery that a user has retried is not changed by an older attempt that records %s',
  async (_what, late) => {
    const { frozen } = await sentAgain()
    const before = await deliveryOf(frozen)
    expect(before?.status).toBe('pending')
    await recordAnswer(frozen, late)
    expect(await deliveryOf(frozen)).toEqual(before)
  },
)

test('a delivery that a user has retried is done when an older attempt records an acceptance', async () => {
  const { frozen } = await sentAgain()
  await recordAnswer(frozen, { kind: 'accepted', reply: {} })
  expect(await deliveryOf(frozen)).toMatchObject({ status: 'done' })
})

test('a Place bet that waits for its answer cannot be retried, and its late answer has no effect (C-1)', async () => {
  const answer = signal()
  scene.wallet.next('place', { hold: answer.given })
  const before = scene.wallet.of('place').length
  const placing = scene.api.place(scene.frame)
  await scene.wallet.seen('place', before + 1)
  expect(await claimsOf('results', 2 * LEASE_MS)).toEqual([])
  await scene.time.advance(2 * LEASE_MS) // its lease ends, so the bet is given up
  answer.give()
  const { betId, status: placed } = await placing
  await scene.time.settle()
  expect(placed).toBe('cancelled')
  expect(scene.callsOf(betId).map(({ operation }) => operation)).toEqual(['place', 'rollback'])
  scene.wallet.faults.length = 0 // the rollback before the answer is the purpose of this test
})

test('a delivery that another process has sent and rescheduled since is not claimed before its time', async () => {
  const betId = await waitingSettle()
  const { deliveryId = '' } = (await scene.api.bet(betId)).deliveries.find(({ status }) => status === 'pending') ?? {}
  const claimAt = (laterMs: number) =>
    db.transaction((tx) => claimByIds(tx, [BigInt(deliveryId)], new Date(scene.time.now().getTime() + laterMs)))
  expect(await claimAt(0)).toEqual([])
  expect(await claimAt(1_000)).toHaveLength(1)
})
