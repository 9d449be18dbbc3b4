/**
 * Creates databases on the Postgres server of the test run (postgres-server.ts). The first request
 * makes a migrated template. A clone of the template takes about 50 ms, much less than all
 * migrations.
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { saveJournalRetention } from '../../src/core/call-journal/journal-retention.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import { distributeTables } from '../../src/core/database/postgres/citus.ts'
import { formatGrants, type ServerKind } from '../../src/core/database/schema/database-privileges.ts'
import { migrateSchema } from '../../src/core/database/schema/schema-migration.ts'
import { CITUS_FAST_PATH } from '../../src/wallet/queue/citus-fast-path.ts'
import { dropCitusDatabase, inAdmin, makeCitusDatabase } from './citus-database.ts'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

/** The tables are distributed by this number of buckets, which the first wallet records. */
export const CITUS_BUCKETS = 8
const TEMPLATE = 'purser_template'
/**
 * An arbitrary key, equal in all test workers: one worker makes the template while the others wait.
 */
const TEMPLATE_LOCK = 4_711

export async function createDatabase(): Promise<TestDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`
  const workers = inject('citusWorkers')
  if (workers !== undefined) return createOnCitus(name, [inject('postgresUrl'), ...workers])
  await asAdmin(async (admin) => {
    await ensureTemplate(admin)
    // Without the log, a small template is copied twice as fast.
    await admin.query(`create database ${name} template ${TEMPLATE} strategy file_copy`)
  })
  return {
    url: urlOf(name),
    drop: () => asAdmin(async (admin) => void (await admin.query(`drop database if exists ${name} with (force)`))),
  }
}

/**
 * A clone of a template has no connection to its workers. Databases are made one at a time, because
 * their objects on the nodes would conflict.
 */
export async function createOnCitus(name: string, nodes: readonly string[]): Promise<TestDatabase> {
  await asAdmin(async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
    for (const node of nodes) await inAdmin(node, makeRoles)
    await makeCitusDatabase(name, nodes)
    await migrated(urlOf(name), CITUS_BUCKETS)
    await grant(name)
  })
  return { url: urlOf(name), drop: () => dropCitusDatabase(name, nodes) }
}

async function ensureTemplate(admin: pg.Client): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK])
  try {
    if (!(await exists(admin, TEMPLATE))) await makeTemplate(admin)
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK])
  }
}

/**
 * The template gets its name last, so a failed migration leaves no incomplete template for the next
 * test file.
 */
async function makeTemplate(admin: pg.Client): Promise<void> {
  const draft = `${TEMPLATE}_draft`
  await admin.query(`drop database if exists ${draft} with (force)`)
  await admin.query(`create database ${draft}`)
  await migrated(urlOf(draft))
  await grantRights(admin, draft)
  await admin.query(`alter database ${draft} rename to ${TEMPLATE}`)
}

/** The value that `purser migrate` saves. */
const JOURNAL_DAYS = 14

async function migrated(url: string, buckets?: number): Promise<void> {
  const db = await openDb({ kind: 'postgres', url })
  try {
    await migrateSchema(db)
    await saveJournalRetention(db, JOURNAL_DAYS, { isGiven: false })
    if (buckets !== undefined) await distributeTables(db, buckets, CITUS_FAST_PATH)
  } finally {
    await db.close()
  }
}

/**
 * The servers under test have only the rights of the guide, so that a missing grant fails at once.
 */
async function grantRights(admin: pg.Client, database: string): Promise<void> {
  await makeRoles(admin)
  await grant(database)
}

async function makeRoles(admin: pg.Client): Promise<void> {
  const { password } = new URL(inject('postgresUrl'))
  const { rows } = await admin.query<{ rolname: string }>('select rolname from pg_roles')
  const missing = SERVERS.map(roleOf).filter((role) => !rows.some(({ rolname }) => rolname === role))
  for (const role of missing) await admin.query(`create role ${role} login password '${password}'`)
}

async function grant(database: string): Promise<void> {
  const owner = new pg.Client({ connectionString: urlOf(database) })
  await owner.connect()
  for (const server of SERVERS) await owner.query(formatGrants(server, roleOf(server)))
  await owner.end()
}

const SERVERS: readonly ServerKind[] = ['wallet', 'platform', 'gateway']

function roleOf(server: ServerKind): string {
  return `purser_${server}`
}

/** The address for the server's own role. An address of another Postgres server stays unchanged. */
export function asServer(server: ServerKind, url: string): string {
  const changed = new URL(url)
  const { username, password } = new URL(inject('postgresUrl'))
  if (changed.password !== password || changed.username !== username) return url
  changed.username = roleOf(server)
  return changed.href
}

async function exists(admin: pg.Client, name: string): Promise<boolean> {
  const { rows } = await admin.query('select from pg_database where datname = $1', [name])
  return rows.length > 0
}

function asAdmin(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  return inAdmin(inject('postgresUrl'), work)
}

function urlOf(database: string): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${database}`
  return url.href
}
