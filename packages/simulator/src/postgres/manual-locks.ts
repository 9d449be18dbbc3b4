/**
 * A simulated operator with a direct session in the wallets' database, who locks players in any
 * order for some time.
 */

import { sleep } from '@purser/runtime/async/sleep'
import pg from 'pg'
import type { LocksHarness } from './locks-harness.ts'

export interface ManualLocks {
  readonly players: readonly number[]
  /** The pause after each lock. */
  readonly pausesMs: readonly number[]
}

const QUERY_TIMEOUT_MS = 8_000

/** `meanwhile` runs after the first lock. */
export async function lockManually(
  harness: LocksHarness,
  { players, pausesMs }: ManualLocks,
  meanwhile: () => void,
): Promise<void> {
  const { proxy, trace, base } = harness
  const stream = () => proxy.newSocket('a person')
  const connection = { connectionString: base.wallet.url, query_timeout: QUERY_TIMEOUT_MS, stream }
  const client = new pg.Client(connection as pg.ClientConfig)
  client.on('error', () => {})
  const ids = players.map((number) => harness.participants.players[number]?.userId ?? '')
  trace.note(`a person locks ${ids.join(' and ')}`)
  try {
    await client.connect()
    await client.query('begin')
    for (const [i, userId] of ids.entries()) {
      await client.query(`select 1 from purser.player where player = '${userId}' for update`)
      if (i === 0) meanwhile()
      await sleep(pausesMs[i] ?? 0)
    }
    await client.query('commit')
  } catch {
    // The session ends after any error.
  }
  await client.end().catch(() => {})
}
