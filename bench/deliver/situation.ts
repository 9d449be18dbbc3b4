// One measured window: a fresh copy of the seed, the deliveries of the situation, a wallet and a
// platform process.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { BenchPostgres } from '../postgres.ts'
import { HOST, type ServerProcess, startServer } from '../server-process.ts'
import { createSecret, MAIN, purserEnvironment, SECRET, startPurser } from '../subjects.ts'
import type { DeliverOptions } from './options.ts'
import { BETS_PER_EVENT, SETTLES_OF_OTHER, SETTLES_OF_OURS, withClient } from './seed.ts'

/** State of the other partner during the measurement. */
export type Situation = 'alone' | 'dead port' | 'hanging port'
export const SITUATIONS: readonly Situation[] = ['alone', 'dead port', 'hanging port']

export interface DeliverMeasurement {
  settlesPerSecond: number
  /** Calls to the other partner, and due deliveries of both partners at the end. */
  otherCalls: number
  leftDue: number
  /** Errors in the money; empty when it is right. */
  faults: string[]
}

const SEED = 'deliver_seed'
const RUN = 'deliver_run'
const PLATFORM_KEY = createSecret()
const START_TIMEOUT_MS = 30_000
const EVENTS = 2

export function measureSituation(
  postgres: BenchPostgres,
  situation: Situation,
  options: DeliverOptions,
): Promise<DeliverMeasurement> {
  return withProcesses(postgres, async (client, start) => {
    const other = await otherPartner(situation)
    await client.query(SETTLES_OF_OURS)
    if (other) await client.query(SETTLES_OF_OTHER, [options.half])
    await client.query('checkpoint')
    try {
      const { platform } = await start(other?.url ?? 'http://127.0.0.1:1')
      await firstSettle(client)
      await sleep((options.warmupSeconds + options.seconds) * 1_000 + 500)
      await platform.stop()
    } finally {
      other?.close()
    }
    return { ...(await readMeasurement(client, options)), faults: await readFaults(client, postgres.url(RUN)) }
  })
}

/** Measures from the POST of two results to the last acknowledged Settle, deciding included. */
export function measureEndToEnd(postgres: BenchPostgres): Promise<{ settlesPerSecond: number; faults: string[] }> {
  return withProcesses(postgres, async (client, start) => {
    const { platform } = await start('http://127.0.0.1:1')
    const began = performance.now()
    await Promise.all(Array.from({ length: EVENTS }, (_, n) => postResult(platform, `event-${n + 1}`)))
    const unfinished = "select count(*)::int as n from platform.delivery where status in ('pending', 'waiting')"
    while ((await client.query<{ n: number }>(unfinished)).rows[0]!.n > 0) await sleep(20)
    const seconds = (performance.now() - began) / 1_000
    await platform.stop()
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from platform.bet where acknowledged_status = 'settled'`,
    )
    const faults = await readFaults(client, postgres.url(RUN))
    const settled = rows[0]!.n
    if (settled !== EVENTS * BETS_PER_EVENT) faults.push(`${settled} settles arrived, not ${EVENTS * BETS_PER_EVENT}`)
    return { settlesPerSecond: settled / seconds, faults }
  })
}

async function postResult({ url }: ServerProcess, eventId: string): Promise<void> {
  const response = await fetch(`${url}/events/${eventId}/result`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ outcomes: [{ outcomeId: 'home', result: 'won' }] }),
  })
  if (response.status !== 202) throw new Error(`the result was answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

type Start = (otherUrl: string) => Promise<{ platform: ServerProcess }>

/**
 * The copy and the wallet exist until `use` ends. `use` stops the platform, so that the money can
 * be checked.
 */
async function withProcesses<Result>(
  postgres: BenchPostgres,
  use: (client: pg.Client, start: Start) => Promise<Result>,
): Promise<Result> {
  await postgres.copy(SEED, RUN)
  const databaseUrl = postgres.url(RUN)
  const wallet = await startPurser(databaseUrl)
  const start: Start = async (otherUrl) => {
    await withClient(databaseUrl, (client) => client.query(PARTNERS, [wallet.url, SECRET, otherUrl]))
    const env = {
      DATABASE_URL: databaseUrl,
      PLATFORM_API_KEY: PLATFORM_KEY,
      NODE_ENV: 'development',
      LOG_LEVEL: 'warn',
    }
    return { platform: await startServer([MAIN, 'platform'], env) }
  }
  try {
    return await withClient(databaseUrl, (client) => use(client, start))
  } finally {
    await wallet.stop()
    await postgres.drop(RUN)
  }
}

const PARTNERS = `
insert into platform.partner (partner_id, base_url, secrets, created_at)
values ('ours', $1, json_build_array($2::text), now()), ('other', $3, json_build_array($2::text), now())`

async function otherPartner(situation: Situation): Promise<{ url: string; close(): void } | undefined> {
  if (situation === 'alone') return undefined
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {}).resume())).listen(0, HOST)
  await once(server, 'listening')
  const close = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  // The system does not reuse the port so soon.
  if (situation === 'dead port') close()
  return { url: `http://${HOST}:${address.port}`, close }
}

