// Measures each list and report of the wallet on a day of a million bets, and prints time and plan.
// See bench/README.md.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createLogger } from '@purser/runtime/logger'
import pg from 'pg'
import { createAuditLog } from 'purser/core/auth/audit-log/audit-log'
import { createCallStats } from 'purser/core/call-journal/call-stats'
import { listCalls } from 'purser/core/call-journal/journal-call-list'
import { readLastHour } from 'purser/core/call-journal/last-hour-stats'
import { createFeed } from 'purser/core/change-feed/change-feed'
import { openDb } from 'purser/core/database/database-factory'
import type { Db } from 'purser/core/database/db'
import { closeDays } from 'purser/wallet/ledger/daily-sums'
import { sumLedger } from 'purser/wallet/ledger/ledger-balance'
import { runWalletAudit } from 'purser/wallet/operator-api/audit/wallet-audit'
import { listAnomalies } from 'purser/wallet/operator-api/bets/anomaly-list'
import { getBet } from 'purser/wallet/operator-api/bets/bet-detail'
import { listBets } from 'purser/wallet/operator-api/bets/bet-list'
import { lookUpWalletId } from 'purser/wallet/operator-api/lookup/id-lookup'
import { searchId } from 'purser/wallet/operator-api/lookup/id-search'
import { listProposals } from 'purser/wallet/operator-api/money/adjustment-proposals'
import { getBalances } from 'purser/wallet/operator-api/money/deposits-and-withdrawals'
import { getStatement } from 'purser/wallet/operator-api/money/statement'
import { listTransfers } from 'purser/wallet/operator-api/money/transfer-list'
import type { OperatorDeps } from 'purser/wallet/operator-api/operator-context'
import { listPlayers } from 'purser/wallet/operator-api/players/player-list'
import { listSessions } from 'purser/wallet/operator-api/players/session-list'
import { createDailyReport } from 'purser/wallet/operator-api/reports/daily-report'
import { listPlayerDays } from 'purser/wallet/operator-api/reports/player-day-report'
import { WALLET_CHANGES } from 'purser/wallet/store/wallet-changes'
import { parseArguments, parsePositive } from '../arguments.ts'
import { startBenchPostgres } from '../postgres.ts'
import { MAIN } from '../subjects.ts'
import { buildPlatformQueries, seedPlatform } from './platform.ts'
import { formatTimingRow, TABLE_HEAD, type TimedQuery, timeQuery, timeWork } from './query-timing.ts'
import { SEED_EVENTS, SEED_PLAYERS, seedDatabase, seedJournal, toSeedBetId } from './seed.ts'

const DAY_MS = 86_400_000
/** Upper limit of calls in the journal, for any number of bets. */
const MOST_CALLS = 1_000_000
/** Marks a list that sums transfers because the daily sums are not stored. */
const NOT_KEPT = ', not stored'

type Query = TimedQuery<OperatorDeps>

