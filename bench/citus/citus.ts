// Measures the cost of a call on Citus by number of workers, and on one plain Postgres. See
// bench/README.md.
import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import pg from 'pg'
import { makeCitusDatabase } from '../../packages/server/test/support/citus-database.ts'
import { startCitus } from '../../packages/server/test/support/citus-nodes.ts'
import type { Server } from '../../packages/server/test/support/postgres-server.ts'
import { parseArguments, parsePositive, UsageError } from '../arguments.ts'
import { copyPlayers } from '../copy-players.ts'
import { runAudit } from '../measure.ts'
import { SETTINGS, serverPid, startOnDisk } from '../postgres.ts'
import { readFamilySeconds } from '../processor-time.ts'
import { runLoad } from '../run-load.ts'
import { inventPlayer, seedOnePlayer, toUserIds } from '../seed-players.ts'
import { HOST } from '../server-process.ts'
import { MAIN, SECRET, startPurser } from '../subjects.ts'
import { measureRequestCosts, type RequestCost } from './request-cost.ts'

const HELP = `PURSER_CITUS=/usr/lib/postgresql/15 npm run bench:citus

  --workers LIST    numbers of workers, 0 for one plain Postgres (0,1,2)
  --buckets N       (8)
  --connections N   keep-alive connections, one request at a time on each (1000)
  --players N       (20000)
  --seconds N       length of a measured window (8)
  --warmup N        seconds of unmeasured load before (10)

Two processes, Place bets and Settles; then a look at the feed and a deposit, one after another. Exit code 1 when the money is not right.`

/**
 * Asynchronous, so that the nodes' output is read meanwhile. With many buckets (shard keys) the
 * output exceeds a pipe, and the nodes would block for ever.
 */
const run = promisify(execFile)
const US_PER_S = 1_000_000
const PROCESSES = 2

interface Options {
  readonly workers: readonly number[]
  readonly buckets: number
  readonly connections: number
  readonly players: number
  readonly seconds: number
  readonly warmupSeconds: number
}

interface Row {
  readonly name: string
  readonly callsPerSecond: number
  readonly callsPerCommit: number
  readonly fastPathShare: number
  /** CPU time per call in microseconds. */
  readonly wallet: number
  readonly postgres: number
  /** The same by node, coordinator first. */
  readonly nodes: readonly number[]
  readonly p50Ms: number
  readonly p99Ms: number
  readonly requestCosts: Record<string, RequestCost>
  readonly audit: string
}

function readOptions(): Options | 'help' {
  const { values } = parseArguments(process.argv.slice(2), {
    help: { type: 'boolean', default: false },
    workers: { type: 'string', default: '0,1,2' },
    buckets: { type: 'string', default: '8' },
    connections: { type: 'string', default: '1000' },
    players: { type: 'string', default: '20000' },
    seconds: { type: 'string', default: '8' },
    warmup: { type: 'string', default: '10' },
  })
  if (values.help) return 'help'
  return {
    workers: values.workers.split(',').map((text) => Math.trunc(+text)),
    buckets: parsePositive('buckets', values.buckets),
    connections: parsePositive('connections', values.connections),
    players: parsePositive('players', values.players),
    seconds: parsePositive('seconds', values.seconds),
    warmupSeconds: parsePositive('warmup', values.warmup),
  }
}

async function startNodes(workers: number, buckets: number): Promise<{ nodes: Server[]; url: string }> {
  const native = process.env.PURSER_CITUS ?? ''
  const nodes =
    workers === 0
      ? [await startOnDisk(SETTINGS, { native, password: 'bench' })]
      : await startCitus(startOnDisk, workers, SETTINGS)
  const [first] = nodes
  const url =
    workers === 0
      ? first!.url
      : await makeCitusDatabase(
          'purser',
          nodes.map(({ url }) => url),
        )
  const flags = workers === 0 ? [] : ['--citus', `${buckets}`]
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: url }
  await run(process.execPath, [MAIN, 'migrate', ...flags], { env })
  return { nodes, url }
}

