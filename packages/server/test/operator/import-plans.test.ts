/**
 * A repeated import of players finds existing players by their keys (O-8), even if an
 * earlier, interrupted import has left Postgres without statistics for its query plans.
 */

import { money } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { expect, test } from 'vitest'
import { hotSettingsSql } from '../../src/core/database/db.ts'
import { type ImportRow, importRows } from '../../src/wallet/operator-api/players/player-importer.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { planOf, sentBy } from '../support/plans.ts'

/**
 * With this number a full scan for each player takes a second, but Postgres without statistics
 * expects it to be cheap.
 */
const MANY = 12_000
const SLICE = 500
const FILL = [
  `alter table purser.player set (autovacuum_enabled = false)`,
  `alter table purser.cash_movement set (autovacuum_enabled = false)`,
  `insert into purser.player (bucket, player, currency, currencies, is_test, limits, created_at, created_as)
   select 0, 'player-' || i, 'EUR', '{EUR}', false, '{}', now(), '{}' from generate_series(1, ${MANY}) i`,
  `insert into purser.cash_movement (bucket, player, reference, kind, currency, amount, version, balance_after)
   select 0, 'player-' || i, 'opening-EUR', 'opening', 'EUR', 100, 1, 100 from generate_series(1, ${MANY}) i`,
]

const filled = filledDatabase(...FILL)

const EUR = 'EUR' as Currency
const now = new Date()

function rowOf(number: number): ImportRow {
  const id = `player-${number}` as PlayerId
  const profile = { operatorUser: null, customFields: null, brand: null, isTest: false, createdAt: now }
  const state = { status: 'active', selfExcludedUntil: null, verified: null, birthday: null, limits: {} } as const
  const player = { id, currency: EUR, currencies: [EUR], ...profile, ...state } as unknown as ImportRow['player']
  return { line: number + 1, player, openings: [{ currency: EUR, amount: money(100n) }] }
}

test.each(['read_creations', 'read_openings'])(
  'the import statement %s reads no more players than it asks for',
  async (name) => {
    const rows = Array.from({ length: SLICE }, (_, i) => rowOf(i + 1))
    const sent = await sentBy((reading) => {
      const tx = { ...reading, execute: async () => 0 }
      const db = { transaction: (work: (of: never) => Promise<unknown>) => work(tx as never) } as never
      const failIfNew = () => {
        throw new Error('nobody is new')
      }
      return importRows({ db, buckets: 1, scales: new Map([[EUR, 2]]), now }, failIfNew, rows)
    })
    const one = sent.find(([statement]) => statement.name === name)
    const plan = await planOf(filled.sql, hotSettingsSql('session'), one as NonNullable<typeof one>)
    expect(plan.rows, JSON.stringify(plan)).toBeLessThanOrEqual(SLICE)
  },
)
