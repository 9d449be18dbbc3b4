/**
 * Retention of the journal in days (W-30).
 *
 * A table stores the number of days, and only the owner of the tables can change it. So the role of
 * a server cannot shorten the evidence. The function `rotate_journal` drops old days with the
 * owner's rights.
 */

import type { Logger } from '@purser/runtime/logger'
import { type Db, type Row, statement } from '../database/db.ts'

export type JournalSchema = 'purser' | 'gateway'

interface Retention extends Row {
  /** Null: not yet set, so no day is dropped. */
  readonly days: number | null
  readonly may_change: boolean
}

const READ = statement(
  'read_journal_retention',
  `select days, (select pg_has_role(relowner, 'usage') from pg_catalog.pg_class where oid = 'purser.journal_retention'::regclass) as may_change
   from purser.journal_retention where schema = $1::text`,
)
const CHANGE = statement(
  'change_journal_retention',
  'update purser.journal_retention set days = $2::int where schema = $1::text and days is distinct from $2::int',
)
const FIRST = statement(
  'begin_journal_retention',
  'update purser.journal_retention set days = $2::int where schema = $1::text and days is null',
)
const ROTATE = {
  purser: statement('purser_rotate_journal', 'select purser.rotate_journal()'),
  gateway: statement('gateway_rotate_journal', 'select gateway.rotate_journal()'),
}
const PREPARE = {
  purser: statement('purser_prepare_journal', 'select purser.prepare_journal()'),
  gateway: statement('gateway_prepare_journal', 'select gateway.prepare_journal()'),
}

const EVERY_DAY = 36_500
const DIFFERS =
  'the database has another number of days for the journal than PURSER_JOURNAL_DAYS; run purser migrate with this setting, as the owner of the tables'

export interface JournalRotationDeps {
  readonly db: Pick<Db, 'transaction'>
  readonly log: Logger
  readonly schema: JournalSchema
  readonly days: number
}

/**
 * Creates the partitions of today and its neighbour days by the database's clock. Drops days that
 * are older than both the stored number and this server's setting. Returns the number of stored
 * days.
 */
export async function rotateJournal({ db, log, schema, days }: JournalRotationDeps): Promise<number> {
  const keptDays = await db.transaction(async (tx) => {
    const [row] = await tx.query<Retention>(READ, [schema])
    const set = row?.days ?? EVERY_DAY
    if (row?.may_change) await tx.query(CHANGE, [schema, days])
    const wouldDropDays = !row?.may_change && set > 0 && set < days
    await tx.query(wouldDropDays ? PREPARE[schema] : ROTATE[schema], [])
    return row?.may_change ? days : set
  })
  if (keptDays !== days) log.warn({ days, kept: keptDays === EVERY_DAY ? 'all' : keptDays }, DIFFERS)
  return keptDays
}

/** For the owner of the tables. An existing number is replaced only if `isGiven`. */
export async function saveJournalRetention(
  db: Pick<Db, 'transaction'>,
  days: number,
  { isGiven }: { readonly isGiven: boolean },
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const schema of ['purser', 'gateway'] as const) await tx.query(isGiven ? CHANGE : FIRST, [schema, days])
  })
}
