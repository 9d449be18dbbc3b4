/**
 * The export of a player's data reads it in pages, so no statement returns more rows than a page
 * (O-9).
 */

import { systemClock } from '@purser/runtime/clock'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openDb } from '../../src/core/database/database-factory.ts'
import { readRecordedScales } from '../../src/core/database/schema/currency-scales.ts'
import { MAX_LIMIT } from '../../src/core/http/api/pagination.ts'
import { exportPlayer } from '../../src/wallet/operator-api/players/player-export.ts'
import { startWallet } from '../support/wallet.ts'

test('the export of a player reads a thousand sessions page by page, each once', async () => {
  const wallet = await startWallet({ env: { PURSER_BUCKETS: '1' } })
  await wallet.operator.createPlayer({ userId: 'many-sessions', currency: 'EUR' })
  const sql = new pg.Client({ connectionString: wallet.databaseUrl })
  await sql.connect()
  await sql.query(
    `insert into purser.session (bucket, token_hash, player, currency, created_at, expires_at)
     select 0, 'hash-' || i, 'many-sessions', 'EUR', now() - (i / 700) * interval '1 second', now() from generate_series(1, 1234) i`,
  )
  const db = await openDb({ kind: 'postgres', url: wallet.databaseUrl })
  const read: number[] = []
  const people: typeof db.userQueries = {
    query: async (...asked) => {
      const rows = await db.userQueries.query(...asked)
      read.push(rows.length)
      return rows as never
    },
  }
  const found = new Set<unknown>()
  const deps = { db: { ...db, people }, clock: systemClock, buckets: 1, scales: await readRecordedScales(db, 'wallet') }
  for await (const { kind, session } of exportPlayer(deps, 'many-sessions'))
    if (kind === 'session') found.add((session as { sessionId: string }).sessionId)
  expect(found.size).toBe(1234)
  expect(Math.max(...read)).toBeLessThanOrEqual(MAX_LIMIT + 1)
  await Promise.all([db.close(), sql.end()])
  await wallet.stop()
})
