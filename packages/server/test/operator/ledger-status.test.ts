/**
 * Many pages that request the status of the ledger at the same time cause only one check of the
 * ledger.
 */
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest'
import { createLedgerStatus } from '../../src/wallet/operator-api/audit/ledger-status.ts'

let elapsed: MockInstance<typeof performance.now>
beforeEach(() => {
  elapsed = vi.spyOn(performance, 'now').mockReturnValue(0)
})
afterEach(() => elapsed.mockRestore())

/** A database whose report snapshots take this long, and fail until `isBroken` is false. */
function lightOver(tookMs: number) {
  const database = { asked: 0, isBroken: true }
  const reportSnapshot = async () => {
    database.asked += 1
    elapsed.mockReturnValue(performance.now() + tookMs)
    if (database.isBroken) throw new Error('it took too long')
    return []
  }
  const clock = { now: () => new Date(0) }
  return { database, light: createLedgerStatus({ db: { reportSnapshot } as never, clock, scales: new Map() }) }
}

async function askFiveTimes(light: () => Promise<{ ok: boolean }>): Promise<string[]> {
  const answers: string[] = []
  for (let i = 0; i < 5; i++)
    answers.push(
      await light().then(
        ({ ok }) => String(ok),
        (error: Error) => error.message,
      ),
    )
  return answers
}

test.each([
  ['10 s after a short check', 100, 10_000],
  ['20 times as long as a long check took', 30_000, 600_000],
])('a failed ledger check is reported to all requests, and repeated %s', async (_name, tookMs, restMs) => {
  const { database, light } = lightOver(tookMs)
  expect(await askFiveTimes(light)).toEqual(Array(5).fill('it took too long'))
  expect(database.asked).toBe(1)
  database.isBroken = false
  elapsed.mockReturnValue(tookMs + restMs - 1)
  await expect(light()).rejects.toThrow('it took too long')
  expect(database.asked).toBe(1)
  elapsed.mockReturnValue(tookMs + restMs)
  expect(await askFiveTimes(light)).toEqual(Array(5).fill('true'))
  expect(database.asked).toBe(2)
})

test('concurrent requests for the ledger status wait for one check', async () => {
  const { database, light } = lightOver(100)
  database.isBroken = false
  const answers = await Promise.all(Array.from({ length: 5 }, () => light()))
  expect(answers.every(({ ok }) => ok)).toBe(true)
  expect(database.asked).toBe(1)
})
