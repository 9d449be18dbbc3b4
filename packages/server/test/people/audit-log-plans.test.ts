/**
 * Entries that do not match a query of the audit log add nothing to its cost. The test reads query
 * plans over 100,000 entries.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { listAuditLog } from '../../src/core/auth/audit-log/audit-log-list.ts'
import { USER_QUERY_SETTINGS_SQL } from '../../src/core/database/db.ts'
import { filledDatabase } from '../support/filled-database.ts'
import { planOf, sentBy } from '../support/plans.ts'

/** Rows that a page of 10 may read. */
const FEW = 20

/**
 * Alice's entries are the oldest, and a fifth of the table, so a scan from the newest row finds
 * them last.
 */
const filled = filledDatabase(
  `insert into purser.action (subject, at, request_id, operation, ids, key_name, key_hash, before, after)
     select case when i <= 20000 then 'alice' else 'player-' || i % 20 end, timestamptz '2031-01-01Z' + i * interval '1 minute',
       'request-' || i, case i % 1000 when 0 then 'changePlayer' when 1 then 'openPersonalData' else 'deposit' end, '{}', 'KEY', 'hash', '{}', '{}' from generate_series(1, 100000) i`,
)

const range = { from: '2031-01-10T00:00:00Z', to: '2031-01-11T00:00:00Z' }
const after = Buffer.from(JSON.stringify(['2031-01-06T00:00:00.000Z', 'request-7200'])).toString('base64url')
const asked: [string, object][] = [
  ['the newest actions', {}],
  ['the actions of a day', range],
  ['a late page', { after }],
  ['a late page of a range', { ...range, after }],
]

describe.each(['before the table of actions is analysed,', 'after the table of actions is analysed,'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'after') await filled.sql.query('analyze')
  })

  describe.each([
    ['of all actions', undefined, 'action_by_time'],
    ['of one subject', 'alice', 'action_pkey'],
    ['of a subject without actions', 'nobody', 'action_pkey'],
    [
      'of the decisions about a player whose money moved a thousand times as often',
      'alice',
      'action_history',
      'history',
    ],
    ['of the people who opened the personal data of a player', 'alice', 'action_openings', 'openings'],
  ] as const)('the log %s', (_whose, subject, index, only?: 'history' | 'openings') => {
    test.each(asked)('reads %s through one index and few rows', async (_name, query) => {
      const [sent] = await sentBy((reading) =>
        listAuditLog(reading, 'purser', { limit: '10', ...query }, subject, only),
      )
      const { scans, rows } = await planOf(filled.sql, USER_QUERY_SETTINGS_SQL, sent as NonNullable<typeof sent>)
      expect(scans).toEqual([index])
      expect(rows).toBeLessThan(FEW)
    })
  })
})
