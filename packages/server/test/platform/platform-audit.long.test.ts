/**
 * The audit of the platform's tables finds nothing after any failure of a process or partner, and
 * finds every kind of damage (C-9).
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Statement, Tx } from '../../src/core/database/db.ts'
import { auditPlatform } from '../../src/platform/platform-audit.ts'
import { run } from '../cli/command.ts'
import { asServer } from '../support/database.ts'
import { hang, refusal, status } from '../support/scripted-wallet.ts'
import { type Scene, startScene } from './scene.ts'

const MINUTE_MS = 60_000

let scene: Scene
let settled: string
let giveBack: () => void
beforeAll(async () => {
  scene = await startScene()
  giveBack = scene.time.takeOverTimeOuts()
  settled = await liveThroughEverything()
})
afterAll(async () => {
  giveBack()
  await scene.stop()
})

async function bet(over: Record<string, unknown> = {}): Promise<string> {
  return (await scene.api.place(scene.frame, over)).betId
}

/**
 * Leaves bets in every state and owes nothing. Resolves to a bet that was settled, resettled by
 * hand and acknowledged.
 */
async function liveThroughEverything(): Promise<string> {
  const { api, wallet, time } = scene
  const [eventId, ended] = [randomUUID(), randomUUID()]
  const slip = { selections: [{ eventId, outcomeId: 'home', coefficient: '2.1' }] }
  const [first, second, third] = [await bet(slip), await bet(slip), await bet(slip)]
  wallet.next('place', refusal(7), status(500))
  for (let i = 0; i < 2; i++) await bet(slip) // declined, cancelled
  await api.event(ended, { status: 'ended' })
  await bet({ selections: [{ eventId: ended, outcomeId: 'home', coefficient: '2.1' }] })
  const cashOut = (betId: string) =>
    api.request('POST', `/bets/${betId}/settle`, { resultType: 'cashout', amount: '7' })
  await cashOut(third)
  await time.settle()
  wallet.next('settle', refusal(4))
  await cashOut(second) // the cashout is reversed
  await time.settle()
  wallet.next('settle', refusal(1), hang, status(500))
  wallet.next('rollback', status(500), refusal(8))
  await api.results(eventId, { home: 'won' })
  await api.results(eventId, {})
  await api.results(eventId, { home: 'refund' })
  await api.settle(first, 'won', '20.00')
  await api.cancel(await bet(), 50)
  await time.advance(5 * MINUTE_MS)
  await bet()
  return first
}

/** Uses the test's connection, so that the audit sees uncommitted changes. */
async function findings(): Promise<string[]> {
  const { sql } = scene.platform
  const tx = { query: ({ text }: Statement, values?: readonly unknown[]) => sql(text, [...(values ?? [])]) }
  const found = await auditPlatform({ snapshot: (work) => work(tx as unknown as Tx) })
  return [...new Set(found?.map(({ check }) => check))]
}

test('the audit finds nothing after lives with every kind of fault', async () => {
  const states = await scene.platform.sql('select distinct status from platform.bet order by status')
  expect(states.map((row) => row.status)).toEqual(['accepted', 'cancelled', 'declined', 'settled'])
  expect(await findings()).toEqual([])
})

const LAST = 'bet_id = :bet and number = (select max(number) from platform.delivery where bet_id = :bet)'
const PENDING = `update platform.delivery set status = 'pending' where ${LAST}`
const OF_LAST = `where delivery_id = (select delivery_id from platform.delivery where ${LAST})`

/**
 * Damage by SQL, and the check that detects it; the transaction is rolled back. `:bet` is the
 * settled bet, `:event` its event.
 */
