/**
 * The SQL statements of the deliverer use the indexes of the queue, of ids and of bets. This holds
 * even with statistics from a time without pending deliveries.
 */
import { expect, test } from 'vitest'
import { hotSettingsSql, type Tx } from '../../src/core/database/db.ts'
import { claimDue, readNextDue } from '../../src/platform/delivery/delivery-claim.ts'
import { readHeldClaims, releaseClaims } from '../../src/platform/recovery/lease-watch.ts'
import { finishCalls } from '../../src/platform/store/attempt-outcome-store.ts'
import { readPendingResults } from '../../src/platform/store/event-store.ts'
import {
  type AttemptRecord,
  type AttemptResult,
  promoteNext,
  readUnfinished,
  recordAttemptResults,
} from '../../src/platform/store/outbox.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { planOf, sentBy } from '../support/plans.ts'

const MANY = 20_000
const fill = (status: string) =>
  `with d as (
     insert into platform.delivery (bet_id, number, partner_id, operation, request_id, status, decided_at, due_at)
     select gen_random_uuid(), 2, 'a-partner', 'settle', gen_random_uuid(), '${status}', now(), now() from generate_series(1, ${MANY})
     returning delivery_id)
   insert into platform.message (delivery_id, body) select delivery_id, '{}' from d`

const now = new Date()
const betId = '6f1c3a52-0c9e-4c5c-8f62-0e2f2a0a2b11'
const unsaid = { code: null, error: null }
const result: AttemptResult = {
  ...unsaid,
  deliveryId: 1n,
  attempt: 1,
  status: 'done',
  firstAttemptAt: now,
  dueAt: null,
  isOwed: false,
}
const attempt: AttemptRecord = {
  ...unsaid,
  deliveryId: 1n,
  number: 1,
  startedAt: now,
  durationMs: 1,
  status: 200,
  outcome: 'accepted',
  body: 'yes',
}

const held = {
  delivery_id: 1n,
  bet_id: betId,
  operation: 'settle',
  attempts: 1,
  attempts_before: 0,
  first_attempt_at: now,
} as const
const lane = { partnerId: 'a-partner', lane: 'results', free: 10 } as const

const filled = filledDatabase(
  "insert into platform.partner values ('a-partner', 'http://127.0.0.1:1', json_build_array('a-secret'), now())",
  fill('done'),
  'vacuum analyze',
  fill('pending'),
)

const QUEUE = 'delivery_due'
/** A claim reads this number of rows at the front of a queue. */
const AT_THE_FRONT = 2_000
const statements: [string, (tx: Tx) => Promise<unknown>, string[]][] = [
  ['a claim', (tx) => claimDue(tx, [lane], now), [QUEUE, 'delivery_pkey', 'message_pkey']],
  ['what is due next', (tx) => readNextDue(tx), ['partner_pkey', QUEUE]],
  ['the claims that are held', (tx) => readHeldClaims(tx), ['delivery_placing', 'partner_pkey', QUEUE]],
  ['the end of a claim', (tx) => releaseClaims(tx, [held], now, 0), ['delivery_pkey']],
  [
    'what came back',
    (tx) => finishCalls(tx, [{ betId, attempt, result }], now),
    ['bet_pkey', 'delivery_pkey', 'bet_pkey'],
  ],
  ['what came of a Place bet', (tx) => recordAttemptResults(tx, [result], now), ['delivery_pkey']],
  ['the next of a bet', (tx) => promoteNext(tx, [{ bet_id: betId, number: 1 }], now), ['delivery_bet_id_number_key']],
  ['results that are pending', (tx) => readPendingResults(tx), ['event_results_pending']],
  ['what of a bet is not over', (tx) => readUnfinished(tx, [betId]), ['delivery_bet_id_number_key']],
]
test.each(statements)('the query plan of the queue uses its index: %s', async (_what, work, expected) => {
  const [sent] = await sentBy(({ query }) => work({ query, execute: query } as unknown as Tx))
  await filled.sql.query('begin')
  const plan = await planOf(filled.sql, hotSettingsSql('session'), sent!)
  await filled.sql.query('rollback')
  expect(new Set(plan.scans.filter((index) => expected.includes(index)))).toEqual(new Set(expected))
  expect(plan.scans, 'of all that are pending').not.toContain('delivery_not_done')
  expect(plan.rows).toBeLessThan(AT_THE_FRONT + 100)
})
