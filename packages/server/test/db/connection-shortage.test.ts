import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig } from '../../src/core/config/config.ts'
import { serveWallet } from '../../src/servers/wallet-server.ts'
import { asServer, createDatabase, type TestDatabase } from '../support/database.ts'
import { walletEnv } from '../support/wallet-env.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database?.drop())

async function warnings(): Promise<string[]> {
  const lines: { level: number; msg: string }[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })
  const { env } = walletEnv({ DATABASE_URL: asServer('wallet', database.url) })
  const { close } = await serveWallet(readConfig(env), { log })
  await close()
  return lines.flatMap(({ level, msg }) => (level === 40 ? [msg] : []))
}

it('a database limited to 20 connections is reported, and one without a limit is not', async () => {
  expect(await warnings()).toEqual([])
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  await owner.query(`alter database ${new URL(database.url).pathname.slice(1)} connection limit 20`)
  await owner.end()
  expect(await warnings()).toEqual([
    expect.stringMatching(/gives 20 connections .* may open \d\d: raise max_connections/),
  ])
})
