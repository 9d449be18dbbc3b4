/**
 * Whether the wallet's tables are at home in this database. `purser move` copies them to another one; meanwhile no wallet may start there, and
 * behind it none here. A database that was moved away is closed for good, also for wallets that run: a constraint that no row fulfils stands on
 * every table that money or a bet needs, so that Postgres itself refuses each write, whoever sends it, until a person opens it again.
 */
import { WrongUse } from '../runtime/wrong-use.ts'
import { type Db, type Reading, type Statement, statement } from './db.ts'
import { CLOSED } from './errors.ts'

/** Rows of purser.setting, which are no settings: they stay with their database. */
const AWAY = 'moved'
const HERE = 'move'
/** What a database has of its own. */
export const OWN_SETTINGS = ['buckets', HERE, AWAY] as const

/** Of the database that was moved away. */
export interface Away {
  /** The move's. */
  readonly id: string
  /** Where to, without user and password. */
  readonly to: string
  readonly at: string
}

/** Of the database to which another one is moved. */
export interface Here {
  readonly id: string
  /** The other one's id. */
  readonly from: string
  readonly isReady: boolean
}

const READ = statement('read_moved', 'select name, value from purser.setting where name = any($1::text[])')
const WRITE = statement(
  'write_moved',
  'insert into purser.setting (name, value) values ($1::text, $2::text) on conflict (name) do update set value = excluded.value',
)

export async function readMoved(db: Reading): Promise<{ readonly away?: Away; readonly here?: Here }> {
  const rows = await db.query<{ name: string; value: string }>(READ, [[AWAY, HERE]])
  const [away, here] = [AWAY, HERE].map((name) => rows.find((row) => row.name === name)?.value)
  return {
    ...(away !== undefined && { away: JSON.parse(away) as Away }),
    ...(here !== undefined && { here: JSON.parse(here) as Here }),
  }
}

export async function writeHere(db: Pick<Db, 'unhurried'>, here: Here): Promise<void> {
  await db.unhurried((tx) => tx.execute(WRITE, [HERE, JSON.stringify(here)]))
}

const FORGET = statement('forget_move', `delete from purser.setting where name = '${HERE}'`)

export async function forgetHere(db: Pick<Db, 'unhurried'>): Promise<void> {
  await db.unhurried((tx) => tx.execute(FORGET, []))
}

type Run = (sql: string) => Promise<unknown>

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** In the transaction that holds the tables. */
export async function close(run: Run, tables: readonly string[], away: Away): Promise<void> {
  await run(`insert into purser.setting (name, value) values ('${AWAY}', ${quoted(JSON.stringify(away))})`)
  for (const table of tables) await run(`alter table purser.${table} add constraint ${CLOSED} check (false) not valid`)
}

/** Takes the database for the wallet's again. */
export async function reopen(db: Pick<Db, 'script'>, tables: readonly string[]): Promise<void> {
  await db.script(async (run) => {
    for (const table of tables) await run(`alter table purser.${table} drop constraint if exists ${CLOSED}`)
    await run(`delete from purser.setting where name = '${AWAY}'`)
  })
}

export function sayAway({ to, at }: Away): string {
  return `this database was moved to ${to} on ${at.slice(0, 10)}: set that DATABASE_URL`
}

/** For the start of a wallet. Throws when its tables are at home elsewhere. */
export async function requireHome(db: Reading): Promise<void> {
  const { away, here } = await readMoved(db)
  if (away !== undefined)
    throw new WrongUse(
      `${sayAway(away)}. If it is to be used again all the same, and what was written there is to be lost: purser move --reopen`,
    )
  if (here?.isReady === false)
    throw new WrongUse(
      'this database does not have all of the other one yet from which it is moved: end that with purser move --to … --finish',
    )
}

export const IS_OWNER: Statement = statement(
  'moved_is_owner',
  `select bool_and(pg_has_role(c.relowner, 'usage')) as is_owner from pg_catalog.pg_class c
   where c.relnamespace = 'purser'::regnamespace and c.relkind in ('r', 'p')`,
)
