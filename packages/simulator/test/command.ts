/**
 * Starts the simulator for `npm run simulate`. Runs with real locks (level 3) also need a Postgres,
 * so this file starts one unless DATABASE_URL names one.
 */
import { existsSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { startPostgres } from '../../server/test/support/postgres-server.ts'

const words = process.argv.join(' ')
const [, kept = ''] = /--(?:file|shrink)[= ](\S+)/.exec(words) ?? []
const isOfLocks = existsSync(kept)
  ? (JSON.parse(readFileSync(kept, 'utf8')) as { level?: number }).level === 3
  : /--level[= ]3\b/.test(words)
const server = isOfLocks && process.env.DATABASE_URL === undefined ? await startPostgres() : undefined
if (server !== undefined) process.env.DATABASE_URL = server.url
try {
  await import(pathToFileURL('packages/simulator/dist/main.js').href)
} finally {
  await server?.stop()
}
