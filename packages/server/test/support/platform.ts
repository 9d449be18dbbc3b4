/**
 * Starts a platform in this process on its own database, with a client of its API. The platform's
 * clock is real, or the test advances it.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Logger } from '@purser/runtime/logger'
import pg from 'pg'
import { request as send } from 'undici'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { servePlatform } from '../../src/servers/platform-server.ts'
import { asServer, createDatabase } from './database.ts'
import type { FakeTime } from './fake-time.ts'
import { type ScriptedOptions, type ScriptedWallet, startScriptedWallet } from './scripted-wallet.ts'
import { underWay } from './under-way.ts'
import { type Json, readReply } from './wire.ts'

export interface ApiReply {
  status: number
  body: Json
  headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface AttemptView {
  number: number
  startedAt: string
  durationMs: number
  phases?: Record<string, number>
  httpStatus: number | null
  outcome: 'accepted' | 'refused' | 'unknown'
  code?: number
  error?: string
  body: string
}

export interface DeliveryView {
  deliveryId: string
  betId: string
  partnerId: string
  number: number
  operation: 'place' | 'settle' | 'unsettle' | 'rollback'
  requestId: string
  status: 'waiting' | 'pending' | 'done' | 'refused' | 'unknown' | 'stuck'
  amount?: string
  currency?: string
  attempts: number
  code?: number
  error?: string
  decidedAt: string
  dueAt?: string
  finishedAt?: string
  needsAttentionSince?: string
  owedAmount?: string
  schedule?: { madeAt: string[]; plannedAt: string[]; isUnderWay: boolean; asOf: string }
}

export interface BetDetail {
  betId: string
  status: 'placing' | 'accepted' | 'declined' | 'cancelled' | 'settled'
  reason?: string
  amount: string
  currency: string
  coefficient: string
  payout?: string
  resultType?: string
  deliveries: (DeliveryView & { request: { [member: string]: Json }; attemptList: AttemptView[] })[]
}

export interface PlacedBet {
  betId: string
  status: BetDetail['status']
  reason?: string
}

/** All calls except `request` throw when the answer is no success. */
export interface PlatformClient {
  request(method: string, path: string, body?: object | string): Promise<ApiReply>
  savePartner(wallet: { url: string; secret: string }, partnerId?: string): Promise<string>
  /** Resolves to the id of the new frame session. */
  loadFrame(partnerId: string, token?: string): Promise<string>
  /** By default 10.00 on one selection of a new event; `over` replaces members. */
  place(frameSessionId: string, over?: Record<string, unknown>): Promise<PlacedBet>
  bet(betId: string): Promise<BetDetail>
  settle(betId: string, resultType: string, amount: string): Promise<void>
  unsettle(betId: string): Promise<void>
  cancel(betId: string, errorCode: number): Promise<void>
  event(eventId: string, state: object): Promise<void>
  results(eventId: string, results: Record<string, 'won' | 'lost' | 'refund'>): Promise<number>
  limits(limits: object): Promise<void>
  deliveries(query?: string): Promise<DeliveryView[]>
}

export function platformClient(url: string, key: string): PlatformClient {
  const request: PlatformClient['request'] = async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? null)
    const reply = await send(url + path, { method, headers, body: text, headersTimeout: 20_000 })
    return { ...readReply(reply.statusCode, await reply.body.text()), headers: reply.headers }
  }
  const must = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await request(method, path, body)
    if (reply.status < 300) return reply.body
    throw new Error(`${method} ${path} answered ${reply.status}: ${JSON.stringify(reply.body)}`)
  }
  const change = (path: string, body?: object) => must('POST', path, body).then(() => {})
  return { request, ...betCalls(must, change), ...otherCalls(must) }
}

type Must = (method: string, path: string, body?: object) => Promise<unknown>

function betCalls(must: Must, change: (path: string, body?: object) => Promise<void>) {
  return {
    async place(frameSessionId: string, over: Record<string, unknown> = {}): Promise<PlacedBet> {
      return (await must('POST', '/bets', { frameSessionId, ...aBet(), ...over })) as PlacedBet
    },
    bet: async (betId: string) => (await must('GET', `/bets/${betId}`)) as BetDetail,
    settle: (betId: string, resultType: string, amount: string) =>
      change(`/bets/${betId}/settle`, { resultType, amount }),
    unsettle: (betId: string) => change(`/bets/${betId}/unsettle`),
    cancel: (betId: string, errorCode: number) => change(`/bets/${betId}/cancel`, { errorCode }),
  }
}

function otherCalls(must: Must) {
  return {
    async savePartner({ url: baseUrl, secret }: { url: string; secret: string }, partnerId: string = randomUUID()) {
      await must('POST', '/partners', { partnerId, baseUrl, secret })
      return partnerId
    },
    async loadFrame(partnerId: string, token = newToken()): Promise<string> {
      return ((await must('POST', '/frame-sessions', { partnerId, token })) as { frameSessionId: string })
        .frameSessionId
    },
    event: async (eventId: string, state: object) => void (await must('PUT', `/events/${eventId}`, state)),
    async results(eventId: string, results: Record<string, string>): Promise<number> {
      const outcomes = Object.entries(results).map(([outcomeId, result]) => ({ outcomeId, result }))
      return ((await must('POST', `/events/${eventId}/result`, { outcomes })) as { bets: number }).bets
    },
    limits: async (limits: object) => void (await must('PUT', '/limits', limits)),
    async deliveries(query = ''): Promise<DeliveryView[]> {
      return ((await must('GET', `/deliveries${query}`)) as { data: DeliveryView[] }).data
    },
  }
}

