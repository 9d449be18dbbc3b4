/**
 * Audit check for missing parts of the schema, which packages/server/migrations/parts.json lists.
 *
 * pg_restore creates tables first, then copies rows, and creates indexes, keys and triggers last.
 * If it stops early, rows exist without these parts, although the recorded version is right.
 */
import { readFile } from 'node:fs/promises'
import { type Db, type Row, statement } from '../db.ts'
import type { Finding } from '../invariant-checks.ts'

export const SCHEMA_PARTS_CHECK = 'every part of the schema is there: a restore that stopped leaves some out'

const IS_OUR_SCHEMA = "n.nspname in ('purser', 'platform', 'gateway')"
const TABLES = `pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace`

/**
 * An invalid index, as a failed build leaves it, does not count. Partitions are left out, because
 * they change. So are "not null" constraints, which have rows only since Postgres 18.
 */
const PARTS = statement(
  'schema_parts',
  `select 'table' as kind, n.nspname || '.' || c.relname as name from ${TABLES} where ${IS_OUR_SCHEMA} and c.relkind in ('r', 'p') and not c.relispartition
   union all
   select 'column', n.nspname || '.' || c.relname || '.' || a.attname from ${TABLES} join pg_catalog.pg_attribute a on a.attrelid = c.oid
     where ${IS_OUR_SCHEMA} and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
   union all
   select 'sequence', n.nspname || '.' || c.relname from ${TABLES} where ${IS_OUR_SCHEMA} and c.relkind = 'S'
   union all
   select 'index', n.nspname || '.' || c.relname from ${TABLES} join pg_catalog.pg_index i on i.indexrelid = c.oid
     where ${IS_OUR_SCHEMA} and not c.relispartition and i.indisvalid
   union all
   select 'constraint', n.nspname || '.' || c.relname || '.' || k.conname from ${TABLES} join pg_catalog.pg_constraint k on k.conrelid = c.oid
     where ${IS_OUR_SCHEMA} and not c.relispartition and k.contype in ('p', 'u', 'f', 'c', 'x')
   union all
   select 'trigger', n.nspname || '.' || c.relname || '.' || t.tgname from ${TABLES} join pg_catalog.pg_trigger t on t.tgrelid = c.oid
     where ${IS_OUR_SCHEMA} and not c.relispartition and not t.tgisinternal
   union all
   select 'function', n.nspname || '.' || p.proname from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace where ${IS_OUR_SCHEMA}`,
)

interface Part extends Row {
  readonly kind: string
  readonly name: string
}

/** The other checks of an audit need these parts. */
const KINDS_NEEDED_BY_AUDIT = ['table', 'column', 'function']

export interface MissingParts {
  readonly findings: readonly Finding[]
  readonly isReadable: boolean
}

/** On Citus, tables are split into shards by other rules, so nothing is compared. */
export async function findMissingParts(db: Pick<Db, 'kind' | 'query'>): Promise<MissingParts> {
  if (db.kind === 'citus') return { findings: [], isReadable: true }
  const there = new Set((await db.query<Part>(PARTS)).map(formatPart))
  const absent = (await readExpectedParts()).filter((part) => !there.has(formatPart(part)))
  const tables = absent.flatMap(({ kind, name }) => (kind === 'table' ? [`${name}.`] : []))
  const missing = absent.filter(({ name }) => !tables.some((table) => name.startsWith(table)))
  const findings = missing.map(({ kind, name }) => ({ check: SCHEMA_PARTS_CHECK, row: { missing: kind, name } }))
  return { findings, isReadable: !missing.some(({ kind }) => KINDS_NEEDED_BY_AUDIT.includes(kind)) }
}

/** Sorted texts "kind name". `npm run generate` writes them, from an empty database. */
export async function listSchemaParts(db: Pick<Db, 'query'>): Promise<string[]> {
  return (await db.query<Part>(PARTS)).map(formatPart).sort()
}

async function readExpectedParts(): Promise<Part[]> {
  const keys: string[] = JSON.parse(
    await readFile(new URL('../../../../migrations/parts.json', import.meta.url), 'utf8'),
  )
  return keys.map((key) => ({ kind: key.slice(0, key.indexOf(' ')), name: key.slice(key.indexOf(' ') + 1) }))
}

function formatPart({ kind, name }: Part): string {
  return `${kind} ${name}`
}
