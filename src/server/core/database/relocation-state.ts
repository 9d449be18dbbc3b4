/**
 * Whether the wallet's tables are at home in this database. `purser move` copies them to another one; meanwhile no wallet may start there, and
 * behind it none here. A database that was moved away is closed for good, also for wallets that run: a constraint that no row fulfils stands on
 * every table that money or a bet needs, so that Postgres itself refuses each write, whoever sends it, until a person opens it again.
 */
import { UsageError } from '../../../runtime/errors/cli-errors.ts'
import { MOVED_AWAY_CONSTRAINT } from './database-errors.ts'
import { type Db, type Queryable, type Statement, statement } from './db.ts'

/** Rows of purser.setting, which are no settings: they stay with their database. */
const MOVED_TO_SETTING = 'moved'
const INCOMING_MOVE_SETTING = 'move'
/** What a database has of its own. */
export const DATABASE_OWN_SETTINGS = ['buckets', INCOMING_MOVE_SETTING, MOVED_TO_SETTING] as const

/** Of the database that was moved away. */
export interface MovedTo {
  /** The move's. */
  readonly id: string
  /** Where to, without user and password. */
  readonly to: string
  readonly at: string
}

/** Of the database to which another one is moved. */
export interface IncomingMove {
  readonly id: string
  /** The other one's id. */
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

/** In the transaction that holds the tables. */
export async function markMovedAway(run: Run, tables: readonly string[], movedTo: MovedTo): Promise<void> {
  await run(
    `insert into purser.setting (name, value) values ('${MOVED_TO_SETTING}', ${quoteLiteral(JSON.stringify(movedTo))})`,
  )
  for (const table of tables)
    await run(`alter table purser.${table} add constraint ${MOVED_AWAY_CONSTRAINT} check (false) not valid`)
}

/** Takes the database for the wallet's again. */
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

/** For the start of a wallet. Throws when its tables are at home elsewhere. */
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
