/**
 * The migrations make the same schema in the embedded database and in a Postgres server, to the
 * last constraint.
 */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDb } from '../src/core/database/database-factory.ts'
import { type Db, type Row, statement } from '../src/core/database/db.ts'
import { PRIVILEGES } from '../src/core/database/schema/database-privileges.ts'
import { migrateSchema } from '../src/core/database/schema/schema-migration.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'

const OURS = `namespace.nspname !~ '^pg_' and namespace.nspname <> 'information_schema'`

/** Catalog queries, one per kind of object, in an order that needs no collation. */
const QUESTIONS = {
  tables: `select nspname || '.' || relname as name, reloptions, obj_description(class.oid, 'pg_class') as comment
    from pg_class class join pg_namespace namespace on namespace.oid = relnamespace where ${OURS} and relkind in ('r', 'p')
    order by nspname collate "C", relname collate "C"`,
  columns: `select nspname, relname, attname, attnum, format_type(atttypid, atttypmod) as type, attnotnull, attidentity, attgenerated,
      pg_get_expr(adbin, adrelid) as "default", col_description(class.oid, attnum) as comment
    from pg_attribute join pg_class class on class.oid = attrelid join pg_namespace namespace on namespace.oid = relnamespace
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where ${OURS} and relkind in ('r', 'p') and attnum > 0 and not attisdropped order by nspname collate "C", relname collate "C", attnum`,
  constraints: `select nspname, relname, conname, pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint join pg_class class on class.oid = conrelid join pg_namespace namespace on namespace.oid = relnamespace
    where ${OURS} order by nspname collate "C", relname collate "C", conname collate "C"`,
  indexes: `select schemaname, tablename, indexname, indexdef from pg_indexes
    where schemaname !~ '^pg_' order by schemaname collate "C", tablename collate "C", indexname collate "C"`,
  others: `select relkind::text, relname from pg_class class join pg_namespace namespace on namespace.oid = relnamespace
    where ${OURS} and relkind not in ('r', 'p', 'i', 'I', 'S') order by relname collate "C"`,
  sequences: `select nspname, relname from pg_class class join pg_namespace namespace on namespace.oid = relnamespace
    where ${OURS} and relkind = 'S' order by relname collate "C"`,
  texts: `select distinct nspname || '.' || relname as name, pg_get_indexdef(indexrelid, key.number::int, true) as key
    from pg_index join pg_class class on class.oid = indrelid join pg_namespace namespace on namespace.oid = relnamespace,
      unnest(indcollation::oid[]) with ordinality key (collation_id, number) join pg_collation on pg_collation.oid = collation_id
    where ${OURS} and collname not in ('C', 'POSIX')`,
  keyless: `select nspname || '.' || relname as name
    from pg_class class join pg_namespace namespace on namespace.oid = relnamespace
    where ${OURS} and relkind in ('r', 'p') and relreplident <> 'f'
      and not exists (select from pg_index where indrelid = class.oid and indisprimary)`,
  triggers: `select tgname from pg_trigger join pg_class class on class.oid = tgrelid
    join pg_namespace namespace on namespace.oid = relnamespace where ${OURS} and not tgisinternal`,
  functions: `select nspname || '.' || proname || '(' || oidvectortypes(proargtypes) || ')' as name, prosecdef, proconfig::text as settings from pg_proc
    join pg_namespace namespace on namespace.oid = pronamespace where ${OURS} order by 1`,
}

let database: TestDatabase
let postgres: Db
let pglite: Db

beforeAll(async () => {
  database = await createDatabase()
  postgres = await openDb({ kind: 'postgres', url: database.url })
  pglite = await openDb({ kind: 'pglite', dataDir: 'memory://' })
  await migrateSchema(pglite)
})

afterAll(async () => {
  await Promise.all([postgres.close(), pglite.close()])
  await database.drop()
})

function ask(db: Db, question: keyof typeof QUESTIONS): Promise<Row[]> {
  return db.query(statement(question, QUESTIONS[question]))
}

test.each(['tables', 'columns', 'constraints', 'indexes'] as const)(
  'Postgres and PGlite have the same %s',
  async (question) => {
    const [there, here] = await Promise.all([ask(postgres, question), ask(pglite, question)])
    expect(there.length).toBeGreaterThan(0)
    expect(here).toEqual(there)
  },
)

test.each(['others', 'triggers'] as const)(
  'Postgres and PGlite have no %s, so that statements have no side effects',
  async (question) => {
    expect(await Promise.all([ask(postgres, question), ask(pglite, question)])).toEqual([[], []])
  },
)

test('Postgres and PGlite have only the functions of the journal partitions with the owner’s rights (W-30), and the one that ends a transaction', async () => {
  const settings = '{"search_path=pg_catalog, pg_temp"}'
  const ofJournal = (schema: string, name: string) => ({ name: `${schema}.${name}()`, prosecdef: true, settings })
  const functions = [
    ofJournal('gateway', 'prepare_journal'),
    ofJournal('gateway', 'rotate_journal'),
    ofJournal('purser', 'prepare_journal'),
    { name: 'purser.raise_stale_row(text)', prosecdef: false, settings },
    ofJournal('purser', 'rotate_journal'),
    { name: 'purser.rotate_journal_of(name, date, integer)', prosecdef: false, settings },
  ]
  expect(await Promise.all([ask(postgres, 'functions'), ask(pglite, 'functions')])).toEqual([functions, functions])
})

test('every table of money has bucket as the first column of its primary key, and indexes other than primary keys do not begin with it', async () => {
  const indexes = (await ask(postgres, 'indexes')) as { indexname: string; indexdef: string }[]
  const startsWithBucket = indexes
    .filter(({ indexdef }) => indexdef.includes('(bucket'))
    .map(({ indexname }) => indexname)
  const tables = [
    'account',
    'bet',
    'bet_call',
    'bet_details',
    'carried_balance',
    'cash_movement',
    'player',
    'proposal',
    'session',
    'transfer',
  ]
  expect(startsWithBucket).toEqual(tables.map((table) => `${table}_pkey`))
})

test('every indexed text is compared by its bytes, whatever changes in the collation of the system', async () => {
  expect(await Promise.all([ask(postgres, 'texts'), ask(pglite, 'texts')])).toEqual([[], []])
})

test('the rows of every table have an identity for logical replication', async () => {
  expect(await Promise.all([ask(postgres, 'keyless'), ask(pglite, 'keyless')])).toEqual([[], []])
})

test('packages/server/schema.sql shows the tables of the migrations', async () => {
  const dump = readFileSync(new URL('../schema.sql', import.meta.url), 'utf8')
  const shown = [...dump.matchAll(/^CREATE TABLE (\w+\.\w+)/gm)].map(([, name]) => name)
  expect(shown.sort()).toEqual((await ask(postgres, 'tables')).map(({ name }) => name))
})

test('every table belongs to a server with rights in packages/server/src/core/database/schema/database-privileges.ts', async () => {
  const needed = Object.values(PRIVILEGES)
    .flatMap((rights) => Object.keys(rights))
    .filter((thing) => !/(\)|_seq)$/.test(thing)) // no functions and no sequences
  const tables = (await ask(postgres, 'tables')).map(({ name }) => name)
  expect([...new Set(needed)].sort()).toEqual(tables.sort())
})
