/**
 * Audit check for tables that are empty although rows of other tables refer to them.
 *
 * pg_restore copies one table after another, so a restore that stopped leaves the last ones empty.
 * Tables of money are not listed, because their own checks compare each row.
 */

import { isPermissionDenied } from '../database-errors.ts'
import { type Db, type Row, statement } from '../db.ts'
import type { Finding } from '../invariant-checks.ts'

export const EMPTY_TABLE_CHECK = 'no table is empty to which the rows of another one lead'

/**
 * A table, another table, and the query for rows of the other table that refer to the first one.
 */
const DEPENDENT_TABLES: readonly (readonly [table: string, other: string, rows: string])[] = [
  ['purser.player', 'purser.account', 'select from purser.account'],
  ['purser.currency', 'purser.account', 'select from purser.account'],
  ['purser.setting', 'purser.account', 'select from purser.account'],
  ['purser.bet_details', 'purser.bet', 'select from purser.bet where stake is not null and archived_to_player is null'],
  ['purser.feed_counter', 'purser.migration', 'select from purser.migration'],
  ['platform.feed_counter', 'purser.migration', 'select from purser.migration'],
  ['platform.partner', 'platform.bet', 'select from platform.bet'],
  ['platform.partner', 'platform.frame_session', 'select from platform.frame_session'],
  ['platform.frame_session', 'platform.bet', 'select from platform.bet'],
  ['gateway.player', 'gateway.session', 'select from gateway.session'],
  ['gateway.operator', 'gateway.player', 'select from gateway.player'],
]

/** A feed without its counter cannot be checked. */
export function isFeedCountMissing({ row }: Finding): boolean {
  return row.empty?.endsWith('.feed_counter') === true
}

const SCHEMAS = ['purser', 'platform', 'gateway'] as const

const FIND_EMPTY_TABLES = SCHEMAS.map((schema) =>
  statement(
    `empty_tables_of_${schema}`,
    DEPENDENT_TABLES.filter(([table]) => table.startsWith(`${schema}.`))
      .map(
        ([table, other, rows]) =>
          `select '${table}' as empty, '${other}' as has_rows where not exists (select from ${table}) and exists (${rows})`,
      )
      .join('\nunion all\n'),
  ),
)

interface EmptyTableRow extends Row {
  readonly empty: string
  readonly has_rows: string
}

/** Schemas that the role may not read are skipped, as in the other checks of an audit. */
export async function findEmptyTables(db: Pick<Db, 'snapshot'>): Promise<Finding[]> {
  const found = await Promise.all(
    FIND_EMPTY_TABLES.map((query) => emptyIfDenied(db.snapshot((tx) => tx.query<EmptyTableRow>(query)))),
  )
  return found
    .flat()
    .map(({ empty, has_rows: other }) => ({ check: EMPTY_TABLE_CHECK, row: { empty, has_rows: other } }))
}

/** Resolves to no rows where the role may not read. */
export function emptyIfDenied<T>(rows: Promise<T[]>): Promise<T[]> {
  return rows.catch((error: unknown) => {
    if (isPermissionDenied(error)) return []
    throw error
  })
}
