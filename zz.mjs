import { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
const { openDb } = await import('/work/main/dist/db/open.js')
console.time('x')
const pg = await PGlite.create('memory://')
const {migrate} = await import('/work/main/dist/db/migrate.js')
const db = { script: (work)=> pg.transaction((tx)=>work(async sql => (await tx.exec(sql)).at(-1)?.rows ?? [])) }
await migrate(db)
const dump = await pgDump({ pg, args: ['--schema-only','--no-owner','--no-privileges'] })
console.timeEnd('x')
console.log(await dump.text())