function buildWalletQueries(bets: number, day: string): Query[] {
  const middle = Math.trunc(Math.min(bets, MOST_CALLS) / 2)
  const [userId, time] = [`player-${middle % SEED_PLAYERS}`, `${day}T12:00:00Z`]
  const far = Buffer.from(JSON.stringify([`${day}T03:00:00.000Z`, 'player-1', 'x'])).toString('base64url')
  const actions = createAuditLog('purser')
  const of = (query: object) => ({ limit: '50', ...query })
  const bet = (what: string, query: object): Query => ({ what, run: (deps) => listBets(deps, of(query)) })
  const player = (what: string, query: object): Query => ({
    what,
    run: (deps) => listPlayers(deps, of(query), true),
  })
  const feed = (what: string, after: string): Query => ({
    what,
    run: ({ db }) => createFeed(db as Db, WALLET_CHANGES).poll(after, 100, 0),
  })
  const call = (what: string, query: object): Query => ({
    what,
    run: ({ db }) => listCalls(db.userQueries, 'purser', of(query)),
  })
  const auditLog = (what: string, target?: string, kind?: 'player' | 'history'): Query => ({
    what,
    run: ({ db }) => actions.list(db.userQueries, of({}), target, kind),
  })
  return [
    bet('bets, the newest 50', {}),
    bet('bets, a late page', { after: far }),
    bet('open bets', { status: 'open' }),
    bet('bets of one player', { userId }),
    bet('declined bets', { status: 'refused' }),
    bet('cancelled bets', { status: 'cancelled' }),
    bet('bets with an id, of any player', { transactionId: toSeedBetId(middle) }),
    bet('bets of one platform', { platform: 'acme' }),
    bet('bets on an event', { eventId: '4000077' }),
    bet('bets on an event, a late page', { eventId: '4000077', after: far }),
    bet('bets on an outcome of an event', { eventId: '4000077', outcomeId: '1' }),
    bet('bets on an event without bets', { eventId: '17' }),
    { what: 'one bet with its history', run: (deps) => oneBet(deps, userId) },
    { what: 'anomalies, the newest 50', run: (deps) => listAnomalies(deps, of({})) },
    player('players, the first 50', {}),
    player('players by the beginning of an e-mail address', { q: '4711' }),
    player('players by the beginning of a nickname', { q: 'nick-4711' }),
    player("players by the beginning of the operator's id", { q: 'site-4711' }),
    player('blocked players', { status: 'blocked' }),
    player('players of a brand', { brand: 'brand-3' }),
    { what: 'statement of a player', run: (deps) => getStatement(deps, userId, of({})) },
    { what: 'statement of a player, payouts', run: (deps) => getStatement(deps, userId, of({ kind: 'payout' })) },
    { what: "a player's balances at a past time", run: (deps) => getBalances(deps, userId, { at: time }) },
    auditLog('the history of blocks, limits and exclusions of a player', userId, 'history'),
    { what: 'sessions of a player', run: (deps) => listSessions(deps, userId, of({})) },
    { what: 'adjustments, the newest 50', run: (deps) => listProposals(deps, of({})) },
    { what: 'pending adjustments', run: (deps) => listProposals(deps, of({ status: 'pending' })) },
    { what: `the sums of the whole ledger${NOT_KEPT}`, isReport: true, run: ({ db }) => sumLedger(db, new Date()) },
    { what: 'the calls of the last hour, by minute', run: ({ db }) => lastHour(db as Db) },
    { what: 'all records of a bet, by its whole id', run: (deps) => lookUpWalletId(deps, toSeedBetId(middle)) },
    { what: 'the kind of an id, by six characters', run: searchHalfId },
    feed('changes, a page of 100 in the middle', String(bets)),
    call('calls, the newest 50', {}),
    call('calls of a player', { player: userId }),
    call('one call by its request', { requestId: `request-${middle}` }),
    auditLog('the audit log, the newest 50'),
    auditLog('the audit log of a player', userId, 'player'),
    ...transfersOf(day),
    {
      what: 'players of the day, the first 50',
      isReport: true,
      run: (deps) => listPlayerDays(deps, { limit: '50', day }),
    },
    { what: `report of the day${NOT_KEPT}`, isReport: true, run: (deps) => createDailyReport(deps, { from: day }) },
  ]
}

function searchHalfId({ db, buckets }: OperatorDeps) {
  return searchId(db.userQueries, buckets, '7b1c8f')
}

/** Rare kinds have an index; a list by period is read as a report. */
function transfersOf(day: string): Query[] {
  const after = Buffer.from(JSON.stringify([`${day}T03:00:00.000Z`, 'player-1', 'EUR', '1'])).toString('base64url')
  const list = (query: object) => (deps: OperatorDeps) => listTransfers(deps, { limit: '50', day, ...query })
  return [
    { what: 'deposits of the day, across players', run: list({ kind: 'deposit' }) },
    { what: 'stakes of the day, across players', isReport: true, run: list({ kind: 'stake' }) },
    { what: 'stakes of the day, of a brand', isReport: true, run: list({ kind: 'stake', brand: 'brand-3' }) },
    { what: 'transfers of the day, a late page', isReport: true, run: list({ after }) },
  ]
}