const DAMAGE: [string, string, string][] = [
  [
    'a payout that was never decided',
    'update platform.bet set payout = payout + 1 where bet_id = :bet',
    'each decision of the platform',
  ],
  [
    'a payout that was never told',
    'update platform.bet set acknowledged_payout = acknowledged_payout + 1 where bet_id = :bet',
    'recorded state of the partner',
  ],
  [
    'a told payout lost from the sums',
    'update platform.bet set acknowledged_payout = 0 where bet_id = :bet',
    'recorded payouts of a partner',
  ],
  [
    'a bet that forgot its result',
    "update platform.bet set status = 'accepted', payout = null, result_type = null where bet_id = :bet",
    'has the last decision',
  ],
  ['a delivery that is gone', 'delete from platform.delivery where bet_id = :bet and number = 2', 'without gaps'],
  ['all deliveries gone', 'delete from platform.delivery where bet_id = :bet', 'without gaps'],
  ['a bet that is gone', 'delete from platform.bet where bet_id = :bet', 'without gaps'],
  [
    'a delivery that waits for nothing',
    "update platform.delivery set status = 'waiting' where bet_id = :bet and number = 3",
    'waits only for an earlier open delivery',
  ],
  [
    'two deliveries at once',
    "update platform.delivery set status = 'pending', due_at = 'infinity' where bet_id = :bet and number in (2, 3)",
    'waits only for an earlier open delivery',
  ],
  ['a delivery without its text', `${PENDING}; delete from platform.message ${OF_LAST}`, 'has its message'],
  [
    'a delivery marked for a person that needs none',
    'update platform.delivery set owed_since = now() where bet_id = :bet and number = 2',
    'exactly the deliveries that need attention',
  ],
  [
    'a stuck delivery that no list shows',
    "update platform.delivery set status = 'stuck', owed_since = null where bet_id = :bet and number = (select max(number) from platform.delivery where bet_id = :bet)",
    'exactly the deliveries that need attention',
  ],
  ['a selection that is gone', 'delete from platform.selection where bet_id = :bet', 'selections of a bet'],
  [
    'a stake more on an outcome',
    'update platform.outcome_total set stake = stake + 1 where event_id = :event',
    'totals on an outcome',
  ],
  [
    'a win less on an outcome',
    'update platform.outcome_total set win = win - 1 where event_id = :event',
    'totals on an outcome',
  ],
  ['a total that is gone', 'delete from platform.outcome_total where event_id = :event', 'totals on an outcome'],
  [
    'a total of an outcome without bets',
    "insert into platform.outcome_total values ('nobody''s', 'home', 'EUR', 1, 1)",
    'totals on an outcome',
  ],
  [
    'a bet more on an event',
    'update platform.event_total set bets = bets + 1 where event_id = :event',
    'number of bets',
  ],
  ['the number of bets on an event gone', 'delete from platform.event_total where event_id = :event', 'number of bets'],
  ['a scale that is gone', 'delete from platform.currency', 'scale of its currency'],
  [
    'a settle that was refused for good',
    "update platform.delivery set status = 'refused', code = 20 where bet_id = :bet and number = (select max(number) from platform.delivery where bet_id = :bet)",
    'recorded state of the partner',
  ],
]
test.each(DAMAGE)('the audit finds %s', async (_what, sql, check) => {
  await scene.platform.sql('begin')
  const event = `(select event_id from platform.selection where bet_id = '${settled}')`
  await scene.platform.sql(sql.replaceAll(':bet', `'${settled}'`).replaceAll(':event', event))
  const found = await findings()
  await scene.platform.sql('rollback')
  expect(found.filter((name) => name.includes(check))).toHaveLength(1)
})

test('the audit command checks the platform too, unless its role lacks the rights', async () => {
  await scene.platform.sql('update platform.bet set payout = payout + 1, changed_at = now() where bet_id = $1', [
    settled,
  ])
  const { code, stdout } = await run(['audit', '--json'], { DATABASE_URL: scene.platform.databaseUrl })
  expect(code).toBe(1)
  const { findings: found } = JSON.parse(stdout)
  expect(found[0]).toMatchObject({ row: { bet_id: settled, payout: '2001', acknowledged_payout: '2000' } })
  const wallets = await run(['audit'], { DATABASE_URL: asServer('wallet', scene.platform.databaseUrl) })
  expect(wallets).toMatchObject({ code: 0, stdout: 'audit: no findings\n' })
})