async function firstSettle(client: pg.Client): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while ((await client.query('select from platform.attempt limit 1')).rowCount === 0) {
    if (performance.now() > deadline) throw new Error('no delivery began')
    await sleep(20)
  }
}

const DELIVERED = `
with ours as (select finished_at from platform.delivery where partner_id = 'ours' and operation = 'settle' and status = 'done'),
warm as (select min(finished_at) + make_interval(secs => $1) as from_time from ours)
select count(*)::int as settles, least($2, extract(epoch from max(finished_at) - min(from_time)))::float8 as seconds
from ours, warm where finished_at >= from_time and finished_at < from_time + make_interval(secs => $2)`
const LEFT = `
select (select count(*)::int from platform.delivery where status = 'pending') as left_due,
  (select count(*)::int from platform.attempt a join platform.delivery d using (delivery_id) where d.partner_id = 'other') as other_calls`

async function readMeasurement(client: pg.Client, { warmupSeconds, seconds }: DeliverOptions) {
  const delivered = await client.query<{ settles: number; seconds: number }>(DELIVERED, [warmupSeconds, seconds])
  const { settles, seconds: measured } = delivered.rows[0]!
  const { left_due: leftDue, other_calls: otherCalls } = (
    await client.query<{ left_due: number; other_calls: number }>(LEFT)
  ).rows[0]!
  return { settlesPerSecond: settles / measured, otherCalls, leftDue }
}

/** Each bet must have the same state at the wallet, and each Settle must be sent once. */
const DISAGREEING = `
select count(*)::int as n from platform.bet p full join purser.bet w on w.bet_id = p.bet_id::text
where p.partner_id is distinct from 'other'
  and (p.acknowledged_status is distinct from w.status or p.acknowledged_payout is distinct from w.payout)`
const SENT_AGAIN = `
select count(*)::int as n from platform.delivery where partner_id = 'ours' and operation = 'settle' and (attempts > 1 or status = 'refused')`

async function readFaults(client: pg.Client, databaseUrl: string): Promise<string[]> {
  const count = async (sql: string) => (await client.query<{ n: number }>(sql)).rows[0]!.n
  const [disagreeing, again] = [await count(DISAGREEING), await count(SENT_AGAIN)]
  const env = { PATH: process.env.PATH ?? '', NODE_ENV: 'production', ...purserEnvironment(databaseUrl) }
  const audit = spawnSync(process.execPath, [MAIN, 'audit', '--json'], { env, encoding: 'utf8' })
  return [
    ...(disagreeing > 0 ? [`${disagreeing} bets on which platform and wallet disagree`] : []),
    ...(again > 0 ? [`${again} settles sent more than once or refused`] : []),
    ...(audit.status === 0 ? [] : [`audit: ${(audit.stdout || audit.stderr).trim()}`]),
  ]
}
