/**
 * `purser move`: the wallet's rows in another database, while the wallet runs. Round after round all rows are compared, and those that differ are
 * copied; so it needs to know nothing of who changes what, and can be ended at any moment. In the last part nobody else can write: the tables
 * are locked, all is compared once more, and the same transaction closes the old database for good. When that does not come to its end, the locks are
 * gone with it, and nothing was closed.
 */
import { fixBuckets } from '../db/buckets.ts'
import { type Db, statement } from '../db/db.ts'
import { close, readMoved, writeHere } from '../db/moved.ts'
import { alone } from '../db/one-run.ts'
import { numberAll } from '../feed/change-store.ts'
import { world } from '../runtime/world.ts'
import { WALLET_CHANGES } from '../wallet/store/change.ts'
import { makeDays, walkTable } from './by-key.ts'
import { walkFeed } from './feed.ts'
import { walkPlayers } from './players.ts'
import { type Sides, type Table, tablesOf } from './same-rows.ts'
import { readShapes } from './shape.ts'
import { BY_KEY, OF_PLAYERS, TO_CLOSE, TO_LOCK } from './tables.ts'
import { claim, requireBoth } from './target.ts'
import { compareTotals, type Totals } from './totals.ts'
import { settleWorkers } from './workers.ts'

/** A round that has copied of no more players leaves little for the last part. */
const FEW = 200
const MOST_ROUNDS = 10
/** For what holds a table, such as a dump. New calls wait behind us meanwhile. */
const LOCK_TIMEOUT = '10s'
const SECOND_MS = 1_000

/** Never less than it takes. */
function secondsOf(ms: number): number {
  return Math.ceil(ms / SECOND_MS)
}

export interface MoveOptions {
  readonly from: Db
  readonly to: Db
  /** The same databases again, for transactions that last. */
  readonly holders: { readonly from: Db; readonly to: Db }
  /** Of the new database; undefined: as many as it has, or one. */
  readonly buckets: number | undefined
  /** With the last part. */
  readonly isLast: boolean
  /** Where it goes, without user and password. */
  readonly address: string
  readonly signal: AbortSignal
  now(): Date
  /** A line for who waits. */
  say(line: string): void
  progress(what: string, done: number, of: number): void
}

export interface MoveDone {
  readonly state: 'stopped' | 'copied' | 'different' | 'ready'
  readonly players: number
  /** Milliseconds for which the last part will keep calls waiting, or has. */
  readonly ms: number
  /** What is not the same at the end. */
  readonly differences: readonly string[]
  readonly totals?: Totals
}

interface Run extends MoveOptions {
  readonly sides: Sides
  readonly ofPlayers: readonly Table[]
  readonly byKey: readonly Table[]
}

export async function move(options: MoveOptions): Promise<MoveDone> {
  const { from, to, holders, buckets, isLast } = options
  await requireBoth(from, to)
  return alone(holders.to, 'move', async () => {
    const id = await claim(from, to, buckets)
    if (id.isReady) return { state: 'ready', players: 0, ms: 0, differences: [] }
    const oldBuckets = await fixBuckets(from, undefined)
    const sides = { from, to, oldBuckets, buckets: await fixBuckets(to, buckets) }
    const shapes = await readShapes(from, [...OF_PLAYERS, ...BY_KEY])
    const [ofPlayers, byKey] = [tablesOf(shapes, OF_PLAYERS), tablesOf(shapes, BY_KEY)]
    const run: Run = { ...options, sides, ofPlayers, byKey }
    const copied = await catchUp(run)
    if (!isLast || copied.state === 'stopped') return copied
    return finish(run, id, copied.ms)
  })
}

const COUNT = statement('move_count_players', 'select count(*)::int as players from purser.player')

/** Until little is left, or it does not get less. */
async function catchUp(run: Run): Promise<MoveDone> {
  const { from, say, signal } = run
  for (let [round, before] = [1, Number.POSITIVE_INFINITY]; ; round += 1) {
    const [{ players: of } = { players: 0 }] = await from.snapshot((tx) => tx.query<{ players: number }>(COUNT))
    const { players, changed, ms } = await walk(run, false, of)
    const done = { players, ms, differences: [] }
    if (signal.aborted) return { ...done, state: 'stopped' }
    say(`round ${round}: ${players} players compared in ${secondsOf(ms)} s, ${changed} of them copied`)
    const isShort = changed <= FEW || (round > 1 && changed > before / 2) || round === MOST_ROUNDS
    // The first one has copied: how long comparing takes, only the next one says.
    if (isShort && (round > 1 || changed === 0)) return { ...done, state: 'copied' }
    before = changed
  }
}

interface Walked {
  readonly players: number
  readonly changed: number
  readonly ms: number
  readonly different: readonly string[]
  readonly rows: Readonly<Record<string, number>>
}

/** All tables once. `isLast`: nobody else writes. */
async function walk(run: Run, isLast: boolean, of: number): Promise<Walked> {
  const { from, sides, ofPlayers, byKey, signal, progress } = run
  const beganAt = world.elapsed()
  if (!isLast) await numberAll(from, WALLET_CHANGES, signal).catch(() => {}) // what has no number comes later
  const walked = await walkPlayers({
    ...{ sides, tables: ofPlayers, signal, isLast },
    progress: (players) => progress('players', players, of),
  })
  const different = [...walked.different]
  await makeDays(sides)
  for (const table of byKey) {
    if (!isLast && table.shape.table === 'console_session') continue // of a person who came behind the look at people
    const { isSame } = await walkTable(sides, table, signal)
    if (!isSame) different.push(table.shape.table)
  }
  const { isSame } = await walkFeed(sides, isLast, signal)
  if (!isSame) different.push('change')
  return { ...walked, ms: world.elapsed() - beganAt, different }
}

class Undone extends Error {
  readonly done: MoveDone
  constructor(done: MoveDone) {
    super('the last part is undone')
    this.done = done
  }
}

async function finish(run: Run, id: Awaited<ReturnType<typeof claim>>, expectedMs: number): Promise<MoveDone> {
  const { from, to, holders, address, say, now } = run
  const { away } = await readMoved(from)
  say(`the last part: calls wait from now on, for about ${secondsOf(expectedMs)} s`)
  const done = await holders.from
    .script(async (sql) => {
      await sql(`set local lock_timeout = '${LOCK_TIMEOUT}'; set local idle_in_transaction_session_timeout = 0`)
      for (const table of TO_LOCK) await sql(`lock table purser.${table} in exclusive mode`)
      await settleWorkers(from)
      const compared = await compareAll(run)
      if (compared.state !== 'ready') throw new Undone(compared)
      if (away === undefined) await close(sql, TO_CLOSE, { id: id.id, to: address, at: now().toISOString() })
      return compared
    })
    .catch((error: unknown) => {
      if (error instanceof Undone) return error.done
      throw error
    })
  // The old one is closed for good before the new one can be used.
  if (done.state === 'ready') await writeHere(to, { ...id, isReady: true })
  return done
}

/** While nobody writes. */
async function compareAll(run: Run): Promise<MoveDone> {
  const { sides, ofPlayers, signal } = run
  const { players, ms, different, rows } = await walk(run, true, 0)
  if (signal.aborted) return { state: 'stopped', players, ms, differences: [] }
  const { totals, differences } = await compareTotals(sides, ofPlayers, rows)
  const all = [...different, ...differences]
  return { state: all.length === 0 ? 'ready' : 'different', players, ms, differences: all, totals }
}
