/**
 * Servers and audits warn when a new C library or ICU sorts texts differently than when the
 * database was made.
 */
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { auditBooks } from '../../src/cli/maintenance/audit-runner.ts'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { describeCollationChange } from '../../src/core/database/postgres/collation-version.ts'
import { serveGateway } from '../../src/servers/gateway-server.ts'
import { servePlatform } from '../../src/servers/platform-server.ts'
import { serveWallet } from '../../src/servers/wallet-server.ts'
import { asServer, createDatabase, type TestDatabase } from '../support/database.ts'
import { walletEnv } from '../support/wallet-env.ts'

const CHANGED = /^the order of text in the database "\w+" has changed from version 0\.1 to \d/

let database: TestDatabase
let db: Db
beforeAll(async () => {
  database = await createDatabase()
  db = await openDb({ kind: 'postgres', url: database.url })
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function recordVersion(version: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') })
  await admin.connect()
  const name = new URL(database.url).pathname.slice(1)
  await admin.query('update pg_database set datcollversion = $1 where datname = $2', [version, name])
  await admin.end()
}

describe('a changed collation version', () => {
  it('is not reported while the version of the database equals that of its machine', async () => {
    expect(await describeCollationChange(db)).toBeUndefined()
  })

  it.each([
    ['wallet', serveWallet],
    ['platform', servePlatform],
    ['gateway', serveGateway],
  ] as const)('causes a warning at the start of a %s', async (server, serve) => {
    await recordVersion('0.1')
    const lines: { level: number; msg: string }[] = []
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const keys = { PLATFORM_API_KEY: 'a-platform-key-of-tests', GATEWAY_API_KEY: 'a-gateway-key-of-the-tests' }
    const { env } = walletEnv({ ...keys, DATABASE_URL: asServer(server, database.url) })
    const { close } = await serve(readConfig(env, PROCESS_ROLES[server]), { log })
    await close()
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([{ msg: expect.stringMatching(CHANGED) }])
  })

  it('appears as a line of an audit, and is no finding', async () => {
    await recordVersion('0.1')
    const lines: string[] = []
    const work = { onlyChanged: false, printStatus: (line: string) => lines.push(line), progress: () => {} }
    const { env } = walletEnv({ DATABASE_URL: database.url })
    expect(await auditBooks(db, { config: readConfig(env, PROCESS_ROLES.wallet), ...work })).toEqual([])
    expect(lines).toEqual([expect.stringMatching(CHANGED)])
  })
})
