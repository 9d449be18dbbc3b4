// One measured window of one build on a new database, and the run through a proxy that counts its
// statements.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startCountingProxy } from '../counting-proxy.ts'
import type { BenchPostgres } from '../postgres.ts'
import { readFamilySeconds, readProcessSeconds } from '../processor-time.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { createSecret } from '../subjects.ts'
import { type PlacementCounts, withUsers } from './load.ts'
import type { PlaceOptions } from './options.ts'

const PARTNER = fileURLToPath(new URL('partner.js', import.meta.url))
const KEY = createSecret()
const FRAMES = 200
const DATABASE = 'place_run'
const US_PER_S = 1_000_000
/** Limits that no bet reaches. Their check reads every sum. */
const LIMITS = { eventMaxBets: 1_000_000_000, outcomeMaxStake: '999999999999', outcomeMaxWin: '999999999999' }

export interface PlaceMeasurement {
  main: string
  placed: PlacementCounts
  /** CPU microseconds per bet. */
  platform: number
  postgres: number
  /** Per bet. */
  commits: number
  walBytes: number
  /** Errors; empty for a good run. */
  faults: string[]
}

export function measurePlacements(
  postgres: BenchPostgres,
  main: string,
  options: PlaceOptions,
): Promise<PlaceMeasurement> {
  return onNewDatabase(postgres, async (url) => {
    const result = await withPlatform(main, url, options, async (platform, users) => {
      const warm = await users(options.warmupSeconds)
      const before = await counters(postgres, platform)
      const placed = await users(options.seconds)
      const after = await counters(postgres, platform)
      const [cpu, sql, commits, walBytes] = after.map((value, i) => (value - before[i]!) / placed.accepted) as [
        number,
        number,
        number,
        number,
      ]
      const inAll = warm.accepted + placed.accepted
      return {
        inAll,
        measured: { main, placed, platform: cpu * US_PER_S, postgres: sql * US_PER_S, commits, walBytes },
      }
    })
    return { ...result.measured, faults: await faultsOf(postgres, main, url, result) }
  })
}

/** Statements per bet, begin and commit included. */
export function countStatements(postgres: BenchPostgres, main: string, options: PlaceOptions): Promise<number> {
  return onNewDatabase(postgres, async (url) => {
    const proxy = await startCountingProxy(url)
    return withPlatform(main, proxy.url, options, async (_platform, users) => {
      await users(1)
      const before = proxy.counts().statements
      const { accepted } = await users(options.seconds)
      return (proxy.counts().statements - before) / accepted
    }).finally(proxy.close)
  })
}

async function onNewDatabase<Result>(postgres: BenchPostgres, use: (url: string) => Promise<Result>): Promise<Result> {
  await postgres.create(DATABASE)
  return use(postgres.url(DATABASE)).finally(() => postgres.drop(DATABASE))
}

async function withPlatform<Result>(
  main: string,
  databaseUrl: string,
  { connections, events, hasLimits }: PlaceOptions,
  use: (platform: ServerProcess, users: (seconds: number) => Promise<PlacementCounts>) => Promise<Result>,
): Promise<Result> {
  const partner = await startServer([PARTNER], {})
  // Development mode, because production requires settings that other builds refuse.
  const env = { NODE_ENV: 'development', DATABASE_URL: databaseUrl, PLATFORM_API_KEY: KEY, LOG_LEVEL: 'warn' }
  const platform = await startServer([main, 'platform'], env)
  try {
    await send(platform, 'POST', '/partners', { partnerId: 'bench', baseUrl: partner.url, secret: createSecret() })
    if (hasLimits) await send(platform, 'PUT', '/limits', LIMITS)
    const frames: string[] = []
    while (frames.length < FRAMES) frames.push(await loadFrame(platform))
    const bets = { port: platform.port, key: KEY, frames, events }
    return await withUsers(bets, connections, (users) => use(platform, users))
  } finally {
    await platform.stop()
    await partner.stop()
  }
}

async function loadFrame(platform: ServerProcess): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const frame = (await send(platform, 'POST', '/frame-sessions', { partnerId: 'bench', token })) as {
    frameSessionId: string
  }
  return frame.frameSessionId
}

async function send({ url }: ServerProcess, method: string, path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

async function counters(postgres: BenchPostgres, platform: ServerProcess): Promise<number[]> {
  return [
    readProcessSeconds(platform.pid),
    readFamilySeconds(postgres.pid),
    await postgres.count('postgres', 'select pg_snapshot_xmax(pg_current_snapshot())::text as count'),
    await postgres.count('postgres', "select pg_current_wal_lsn() - '0/0' as count"),
  ]
}

async function faultsOf(
  postgres: BenchPostgres,
  main: string,
  url: string,
  { inAll, measured: { placed } }: { inAll: number; measured: { placed: PlacementCounts } },
): Promise<string[]> {
  const stored = await postgres.count(DATABASE, "select count(*) from platform.bet where status = 'accepted'")
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', DATABASE_URL: url }
  const audit = spawnSync(process.execPath, [main, 'audit', '--json'], { env, encoding: 'utf8' })
  return [
    ...(Object.keys(placed.others).length > 0 ? [`answers that are no 201: ${JSON.stringify(placed.others)}`] : []),
    ...(stored !== inAll ? [`${stored} bets are accepted, ${inAll} were answered so`] : []),
    ...(audit.status === 0 ? [] : [`audit: ${(audit.stdout || audit.stderr).trim().slice(0, 500)}`]),
  ]
}
