/**
 * A process regularly deletes token and profile of frame sessions that are older than a day (C-17).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Logger } from '@purser/runtime/logger'
import { expect, test } from 'vitest'
import type { Db } from '../../src/core/database/db.ts'
import { createFrameSessionExpiry } from '../../src/platform/bets/frame-session-expiry.ts'

const SCAN_INTERVAL_MS = 600_000
const NOW = new Date('2031-05-16T12:00:00.000Z')

/** The database fails, so that each scan is one transaction and one log line. */
function startExpiry() {
  const scans: string[] = []
  const refuse = async () => {
    throw new Error('the database is down')
  }
  const db = { transaction: refuse, query: refuse } as unknown as Db
  const log = { error: (_fields: object, text: string) => void scans.push(text) } as unknown as Logger
  return { scans, ...createFrameSessionExpiry({ db, clock: { now: () => NOW }, log }) }
}

test('a process scans for old frame sessions every ten minutes, and continues after a scan that failed', async () => {
  const { scans, expireIfDue, stop } = startExpiry()
  for (const now of [0, 1, SCAN_INTERVAL_MS - 1]) expireIfDue(now)
  while (scans.length === 0) await nextTurn()
  for (let turn = 0; turn < 20; turn++) await nextTurn()
  expect(scans).toEqual(['old frame sessions could not be deleted'])
  expireIfDue(SCAN_INTERVAL_MS)
  while (scans.length === 1) await nextTurn()
  expireIfDue(2 * SCAN_INTERVAL_MS - 1)
  await stop()
  expect(scans).toHaveLength(2)
})

test('a process that stops starts no other scan for old frame sessions', async () => {
  const { scans, expireIfDue, stop } = startExpiry()
  await stop()
  expireIfDue(0)
  await stop()
  expect(scans).toEqual([])
})
