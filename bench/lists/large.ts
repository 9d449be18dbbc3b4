// Compares the cost of a call with many bets in the database and with none, for as many players.
// The load alternates between both; the audits of the large database follow. See bench/README.md.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { totalmem } from 'node:os'
import { promisify } from 'node:util'
import pg from 'pg'
import { parseArguments, parsePositive } from '../arguments.ts'
import { computeDatabaseCost, type LoadShape, measureOnDatabase } from '../measure.ts'
import type { BenchPlayer } from '../place-bet.ts'
import { type BenchPostgres, startBenchPostgres } from '../postgres.ts'
import { inventPlayer } from '../seed-players.ts'
import { createSecret, MAIN, purserEnvironment, startPurser } from '../subjects.ts'
import { SEED_PLAYERS, seedDatabase } from './seed.ts'

const DAY_MS = 86_400_000
const MEGABYTE = 2 ** 20
const say = (line: string) => void process.stderr.write(`${line}\n`)
const run = promisify(execFile)
/** One of four bets belongs to this platform (seed.ts). */
const PLATFORM = { PARTNER_SECRETS: `acme:${createSecret()}` }

/** Opens a session for each player that is not blocked (seed.ts). */
async function openSessions(url: string, players: number): Promise<BenchPlayer[]> {
  const all = Array.from({ length: players }, (_, i) => i)
    .filter((i) => i % 1_000 !== 0)
    .map((i) => inventPlayer(`player-${i}`))
  const client = new pg.Client(url)
  await client.connect()
  await client.query(
    `insert into purser.session (bucket, token_hash, player, currency, created_at, expires_at)
     select 0, hash, player, 'EUR', now(), now() + interval '1 day' from unnest($1::text[], $2::text[]) as s (player, hash)`,
    [all.map(({ userId }) => userId), all.map(({ token }) => createHash('sha256').update(token).digest('base64url'))],
  )
  await client.end()
  return all
}

async function prepare(postgres: BenchPostgres, name: string, bets: number, players: number): Promise<BenchPlayer[]> {
  await postgres.create(name)
  const url = postgres.url(name)
  await run(process.execPath, [MAIN, 'migrate'], { env: { ...process.env, DATABASE_URL: url } })
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  await seedDatabase(url, { bets, players, day }, (line) => say(`${name}: ${line}`))
  return openSessions(url, players)
}

async function timeAudit(url: string, ...flags: string[]): Promise<string> {
  const begun = performance.now()
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...purserEnvironment(url) }
  const { stdout, stderr } = await run(process.execPath, [MAIN, 'audit', ...flags], { env }).catch((failed) => failed)
  say(stderr)
  return `${((performance.now() - begun) / 1_000).toFixed(1)} s, ${String(stdout).slice(0, 200).trim()}`
}

async function main(): Promise<void> {
  const { values } = parseArguments(process.argv.slice(2), {
    bets: { type: 'string', default: '10000000' },
    players: { type: 'string', default: `${SEED_PLAYERS}` },
    rounds: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '10' },
    connections: { type: 'string', default: '128' },
  })
  // The guide recommends a quarter of the memory.
  const postgres = await startBenchPostgres({ shared_buffers: `${Math.trunc(totalmem() / 4 / MEGABYTE)}MB` })
  try {
    const count = parsePositive('players', values.players)
    const bets = parsePositive('bets', values.bets)
    const players = new Map<string, BenchPlayer[]>()
    for (const [name, size] of [
      ['empty', 0],
      ['large', bets],
    ] as const)
      players.set(name, await prepare(postgres, name, size, count))
    const size = await postgres.count('large', 'select pg_database_size(current_database()) as count')
    console.log(
      `${bets} bets: ${Math.round(size / bets)} bytes each; the whole audit: ${await timeAudit(postgres.url('large'))}`,
    )
    await measureBoth(
      postgres,
      players,
      {
        ...{ processes: 2, settles: true },
        connections: parsePositive('connections', values.connections),
        seconds: parsePositive('seconds', values.seconds),
        warmupSeconds: parsePositive('warmup', values.warmup),
      },
      parsePositive('rounds', values.rounds),
    )
    console.log(`what changed: ${await timeAudit(postgres.url('large'), '--changed')}`)
  } finally {
    await postgres.stop()
  }
}

async function measureBoth(
  postgres: BenchPostgres,
  players: ReadonlyMap<string, BenchPlayer[]>,
  shape: Omit<LoadShape, 'players'>,
  rounds: number,
): Promise<void> {
  console.log(
    '| Database | round | calls/s | µs of the wallet a call | µs of Postgres a call | bytes of WAL a call | whole pages in it |\n|---|---|---|---|---|---|---|',
  )
  for (let round = 1; round <= rounds; round++)
    for (const [name, some] of players) {
      const measured = await measureOnDatabase(postgres, { start: (url) => startPurser(url, MAIN, PLATFORM) }, name, {
        ...shape,
        players: some,
      })
      const { processorTime, callsPerSecond, run: load } = measured
      const { walBytesPerCall, pageImagesPerCall } = computeDatabaseCost(load)
      const whole = [callsPerSecond, processorTime?.server ?? 0, processorTime?.postgres ?? 0, walBytesPerCall]
      const columns = whole.map((value) => Math.round(value).toLocaleString('en'))
      console.log(`| ${[name, round, ...columns, pageImagesPerCall.toFixed(2)].join(' | ')} |`)
    }
}

await main()
