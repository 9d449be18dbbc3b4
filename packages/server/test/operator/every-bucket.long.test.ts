/**
 * Every list, report and command gives the same answers with 1 bucket and with 64. The test moves
 * the rows of one wallet from one database to the other.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '@purser/runtime/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { auditBooks } from '../../src/cli/maintenance/audit-runner.ts'
import { importFile } from '../../src/cli/maintenance/import-runner.ts'
import { createCommandActor } from '../../src/core/auth/audit-log/audit-log.ts'
import { PROCESS_ROLES, readConfig } from '../../src/core/config/config.ts'
import { openDb } from '../../src/core/database/database-factory.ts'
import type { Db } from '../../src/core/database/db.ts'
import { readRecordedScales } from '../../src/core/database/schema/currency-scales.ts'
import { compareSettings } from '../../src/servers/money-settings.ts'
import { erasePlayer } from '../../src/wallet/operator-api/players/player-erasure.ts'
import { exportPlayer } from '../../src/wallet/operator-api/players/player-export.ts'
import { ERASURE_OPERATION } from '../../src/wallet/operator-api/players/user-id-lock.ts'
import { moveInto } from '../move/moving.ts'
import { operationsOf, readDocument } from '../openapi/document.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { playerWithMoney } from '../support/operator.ts'
import { startWallet, type TestWallet } from '../support/wallet.ts'
import type { JsonObject } from '../support/wire.ts'

const BUCKETS = [1, 64] as const
const PLAYERS = 12
const player = (i: number) => `player-${i}`
const bet = (i: number, n: number) => `the-bet-${i}-${n}`
let databases: TestDatabase[]
let folder: string
const answers = new Map<number, Map<string, unknown>>()
let keys: Record<string, string>
let last: TestWallet

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'purser-test-'))
  databases = await Promise.all(BUCKETS.map(createDatabase))
  const [first, second] = databases.map(({ url }) => url) as [string, string]
  const seeded = await startWallet({ databaseUrl: first, env: { PURSER_BUCKETS: '1', PURSER_APPROVE_ABOVE: '100' } })
  keys = { PARTNER_SECRET: seeded.secret, OPERATOR_API_KEY: seeded.operatorKey, PURSER_APPROVE_ABOVE: '100' }
  await seed(seeded)
  await seeded.stop() // writes the journal
  await collect(1, first)
  expect(await moveInto(first, second, { buckets: 64, isLast: true })).toMatchObject({ state: 'ready' })
  await collect(64, second)
  // An audit enters the log of actions, which is a list too.
  await collectCommands(1, first)
  await collectCommands(64, second)
  last = await startWallet({ databaseUrl: second, env: keys })
}, 300_000)
afterAll(async () => {
  await last?.stop()
  await Promise.all(databases.map((database) => database.drop()))
  await rm(folder, { recursive: true })
})

async function seed({ wire, operator }: TestWallet): Promise<void> {
  for (let i = 0; i < PLAYERS; i += 1) {
    const over = { userId: player(i), ...(i % 3 === 0 && { brand: 'north' }) }
    const { token } = await playerWithMoney(operator, '100.00', 'EUR', over)
    const of = { userId: player(i), token, currency: 'EUR' }
    const place = (n: number, more = {}) =>
      wire.place({ ...of, requestId: `the-request-place-${i}-${n}`, transactionId: bet(i, n), amount: 5, ...more })
    for (const n of [0, 1, 2]) expect(await place(n, { subPartnerId: `site-${i % 2}` })).toMatchObject({ status: 200 })
    await place(3, { amount: 5_000 })
    await wire.settle({
      ...of,
      transactionId: bet(i, 1),
      amount: 7 + i,
      resultType: 'won',
      requestId: `the-request-won-${i}`,
    })
    await wire.rollback({ ...of, transactionId: bet(i, 2), amount: 5, requestId: `the-request-back-${i}` })
    await wire.settle({
      ...of,
      transactionId: bet(i, 2),
      amount: 1,
      requestId: `the-request-late-${i}`,
      resultType: 'won',
    })
    const adjust = (amount: string) =>
      operator.request('POST', `/operator/players/${player(i)}/adjustments`, {
        ...{ currency: 'EUR', amount, reference: `adjust-${i}-${amount}`, reason: 'a jackpot' },
      })
    await adjust('1.50')
    await adjust('150.00')
    await operator.patch(player(i), {
      customFields: { nickname: `nick-${i}` },
      ...(i % 4 === 0 && { status: 'blocked' }),
    })
    await operator.request('POST', `/operator/players/${player(i)}/personal-data`, {})
  }
  await operator.lock(player(1), bet(1, 1))
  await operator.request('PUT', '/operator/webhooks/crm', { url: 'http://127.0.0.1:9/', events: ['player.created'] })
  await operator.request('POST', '/operator/keys', { name: 'desk', role: 'support' })
}

const today = () => new Date().toISOString().slice(0, 10)
const PATH: Readonly<Record<string, string>> = {
  ...{ userId: player(5), transactionId: bet(5, 1), id: player(7), webhookId: 'crm' },
  runId: '00000000-0000-4000-8000-000000000000',
}
const EARLY = '2020-01-01T00:00:00Z'
/** For each filter a value with one or a few matches. */
const QUERY: Readonly<Record<string, string | readonly string[]>> = {
  ...{ q: ['nick-7', 'player-1'], brand: 'north', limit: '2', from: EARLY, to: '2999-01-01T00:00:00Z', at: EARLY },
  ...{ currency: 'EUR', transactionId: bet(6, 0), userId: player(3), player: player(3), eventId: '1', outcomeId: '1' },
  ...{
    requestId: 'the-request-won-8',
    platform: 'acme',
    slowerThan: '0',
    day: today(),
    site: 'site-1',
    by: 'brand,site',
  },
}
/** The limit of pages of two rows for each request. */
const MOST_PAGES = 40
/** These contain the present time, or counters of this process. */
const OF_THE_MOMENT = ['/operator/now', '/operator/live', '/operator/changes/stream']