async function measured(workers: number, options: Options): Promise<Row> {
  const { buckets, connections, seconds, warmupSeconds } = options
  const { nodes, url } = await startNodes(workers, buckets)
  const clients = nodes.map(({ url }) => new pg.Client(url))
  try {
    await Promise.all(clients.map((client) => client.connect()))
    const pids = await Promise.all(clients.map(serverPid))
    const env = { PURSER_BUCKETS: `${buckets}` }
    const seeding = await startPurser(url, MAIN, env)
    await seedOnePlayer(seeding.url).finally(seeding.stop)
    const players = toUserIds(options.players).map(inventPlayer)
    await copyPlayers(url, players, buckets)
    const servers = [await startPurser(url, MAIN, env), await startPurser(url, MAIN, env)]
    const counters = async (): Promise<Record<string, number>> => ({
      wallet: servers.reduce((sum, { pid }) => sum + readFamilySeconds(pid), 0),
      ...Object.fromEntries(pids.map((pid, node) => [`node ${node}`, readFamilySeconds(pid)])),
      commits: (await Promise.all(clients.map(writes))).reduce((a, b) => a + b, 0),
      fastPathCalls: await countFastPathCalls(servers.map(({ url }) => url)),
    })
    const ports = servers.map(({ port }) => port)
    const load = { host: HOST, ports, settles: true, secret: SECRET, players, connections, warmupSeconds, seconds }
    const loaded = async () => {
      const run = await runLoad(load, counters)
      return {
        ...run,
        requestCosts: await measureRequestCosts(servers[0]!.url, { wallet: servers[0]!.pid, nodes: pids }),
      }
    }
    const { before, after, window, requestCosts } = await loaded().finally(() =>
      Promise.all(servers.map(({ stop }) => stop())),
    )
    const perCall = (name: string) => (after[name]! - before[name]!) / window.accepted
    const perNode = pids.map((_, node) => perCall(`node ${node}`) * US_PER_S)
    return {
      name: workers === 0 ? 'one Postgres' : `Citus, ${workers} worker${workers > 1 ? 's' : ''}`,
      callsPerSecond: window.accepted / window.seconds,
      callsPerCommit: 1 / perCall('commits'),
      fastPathShare: perCall('fastPathCalls'),
      wallet: perCall('wallet') * US_PER_S,
      postgres: perNode.reduce((a, b) => a + b),
      nodes: perNode,
      p50Ms: window.p50Ms,
      p99Ms: window.p99Ms,
      requestCosts,
      audit: Object.keys(window.refused).length > 0 ? JSON.stringify(window.refused) : runAudit(url).said,
    }
  } finally {
    await Promise.all(clients.map((client) => client.end()))
    await Promise.all(nodes.map((node) => node.stop()))
  }
}

/** Number of transactions that wrote. */
async function writes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ xmax: string }>('select pg_snapshot_xmax(pg_current_snapshot())::text as xmax')
  return +rows[0]!.xmax
}

async function countFastPathCalls(urls: readonly string[]): Promise<number> {
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()))
  return texts.reduce((sum, text) => sum + +(/^wallet_fast_path_calls_total (\d+)$/m.exec(text)?.[1] ?? 0), 0)
}

async function main(): Promise<number> {
  const options = readOptions()
  if (options === 'help') {
    process.stdout.write(`${HELP}\n`)
    return 0
  }
  const { workers, ...others } = options
  process.stdout.write(`${JSON.stringify({ cores: availableParallelism(), processes: PROCESSES, ...others })}\n`)
  const rows: Row[] = []
  for (const count of workers) {
    const row = await measured(count, options)
    rows.push(row)
    process.stdout.write(`${JSON.stringify(row)}\n`)
  }
  return rows.every(({ audit }) => audit.includes('"findings":[]')) ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