function lastHour(db: Db): Promise<unknown> {
  const clock = { now: () => new Date() }
  return readLastHour(createCallStats({ db, clock, log: createLogger('silent'), schema: 'purser' }), clock.now())
}

async function oneBet(deps: OperatorDeps, userId: string): Promise<unknown> {
  const { data } = await listBets(deps, { limit: '1', userId })
  return getBet(deps, userId, data[0]!.transactionId)
}

async function main(): Promise<void> {
  const { values } = parseArguments(process.argv.slice(2), {
    bets: { type: 'string', default: '1000000' },
    database: { type: 'string' },
  })
  const bets = parsePositive('bets', values.bets)
  const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
  if (values.database !== undefined) return inDatabase(values.database, bets, day, timeLists)
  const postgres = await startBenchPostgres()
  try {
    await postgres.create('lists')
    const url = postgres.url('lists')
    const env = { ...process.env, DATABASE_URL: url }
    await promisify(execFile)(process.execPath, [MAIN, 'migrate'], { env })
    process.stdout.write(
      `| Once | |\n|---|---|\n${await timeWork(`seeding ${bets} bets on ${SEED_EVENTS} events`, () => seedDatabase(url, { bets, players: SEED_PLAYERS, day }))}\n`,
    )
    await inDatabase(url, bets, day, timeAll)
  } finally {
    await postgres.stop()
  }
}

type Times = (db: Db, sql: pg.Client, bets: number, day: string) => Promise<void>

/** `times` measures a database with this number of bets, whose journal is filled first. */
async function inDatabase(url: string, bets: number, day: string, times: Times): Promise<void> {
  const db = await openDb({ kind: 'postgres', url })
  const sql = new pg.Client(url)
  sql.on('error', () => {}) // the run may end early
  await sql.connect()
  const calls = Math.min(bets, MOST_CALLS)
  process.stdout.write(
    `${await timeWork(`filling the journal with ${calls} Place bets`, () => seedJournal(db, calls, day))}\n`,
  )
  await times(db, sql, bets, day)
  await Promise.all([sql.end(), db.close()])
}

const depsOn = (db: Db): OperatorDeps => ({
  ...{ db, clock: { now: () => new Date() }, buckets: 1, scales: new Map([['EUR', 2]]) },
})

/** Without daily sums and the audit, whose time grows with the number of bets. */
async function timeLists(db: Db, sql: pg.Client, bets: number, day: string): Promise<void> {
  process.stdout.write(`${TABLE_HEAD}\n`)
  for (const one of buildWalletQueries(bets, day).filter(({ isReport }) => isReport !== true))
    process.stdout.write(`${formatTimingRow(await timeQuery(sql, depsOn(db), one))}\n`)
}

async function timeAll(db: Db, sql: pg.Client, bets: number, day: string): Promise<void> {
  const deps = depsOn(db)
  const all = buildWalletQueries(bets, day)
  const kept = all
    .filter(({ what }) => what.includes(NOT_KEPT))
    .map((one) => ({ ...one, what: `${one.what.replace(NOT_KEPT, '')}, stored` }))
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  say(TABLE_HEAD)
  for (const one of all) say(formatTimingRow(await timeQuery(sql, deps, one)))
  const keeping = await timeWork('keeping the sums of the day', async () => void (await closeDays(db, new Date())))
  for (const one of kept) say(formatTimingRow(await timeQuery(sql, deps, one)))
  say(
    `\n${keeping}\n${await timeWork('the audit', async () => `${(await runWalletAudit(db, { clawback: 'refuse' })).findings.length} findings`)}`,
  )
  await timePlatform(db, sql, bets, day)
}

/** Runs last, because these rows would displace the wallet's rows in memory. */
async function timePlatform(db: Db, sql: pg.Client, bets: number, day: string): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  say(
    `\n${await timeWork(`seeding the platform's ${bets} bets with their deliveries`, () => seedPlatform(sql, bets, day))}`,
  )
  say(TABLE_HEAD)
  const deps = { db, clock: { now: () => new Date() }, scales: new Map([['EUR', 2]]) }
  for (const one of buildPlatformQueries(bets, day)) say(formatTimingRow(await timeQuery(sql, deps, one)))
}

await main()
