/**
 * Makes packages/server/schema.sql: the migrated schema as pg_dump writes it, without lines that
 * change between runs.
 */
import { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { migrateSchema } from 'purser/core/database/schema/schema-migration'

const HEADER = `-- The schema that the files in migrations/ make. Generated (npm run generate): to read, not to run.

`

/**
 * Lines that do not describe the schema: comments with versions, session settings, random guards.
 */
const NOISE = /^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict )/

export async function makeSchemaSql() {
  const pg = await PGlite.create('memory://')
  try {
    await migrateSchema(scriptOnly(pg))
    const dump = await pgDump({ pg, args: ['--schema-only', '--no-owner', '--no-privileges'] })
    return HEADER + tidy(await dump.text())
  } finally {
    await pg.close()
  }
}

/** The part of a Db that migrations use. */
function scriptOnly(pg) {
  const run = (tx) => async (sql) => (await tx.exec(sql)).at(-1)?.rows ?? []
  return { script: (work) => pg.transaction((tx) => work(run(tx))) }
}

function tidy(dump) {
  const lines = dump.split('\n').filter((line) => !NOISE.test(line))
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`
}
