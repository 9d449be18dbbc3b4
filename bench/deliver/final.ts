// Measures the end of a match with many bets (a final): the cost of its Settles when they are due
// already, and the delays after a posted result. Delays end with the first Settle, the last Settle
// and another partner's Rollbacks. The partners reply at once, so that only the platform and its
// Postgres are measured.
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import type { BenchPostgres } from '../postgres.ts'
import { readFamilySeconds, readProcessSeconds } from '../processor-time.ts'
import { type ServerProcess, startServer } from '../server-process.ts'
import { createSecret, SECRET } from '../subjects.ts'
import { FINAL, runMigrate, writeBook, writeSettles } from './book.ts'
import { withClient } from './seed.ts'

const PLATFORM_KEY = createSecret()
const RUN = 'deliver_final'
const POLL_MS = 100
/** Share of the Settles that are sent before the measurement. */
const WARM_PART = 0.2
/** Milliseconds between two cancelled bets while the final is settled. */
const CANCEL_EVERY_MS = 50
const FINAL_TIMEOUT_MS = 600_000

interface Calls {
  settles: number
  firstSettleAt: number
  lastSettleAt: number
  again: number
  rollbacks: Record<string, number>
}

export interface Cost {
  settlesPerSecond: number
  platformUs: number
  postgresUs: number
  walBytes: number
  faults: string[]
}

export interface Final {
  firstSettleMs: number
  lastSettleMs: number
  settlesPerSecond: number
  /** CPU time per Settle, including the decisions and the other partner's Rollbacks. */
  platformUs: number
  postgresUs: number
  /** Milliseconds from the cancel request to the arrival of the Rollback. */
  rollbacks: { count: number; p50: number; p99: number; max: number }
  faults: string[]
}

interface Stage {
  client: pg.Client
  ours: ServerProcess
  other: ServerProcess
  othersBets: string[]
  startPlatform(): Promise<ServerProcess>
}

async function onStage<T>(
  postgres: BenchPostgres,
  main: string,
  bets: number,
  others: number,
  use: (stage: Stage) => Promise<T>,
) {
  await postgres.create(RUN)
  const databaseUrl = postgres.url(RUN)
  const partners = await Promise.all([startPartner(), startPartner()])
  const [ours, other] = partners
  try {
    runMigrate(main, databaseUrl)
    return await withClient(databaseUrl, async (client) => {
      const othersBets = await writeBook(client, bets, others)
      const env = {
        DATABASE_URL: databaseUrl,
        PLATFORM_API_KEY: PLATFORM_KEY,
        NODE_ENV: 'development',
        LOG_LEVEL: 'warn',
      }
      return use({ client, ours, other, othersBets, startPlatform: () => startPlatform(main, env, partners) })
    })
  } finally {
    await Promise.all(partners.map((partner) => partner.stop()))
    await postgres.drop(RUN)
  }
}

async function startPlatform(main: string, env: Record<string, string>, [ours, other]: readonly ServerProcess[]) {
  const platform = await startServer([main, 'platform'], env)
  await post(platform, '/partners', { partnerId: 'ours', baseUrl: ours!.url, secret: SECRET })
  await post(platform, '/partners', { partnerId: 'other', baseUrl: other!.url, secret: SECRET })
  return platform
}

function startPartner(): Promise<ServerProcess> {
  return startServer([fileURLToPath(new URL('partner.js', import.meta.url))], {})
}

const callsOf = async ({ url }: ServerProcess) => (await (await fetch(url)).json()) as Calls

async function untilSettled(partner: ServerProcess, count: number): Promise<Calls> {
  const giveUpAt = performance.now() + FINAL_TIMEOUT_MS
  for (;;) {
    const calls = await callsOf(partner)
    if (calls.settles >= count) return calls
    if (performance.now() > giveUpAt) throw new Error(`${calls.settles} settles came, not ${count}`)
    await sleep(POLL_MS)
  }
}