/**
 * Reads every GET of the API (plain, with each filter, and in pages), and runs each command that
 * only reads.
 */
async function collect(buckets: number, databaseUrl: string): Promise<void> {
  const found = new Map<string, unknown>()
  const wallet = await startWallet({ databaseUrl, env: { ...keys, PURSER_BUCKETS: String(buckets) } })
  for (const { path, name, parameters = [] } of operationsOf(readDocument('wallet'))) {
    if (!name.startsWith('GET /operator') || OF_THE_MOMENT.includes(path)) continue
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, member: string) => PATH[member] ?? 'missing')
    const required = parameters.filter((one) => one.in === 'query' && one.required)
    const base = required.map((one) => [one.name, String(QUERY[one.name])])
    const optional = parameters.filter((one) => one.in === 'query' && !one.required)
    const ways = optional.flatMap((one) => valuesOf(one).map((value) => [...base, [one.name, value]]))
    for (const way of [base, ...ways]) {
      const query = new URLSearchParams(Object.fromEntries(way))
      found.set(`${filled}?${query}`, await pagesOf(wallet, filled, query))
    }
  }
  await wallet.stop()
  answers.set(buckets, found)
}

async function collectCommands(buckets: number, url: string): Promise<void> {
  const db = await openDb({ kind: 'postgres', url })
  try {
    for (const [name, answer] of Object.entries(await commandsOn(db, buckets))) answers.get(buckets)?.set(name, answer)
  } finally {
    await db.close()
  }
}

function valuesOf({ name, schema }: { name: string; schema: JsonObject | object }): readonly string[] {
  const { enum: all } = schema as { enum?: readonly string[] }
  if (all !== undefined) return all
  return name === 'after' || name === 'wait' ? [] : [QUERY[name] ?? []].flat()
}

async function pagesOf(wallet: TestWallet, path: string, query: URLSearchParams): Promise<unknown> {
  const pages: unknown[] = []
  for (let after: unknown; pages.length < MOST_PAGES; ) {
    const all = new URLSearchParams(query)
    if (typeof after === 'string') all.set('after', after)
    const { status, body } = await wallet.operator.request('GET', `${path}?${all}`)
    const { requestId: _, checkedAt: __, next, ...rest } = body as JsonObject
    pages.push({ status, ...rest })
    const isOver = path === '/operator/changes' ? next === after : next === null
    if (!query.has('limit') || next === undefined || isOver) break
    after = next
  }
  return pages
}

async function commandsOn(db: Db, buckets: number): Promise<Record<string, unknown>> {
  const config = readConfig({ ...keys, DATABASE_URL: 'postgres://unused' }, PROCESS_ROLES.tool)
  const deps = { db, clock: systemClock, buckets, scales: await readRecordedScales(db, 'wallet') }
  const exported = []
  for await (const line of exportPlayer(deps as Parameters<typeof exportPlayer>[0], player(5))) exported.push(line)
  const audited = { config, onlyChanged: false, printStatus: () => {}, progress: () => {} }
  return {
    audit: await auditBooks(db, audited),
    'audit --changed': await auditBooks(db, { ...audited, onlyChanged: true }),
    'export-player': exported,
    settings: await compareSettings(db, 'wallet', config),
  }
}

test('every list with each of its filters and every reading command give the same with 1 and with 64 buckets', () => {
  const [one, many] = BUCKETS.map((buckets) => answers.get(buckets)) as [Map<string, unknown>, Map<string, unknown>]
  expect(one.size).toBeGreaterThan(100)
  const different = [...one].filter(([question, answer]) => !isDeepStrictEqual(answer, many.get(question)))
  expect(different.map(([question, answer]) => ({ question, 1: answer, 64: many.get(question) }))).toEqual([])
})

test('a command that writes stores rows in the bucket of the player', async () => {
  const db = await openDb({ kind: 'postgres', url: last.databaseUrl })
  try {
    const file = join(folder, 'players.csv')
    const lines = Array.from({ length: PLAYERS }, (_, i) => `imported-${i},EUR,${i}.00`)
    await writeFile(file, ['userId,currency,balance', ...lines].join('\n'))
    const config = readConfig({ DATABASE_URL: 'postgres://unused' }, PROCESS_ROLES.tool)
    expect(await importFile(db, config, file, {})).toEqual({ imported: PLAYERS, known: 0, refused: 0 })
    for (let i = 0; i < PLAYERS; i += 1) expect(await last.operator.balance(`imported-${i}`)).toBe(`${i}.00`)
    const author = createCommandActor('purser', 'purser erase-player', ERASURE_OPERATION, {})
    await erasePlayer({ db, buckets: 64, now: systemClock.now() }, author, 'imported-0')
    expect(await last.operator.request('GET', '/operator/players/imported-0')).toMatchObject({ status: 404 })
    await last.auditIsClean()
  } finally {
    await db.close()
  }
})
