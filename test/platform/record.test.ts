/** The fence in what is recorded of a call: a claim that somebody else has taken over since changes nothing any more (C-6, outbox.ts). */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/db.ts'
import { openDb } from '../../src/db/open.ts'
import { type Claim, claimDue, LEASE_MS } from '../../src/platform/claim.ts'
import { record } from '../../src/platform/record.ts'
import { STANDARD_SCALES } from '../../src/protocol/money.ts'
import { type Answer, notCalled } from '../../src/wallet-client/wallet-client.ts'
import { status } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

let scene: Scene
let db: Db
beforeAll(async () => {
  scene = await startScene()
  db = await openDb({ kind: 'postgres', url: scene.platform.databaseUrl })
})
afterAll(async () => {
  await db.close()
  await scene.stop()
})

const ANSWERS: [string, Answer['outcome']][] = [
  ['that nothing came back', notCalled('the connection broke').outcome],
  ['a refusal', { kind: 'refused', code: 9, message: 'no' }],
  ['a yes', { kind: 'accepted', reply: {} }],
]

/** A bet whose result waits for its next attempt. The deliverer sleeps: time stands still. */
async function waitingSettle(): Promise<string> {
  const { betId } = await scene.api.place(scene.frame)
  scene.wallet.next('settle', status(500))
  await scene.api.settle(betId, 'won', '25.00')
  await scene.time.settle()
  return betId
}

/** What a process claims that looks so many milliseconds from now. */
async function claim(laterMs: number): Promise<Claim> {
  const at = new Date(scene.time.now().getTime() + laterMs)
  const lane = { partnerId: scene.partnerId, lane: 'results', free: 1 } as const
  const [claimed] = await db.transaction((tx) => claimDue(tx, [lane], at))
  if (claimed === undefined) throw new Error('nothing was due')
  return claimed
}

function recordAnswer(claim: Claim, outcome: Answer['outcome']) {
  const answer: Answer = { outcome, status: outcome.kind === 'refused' ? 400 : 200, body: '', durationMs: 1 }
  const deps = { db, clock: scene.time, scales: STANDARD_SCALES, random: () => 0 }
  return db.transaction((tx) => record(deps, tx, [{ claim, answer, startedAt: scene.time.now() }]))
}

const DELIVERY = `select status, attempts, due_at, code, error, finished_at from platform.delivery where delivery_id = $1`
const deliveryOf = async ({ delivery_id }: Claim) => (await scene.platform.sql(DELIVERY, [delivery_id]))[0]

test.each(ANSWERS)('an attempt that records %s after its lease leaves the next attempt alone', async (_what, late) => {
  const betId = await waitingSettle()
  const frozen = await claim(LEASE_MS)
  const successor = await claim(3 * LEASE_MS)
  expect([successor.delivery_id, successor.attempts]).toEqual([frozen.delivery_id, frozen.attempts + 1])
  const before = await deliveryOf(frozen)
  expect(await recordAnswer(frozen, late)).toEqual({ over: [], busy: [] })
  expect(await deliveryOf(frozen)).toEqual(before)
  const { over } = await recordAnswer(successor, { kind: 'accepted', reply: {} })
  expect(over.map(({ status }) => status)).toEqual(['done'])
  expect((await scene.api.bet(betId)).deliveries[1]?.status).toBe('done')
})
