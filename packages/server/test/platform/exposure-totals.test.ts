/**
 * The running totals for the limits with reasons 110 to 112 (C-3) equal the sums of the bets. A
 * placement costs the same on an event with many bets.
 */
import { randomUUID } from 'node:crypto'
import type { WalletAnswer } from '@purser/protocol/client/wallet-client'
import { STANDARD_SCALES } from '@purser/protocol/values/money'
import { afterEach, expect, test } from 'vitest'
import { type Db, statement, type Tx } from '../../src/core/database/db.ts'
import { decidePlacements } from '../../src/platform/placement/placement-decision.ts'
import { commitIntents } from '../../src/platform/placement/placement-intent.ts'
import { auditPlatform } from '../../src/platform/platform-audit.ts'
import type { PlatformBet } from '../../src/platform/store/platform-bet.ts'
import { readPlatformBets } from '../../src/platform/store/platform-bet-store.ts'
import { ANY_ACTOR } from '../support/any-actor.ts'
import { manyLike } from './many-bets.ts'
import { type Scene, sceneWithDb } from './scene.ts'

const MANY = 3_000
const SUMS = {
  eventMaxBets: 1_000_000,
  currencies: { EUR: { outcomeMaxStake: '999999999', outcomeMaxWin: '999999999' } },
}

let scene: Scene
let db: Db
sceneWithDb((...begun) => {
  ;[scene, db] = begun
})
afterEach(() => scene.api.limits({}))

const onHome = (eventId: string) => ({ selections: [{ eventId, outcomeId: 'home', coefficient: '2.5' }] })

const ROWS_READ = statement(
  'rows_read',
  "select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables where schemaname = 'platform'",
)

/** Rows of the platform's tables that the transactions of `work` read. */
async function rowsReadBy(work: (db: Db) => Promise<unknown>): Promise<number> {
  let rows = 0
  const read = async (tx: Tx) => Number((await tx.query(ROWS_READ))[0]?.rows)
  const transaction: Db['transaction'] = (inside) =>
    db.transaction(async (tx) => {
      const before = await read(tx)
      const result = await inside({ ...tx, finish: (send) => send() })
      rows += (await read(tx)) - before
      return result
    })
  await work({ ...db, transaction })
  return rows
}

const YES: WalletAnswer = { outcome: { kind: 'accepted', reply: {} }, status: 200, body: '', durationMs: 1 }

/** Opens and accepts a copy of this bet. */
async function placeLike(bet: PlatformBet, counting: Db, eventId: string): Promise<void> {
  const deps = { db: counting, clock: scene.time, scales: STANDARD_SCALES }
  const again = { ...bet, betId: randomUUID(), status: 'placing', deliveries: 1 } as const
  const selections = [{ eventId, outcomeId: 'home', odds: bet.odds, details: {} }]
  const submission = { frameSessionId: scene.frame, idempotencyKey: null, requestHash: '' }
  const extras = { subPartnerId: null, bonusAmount: null }
  const intent = { bet: again, selections, extras, submission, author: ANY_ACTOR }
  const [opened] = await counting.transaction((tx) => commitIntents(deps, tx, [intent]))
  if (opened?.kind !== 'placing') throw new Error('it was not opened')
  const answered = { placing: opened.placing, answer: YES, startedAt: scene.time.now() }
  const [placed] = await counting.transaction((tx) => decidePlacements(deps, tx, [answered], 'leave'))
  expect(placed).toMatchObject({ status: 'accepted' })
}

test(`a placement reads as many rows on an event with ${MANY} bets as on one with a single bet`, async () => {
  await scene.api.limits(SUMS)
  const [quiet, busy] = [randomUUID(), randomUUID()]
  const { betId } = await scene.api.place(scene.frame, onHome(quiet))
  const { betId: copied } = await scene.api.place(scene.frame, onHome(busy))
  await manyLike(scene.platform, copied, MANY)
  const [bet] = await readPlatformBets(db, [betId])
  if (bet === undefined) throw new Error('no bet')
  const few = await rowsReadBy((counting) => placeLike(bet, counting, quiet))
  const many = await rowsReadBy((counting) => placeLike(bet, counting, busy))
  expect(few).toBeGreaterThan(0)
  expect(many).toBe(few)
})

test('the totals of an event count its accepted and settled bets once, in each currency and with the booster', async () => {
  const { api, platform, wallet, partnerId } = scene
  const eventId = randomUUID()
  const express = { selections: [...onHome(eventId).selections, ...onHome(randomUUID()).selections] }
  const { betId } = await api.place(scene.frame, { ...express, boosterCoefficient: '1.000001', amount: '0.07' })
  await api.settle(betId, 'won', '1')
  await api.cancel((await api.place(scene.frame, onHome(eventId))).betId, 50)
  wallet.profile = { currency: 'USD', currencies: ['USD'] }
  await api.place(await api.loadFrame(partnerId), { ...onHome(eventId), amount: '3' })
  wallet.profile = {}
  await scene.time.settle()
  const totals = await platform.sql(
    `select t.*, e.bets from platform.outcome_total t join platform.event_total e using (event_id)
     where event_id = $1 order by currency`,
    [eventId],
  )
  expect(totals.map(({ currency, stake, win, bets }) => [currency, stake, win, bets])).toEqual([
    ['EUR', '7', '43', '2'],
    ['USD', '300', '750', '2'],
  ])
  const found = await auditPlatform(db)
  expect(found?.filter(({ row }) => Object.values(row).includes(eventId))).toEqual([])
})