export const newToken = () => `token-${randomBytes(16).toString('hex')}`

export function aBet(): { amount: string; selections: Record<string, unknown>[] } {
  return { amount: '10.00', selections: [{ eventId: randomUUID(), outcomeId: 'home', coefficient: '2.5' }] }
}

export interface TestPlatform {
  url: string
  key: string
  databaseUrl: string
  api: PlatformClient
  /** Queries the database directly, without the API. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** A scripted wallet as a partner; it stops with the platform. */
  partner(options?: ScriptedOptions): Promise<{ wallet: ScriptedWallet; partnerId: string }>
  stop(): Promise<void>
}

export interface PlatformOptions {
  /** Real time by default. */
  time?: FakeTime
  /** Without a value, a new database is made, and stop() drops it. */
  databaseUrl?: string
  env?: Record<string, string>
  /** No log by default. */
  log?: Logger
  /** The default 0 makes every gap of the retries as long as possible. */
  random?: () => number
}

export async function startPlatform(options: PlatformOptions = {}): Promise<TestPlatform> {
  const own = options.databaseUrl === undefined ? await createDatabase() : undefined
  const databaseUrl = options.databaseUrl ?? own?.url ?? ''
  const key = randomBytes(16).toString('hex')
  const env = {
    PORT: '0',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PLATFORM_API_KEY: key,
    DATABASE_URL: asServer('platform', databaseUrl),
    ...options.env,
  }
  const { time, log, random = () => 0 } = options
  const reader = new pg.Client({ connectionString: databaseUrl })
  await reader.connect()
  const sql = async (text: string, values: unknown[] = []) => (await reader.query(text, values)).rows
  const wallets: ScriptedWallet[] = []
  const [found] = await sql("select to_regclass('platform.delivery') is not null as has_deliveries")
  const inherited = new Set(found?.has_deliveries ? await readClaims(sql) : [])
  const claims = async () => (await readClaims(sql)).filter((claim) => !inherited.has(claim))
  const unwatch = [time?.watch(() => isWorking(time, claims, wallets)), time?.idle(() => nextDue(sql))]
  const { url, close } = await servePlatform(readConfig(env, PROCESS_ROLES.platform), {
    random,
    ...(log && { log }),
    ...(time && { clock: time, timers: time.timers }),
  }).catch(async (error: unknown) => {
    await reader.end()
    throw error
  })
  const api = platformClient(url, key)
  return {
    ...{ url, key, databaseUrl, api, sql },
    async partner(given = {}) {
      const wallet = await startScriptedWallet({ ...(time && { clock: time }), ...given })
      wallets.push(wallet)
      return { wallet, partnerId: await api.savePartner(wallet) }
    },
    async stop() {
      for (const remove of unwatch) remove?.()
      const faults = await Promise.allSettled(wallets.map((wallet) => wallet.stop()))
      await close()
      await reader.end()
      await own?.drop()
      for (const fault of faults) if (fault.status === 'rejected') throw fault.reason
    },
  }
}

/** Claimed calls without a recorded answer. */
const CLAIMED = `select delivery_id || '/' || attempts as claim from platform.delivery d
  where status = 'pending' and operation <> 'place' and attempts > 0
    and not exists (select from platform.attempt a where a.delivery_id = d.delivery_id and a.number = d.attempts)`

async function readClaims(sql: TestPlatform['sql']): Promise<unknown[]> {
  return (await sql(CLAIMED)).map(({ claim }) => claim)
}

/**
 * The deliverer is idle when it sleeps until some time, and a wallet holds every call without a
 * recorded answer.
 */
async function isWorking(
  time: FakeTime,
  claims: () => Promise<unknown[]>,
  wallets: ScriptedWallet[],
): Promise<boolean> {
  // a long scan runs in addition to the turns (recovery-scan.ts)
  if (time.sleepers() === 0 || underWay() > 0) return true
  const { length } = await claims()
  const held = wallets.reduce((sum, wallet) => sum + wallet.heldCalls(), 0)
  return length > held || time.sleepers() === 0
}

const NEXT_DUE = `select least(coalesce(extract(epoch from min(case when is_claimed or due_at = 'infinity' then 'epoch' else due_at end)) * 1000, 'Infinity')::float8,
    (select 0 from platform.event where results_applied < results_version limit 1)) as at
  from platform.delivery where status = 'pending'`

/**
 * Without a caller, nothing happens before a delivery is due. Claims and running results are
 * checked each second (C-12).
 */
async function nextDue(sql: TestPlatform['sql']): Promise<number> {
  const [row] = await sql(NEXT_DUE)
  return Number(row?.at)
}
