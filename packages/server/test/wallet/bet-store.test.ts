/**
 * A statement that writes several bets writes no bet if any bet has changed since it was read
 * (bet-store.ts).
 */

import type { BetId, PlayerId } from '@purser/protocol/wire-ids'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STALE_ROW_SQLSTATE } from '../../src/core/database/database-errors.ts'
import { type BetRecord, readBets, saveBets } from '../../src/wallet/store/bet-store.ts'
import { type BatchScene, findingsOf, openScene, place, STARTED_AT, seat, settle } from './call-batch-scene.ts'

let scene: BatchScene
beforeAll(async () => {
  scene = await openScene()
  await seat(scene, 'ann', '100.00')
})
afterAll(async () => {
  expect(await findingsOf(scene)).toEqual([])
  await scene.close()
})

async function storedBet(betId: string): Promise<BetRecord> {
  const [record] = await readBets(scene.db, 0, [{ player: 'ann' as PlayerId, betId: betId as BetId }])
  if (record === undefined) throw new Error(`there is no bet ${betId}`)
  return record
}

function save(...records: BetRecord[]): Promise<void> {
  return scene.db.transaction((tx) => saveBets(tx, 0, records, STARTED_AT))
}

test('a bet is not written with an outdated version, and no other bet of the same statement is written either', async () => {
  await scene.apply(place('ann', 'bet-1', 10), place('ann', 'bet-2', 10))
  const [stale, beside] = [await storedBet('bet-1'), await storedBet('bet-2')]
  await scene.apply(settle('ann', 'bet-1', 'result-of-1', 30))
  const settled = await storedBet('bet-1')
  const writes = [stale, beside].map((record) => ({ ...record, calls: record.calls + 1, locked: false }))
  await expect(save(...writes)).rejects.toMatchObject({ code: STALE_ROW_SQLSTATE })
  expect([await storedBet('bet-1'), await storedBet('bet-2')]).toEqual([settled, beside])
})