export function measureCost(postgres: BenchPostgres, main: string, bets: number): Promise<Cost> {
  return onStage(postgres, main, bets, 0, async ({ client, ours, startPlatform }) => {
    await writeSettles(client)
    await client.query('vacuum analyze platform.delivery, platform.bet')
    await client.query('checkpoint')
    const platform = await startPlatform()
    const take = async (count: number) => {
      const { settles } = await untilSettled(ours, count)
      const wal = await client.query<{ bytes: number }>("select (pg_current_wal_lsn() - '0/0')::float8 as bytes")
      const spent = { platform: readProcessSeconds(platform.pid), postgres: readFamilySeconds(postgres.pid) }
      return { settles, at: performance.now(), wal: wal.rows[0]!.bytes, ...spent }
    }
    const before = await take(bets * WARM_PART)
    const after = await take(bets)
    const count = after.settles - before.settles
    await platform.stop()
    return {
      settlesPerSecond: (count / (after.at - before.at)) * 1_000,
      platformUs: ((after.platform - before.platform) / count) * 1e6,
      postgresUs: ((after.postgres - before.postgres) / count) * 1e6,
      walBytes: (after.wal - before.wal) / count,
      faults: await faultsOf(client, ours, bets),
    }
  })
}

export function measureFinal(postgres: BenchPostgres, main: string, bets: number): Promise<Final> {
  const others = Math.min(bets, 5_000)
  return onStage(postgres, main, bets, others, async ({ client, ours, other, othersBets, startPlatform }) => {
    await client.query('vacuum analyze')
    await client.query('checkpoint')
    const platform = await startPlatform()
    const spent = () => ({ platform: readProcessSeconds(platform.pid), postgres: readFamilySeconds(postgres.pid) })
    const [postedAt, before] = [Date.now(), spent()]
    let isSettled = false
    const cancelled = cancelSome(platform, othersBets, () => isSettled)
    const posted = post(platform, `/events/${FINAL}/result`, { outcomes: [{ outcomeId: 'home', result: 'won' }] })
    const calls = await untilSettled(ours, bets)
    const after = spent()
    isSettled = true
    const [requestedAt] = await Promise.all([cancelled, posted])
    while (Object.keys((await callsOf(other)).rollbacks).length < requestedAt.size) await sleep(POLL_MS)
    const { rollbacks } = await callsOf(other)
    await platform.stop()
    const delays = [...requestedAt].map(([betId, at]) => (rollbacks[betId] ?? Number.NaN) - at).sort((a, b) => a - b)
    const quantile = (part: number) => delays[Math.ceil(delays.length * part) - 1] ?? Number.NaN
    return {
      firstSettleMs: calls.firstSettleAt - postedAt,
      lastSettleMs: calls.lastSettleAt - postedAt,
      settlesPerSecond: (bets / (calls.lastSettleAt - postedAt)) * 1_000,
      platformUs: ((after.platform - before.platform) / bets) * 1e6,
      postgresUs: ((after.postgres - before.postgres) / bets) * 1e6,
      rollbacks: { count: delays.length, p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) },
      faults: await faultsOf(client, ours, bets),
    }
  })
}

/** Cancels bets while the final is settled; returns the time of each request. */
async function cancelSome(platform: ServerProcess, betIds: readonly string[], isOver: () => boolean) {
  const requestedAt = new Map<string, number>()
  for (const betId of betIds) {
    if (isOver()) break
    requestedAt.set(betId, Date.now())
    await post(platform, `/bets/${betId}/cancel`, { errorCode: 32 })
    await sleep(CANCEL_EVERY_MS)
  }
  return requestedAt
}

async function post({ url }: ServerProcess, path: string, body: object): Promise<void> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(FINAL_TIMEOUT_MS),
  })
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

/** Each Settle must be sent once, and its acknowledgement recorded. */
async function faultsOf(client: pg.Client, partner: ServerProcess, bets: number): Promise<string[]> {
  const { again } = await callsOf(partner)
  const { rows } = await client.query<{ acknowledged: number }>(
    "select count(*)::int as acknowledged from platform.bet where partner_id = 'ours' and acknowledged_status = 'settled' and acknowledged_payout = payout",
  )
  const delivered = rows[0]!.acknowledged
  return [
    ...(again > 0 ? [`${again} settles were sent again`] : []),
    ...(delivered === bets ? [] : [`${delivered} of ${bets} bets are acknowledged`]),
  ]
}
