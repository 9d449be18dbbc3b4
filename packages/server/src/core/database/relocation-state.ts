/**
 * State of a relocation (`purser move`): the database that holds the wallet's tables.
 *
 * - No row: a wallet may start.
 * - Incoming, not ready: tables are being copied here, and no wallet may start. `purser move` makes
 *   it ready or deletes the row.
 * - Incoming, ready: a wallet may start.
 * - Moved away: no wallet may start before `purser move --reopen`.
 *
 * Invariant: a database that was moved away accepts no write, even from a running wallet. Tables of
 * money and bets have a constraint that no row satisfies, so Postgres itself refuses the write.
 */
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { MOVED_AWAY_CONSTRAINT } from './database-errors.ts'
import { type Db, type Queryable, type Statement, statement } from './db.ts'

/** Rows of purser.setting that describe a move. */
const MOVED_TO_SETTING = 'moved'
const INCOMING_MOVE_SETTING = 'move'
/** Rows of purser.setting that a move does not copy. */
export const DATABASE_OWN_SETTINGS = ['buckets', INCOMING_MOVE_SETTING, MOVED_TO_SETTING] as const

/** Stored in the database that was moved away. */
export interface MovedTo {
  /** Id of the move. */
  readonly id: string
  /** Address of the new database, without user and password. */
  readonly to: string
  readonly at: string
}

/** Stored in the database that receives the tables. */
export interface IncomingMove {
  readonly id: string
  /** Id of the source database. */
  readonly from: string
  readonly isReady: boolean
}

const READ_RELOCATION_STATE = statement(
  'read_moved',
  'select name, value from purser.setting where name = any($1::text[])',
)
const WRITE_RELOCATION_STATE = statement(
  'write_moved',
  'insert into purser.setting (name, value) values ($1::text, $2::text) on conflict (name) do update set value = excluded.value',
)

export async function readRelocationState(
  db: Queryable,
): Promise<{ readonly away?: MovedTo; readonly here?: IncomingMove }> {
  const rows = await db.query<{ name: string; value: string }>(READ_RELOCATION_STATE, [
    [MOVED_TO_SETTING, INCOMING_MOVE_SETTING],
  ])
  const [movedTo, incomingMove] = [MOVED_TO_SETTING, INCOMING_MOVE_SETTING].map(
    (name) => rows.find((row) => row.name === name)?.value,
  )
  return {
    ...(movedTo !== undefined && { away: JSON.parse(movedTo) as MovedTo }),
    ...(incomingMove !== undefined && { here: JSON.parse(incomingMove) as IncomingMove }),
  }
}

export async function writeIncomingMove(db: Pick<Db, 'longTransaction'>, incomingMove: IncomingMove): Promise<void> {
  await db.longTransaction((tx) =>
    tx.execute(WRITE_RELOCATION_STATE, [INCOMING_MOVE_SETTING, JSON.stringify(incomingMove)]),
  )
}

const DELETE_INCOMING_MOVE = statement(
  'forget_move',
  `delete from purser.setting where name = '${INCOMING_MOVE_SETTING}'`,
)

export async function deleteIncomingMove(db: Pick<Db, 'longTransaction'>): Promise<void> {
  await db.longTransaction((tx) => tx.execute(DELETE_INCOMING_MOVE, []))
}

type Run = (sql: string) => Promise<unknown>

const quoteLiteral = (text: string) => `'${text.replaceAll("'", "''")}'`

/** `run` belongs to the transaction that holds the locks of `tables`. */
export async function markMovedAway(run: Run, tables: readonly string[], movedTo: MovedTo): Promise<void> {
  await run(
    `insert into purser.setting (name, value) values ('${MOVED_TO_SETTING}', ${quoteLiteral(JSON.stringify(movedTo))})`,
  )
  for (const table of tables)
    await run(`alter table purser.${table} add constraint ${MOVED_AWAY_CONSTRAINT} check (false) not valid`)
}

/** Lets wallets use this database again. */
export async function reopenMovedDatabase(db: Pick<Db, 'script'>, tables: readonly string[]): Promise<void> {
  await db.script(async (run) => {
    for (const table of tables)
      await run(`alter table purser.${table} drop constraint if exists ${MOVED_AWAY_CONSTRAINT}`)
    await run(`delete from purser.setting where name = '${MOVED_TO_SETTING}'`)
  })
}

export function describeMovedTo({ to, at }: MovedTo): string {
  return `this database was moved to ${to} on ${at.slice(0, 10)}: set that DATABASE_URL`
}

/** For the start of a wallet. Throws when its tables are elsewhere, or not all here yet. */
export async function assertNotMoved(db: Queryable): Promise<void> {
  const { away: movedTo, here: incomingMove } = await readRelocationState(db)
  if (movedTo !== undefined)
    throw new UsageError(
      `${describeMovedTo(movedTo)}. To return to this database and lose all later writes to the other one: purser move --reopen`,
    )
  if (incomingMove?.isReady === false)
    throw new UsageError('the move to this database is not complete: complete it with purser move --to … --finish')
}

export const READ_TABLE_OWNERSHIP: Statement = statement(
  'moved_is_owner',
  `select bool_and(pg_has_role(c.relowner, 'usage')) as is_owner from pg_catalog.pg_class c
   where c.relnamespace = 'purser'::regnamespace and c.relkind in ('r', 'p')`,
)
