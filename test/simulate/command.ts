/** `npm run simulate`: as src/simulate/main.ts; for level 3 it brings a Postgres of its own, unless DATABASE_URL names one. */
import { pathToFileURL } from 'node:url'
import { startPostgres } from '../support/postgres-server.ts'

const isOfLocks = /--level[= ]3\b/.test(process.argv.join(' '))
const server = isOfLocks && process.env.DATABASE_URL === undefined ? await startPostgres() : undefined
if (server !== undefined) process.env.DATABASE_URL = server.url
try {
  await import(pathToFileURL('dist/simulate/main.js').href)
} finally {
  await server?.stop()
}
