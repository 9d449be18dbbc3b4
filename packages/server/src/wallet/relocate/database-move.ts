/**
 * Run of `purser move`: copies the wallet's rows into another database while the wallet runs.
 *
 * Each round compares all rows and copies the differences. So the move depends on no other process,
 * and can be interrupted at any time. The final step locks the tables of the old database and
 * compares everything once more. The same transaction then closes the old database. If this step
 * fails, the old database stays open.
 */

import { environment } from '@purser/runtime/environment'
import { numberAllChanges } from '../../core/change-feed/change-store.ts'
import { withExclusiveRun } from '../../core/database/advisory-lock.ts'
import { type Db, statement } from '../../core/database/db.ts'
import { markMovedAway, readRelocationState, writeIncomingMove } from '../../core/database/relocation-state.ts'
import { recordBucketCount } from '../../core/database/schema/buckets.ts'
import { WALLET_CHANGES } from '../store/wallet-changes.ts'
import { recoverPreparedTransactions } from './citus-workers.ts'
import { copyFeed } from './feed-copy.ts'
import { createJournalDays, syncTable } from './keyed-tables.ts'
import { KEYED_TABLES, PLAYER_TABLES, TABLES_TO_CLOSE, TABLES_TO_LOCK } from './move-tables.ts'
import { claimTarget, requireComparable } from './move-target.ts'
import { compareTotals, type MoveTotals } from './move-totals.ts'
import { copyPlayers } from './player-copy.ts'
import { type MoveSides, type MoveTable, toMoveTables } from './row-sync.ts'
import { readShapes } from './table-shape.ts'

/** A round with at most this number of copied players leaves little for the final step. */
const MAX_CHANGED_BEFORE_LAST_PART = 200
const MOST_ROUNDS = 10
/** Waits for holders of table locks, such as a dump; new calls wait meanwhile. */
const LOCK_TIMEOUT = '10s'
const SECOND_MS = 1_000

/** Rounds up. */
function toSeconds(ms: number): number {
  return Math.ceil(ms / SECOND_MS)
}

export interface MoveOptions {
  readonly from: Db
  readonly to: Db
  /** The same databases for long transactions. */
  readonly holders: { readonly from: Db; readonly to: Db }
  /** Number in the new database; undefined means its present number, or one. */
  readonly buckets: number | undefined
  /** Includes the final step. */
  readonly isLast: boolean
  /** Target address without user and password. */
  readonly address: string
  readonly signal: AbortSignal
  now(): Date
  print(line: string): void
  progress(label: string, done: number, of: number): void
}

export interface MoveResult {
  readonly state: 'stopped' | 'copied' | 'different' | 'ready'
  readonly players: number
  /** Estimated or measured milliseconds during which the final step delays calls. */
  readonly ms: number
  readonly differences: readonly string[]
  readonly totals?: MoveTotals
}

interface MoveRun extends MoveOptions {
  readonly sides: MoveSides
  readonly ofPlayers: readonly MoveTable[]
  readonly byKey: readonly MoveTable[]
}

export async function moveDatabase(options: MoveOptions): Promise<MoveResult> {
  const { from, to, holders, buckets, isLast } = options
  await requireComparable(from, to)
  return withExclusiveRun(holders.to, 'move', async () => {
    const id = await claimTarget(from, to, buckets)
    if (id.isReady) return { state: 'ready', players: 0, ms: 0, differences: [] }
    const oldBuckets = await recordBucketCount(from, undefined)
    const sides = { from, to, oldBuckets, buckets: await recordBucketCount(to, buckets) }
    const shapes = await readShapes(from, [...PLAYER_TABLES, ...KEYED_TABLES])
    const [ofPlayers, byKey] = [toMoveTables(shapes, PLAYER_TABLES), toMoveTables(shapes, KEYED_TABLES)]
    const run: MoveRun = { ...options, sides, ofPlayers, byKey }
    const copied = await copyInRounds(run)
    if (!isLast || copied.state === 'stopped') return copied
    return finishMove(run, id, copied.ms)
  })
}

const COUNT = statement('move_count_players', 'select count(*)::int as players from purser.player')

/** Rounds end when few differences are left or their number no longer falls. */
async function copyInRounds(run: MoveRun): Promise<MoveResult> {
  const { from, print, signal } = run
  for (let [round, before] = [1, Number.POSITIVE_INFINITY]; ; round += 1) {
    const [{ players: of } = { players: 0 }] = await from.snapshot((tx) => tx.query<{ players: number }>(COUNT))
    const { players, changed, ms } = await runRound(run, false, of)
    const done = { players, ms, differences: [] }
    if (signal.aborted) return { ...done, state: 'stopped' }
    print(`round ${round}: ${players} players compared in ${toSeconds(ms)} s, ${changed} of them copied`)
    const isShort =
      changed <= MAX_CHANGED_BEFORE_LAST_PART || (round > 1 && changed > before / 2) || round === MOST_ROUNDS
    // The first round copies; only the next one shows the duration of a comparison.
    if (isShort && (round > 1 || changed === 0)) return { ...done, state: 'copied' }
    before = changed
  }
}

interface RoundResult {
  readonly players: number
  readonly changed: number
  readonly ms: number
  readonly different: readonly string[]
  readonly rows: Readonly<Record<string, number>>
}

/** Compares all tables once. `isLast`: no other process writes. */
async function runRound(run: MoveRun, isLast: boolean, of: number): Promise<RoundResult> {
  const { from, sides, ofPlayers, byKey, signal, progress } = run
  const beganAt = environment.monotonicNow()
  // events without a number are copied later
  if (!isLast) await numberAllChanges(from, WALLET_CHANGES, signal).catch(() => {})
  const walked = await copyPlayers({
    ...{ sides, tables: ofPlayers, signal, isLast },
    progress: (players) => progress('players', players, of),
  })
  const different = [...walked.different]
  await createJournalDays(sides)
  for (const table of byKey) {
    // the user of the row may be newer than the comparison of console_user
    if (!isLast && table.shape.table === 'console_session') continue
    const { isSame } = await syncTable(sides, table, signal)
    if (!isSame) different.push(table.shape.table)
  }
  const { isSame } = await copyFeed(sides, isLast, signal)
  if (!isSame) different.push('change')
  return { ...walked, ms: environment.monotonicNow() - beganAt, different }
}

class LastPartRollback extends Error {
  readonly done: MoveResult
  constructor(done: MoveResult) {
    super('the final step was rolled back')
    this.done = done
  }
}

async function finishMove(
  run: MoveRun,
  id: Awaited<ReturnType<typeof claimTarget>>,
  expectedMs: number,
): Promise<MoveResult> {
  const { from, to, holders, address, print, now } = run
  const { away: movedTo } = await readRelocationState(from)
  print(`the final step: calls wait from now on, for about ${toSeconds(expectedMs)} s`)
  const done = await holders.from
    .script(async (sql) => {
      await sql(`set local lock_timeout = '${LOCK_TIMEOUT}'; set local idle_in_transaction_session_timeout = 0`)
      for (const table of TABLES_TO_LOCK) await sql(`lock table purser.${table} in exclusive mode`)
      await recoverPreparedTransactions(from)
      const compared = await compareAll(run)
      if (compared.state !== 'ready') throw new LastPartRollback(compared)
      if (movedTo === undefined)
        await markMovedAway(sql, TABLES_TO_CLOSE, { id: id.id, to: address, at: now().toISOString() })
      return compared
    })
    .catch((error: unknown) => {
      if (error instanceof LastPartRollback) return error.done
      throw error
    })
  // The old database is closed before the new one can be used.
  if (done.state === 'ready') await writeIncomingMove(to, { ...id, isReady: true })
  return done
}

async function compareAll(run: MoveRun): Promise<MoveResult> {
  const { sides, ofPlayers, signal } = run
  const { players, ms, different, rows } = await runRound(run, true, 0)
  if (signal.aborted) return { state: 'stopped', players, ms, differences: [] }
  const { totals, differences } = await compareTotals(sides, ofPlayers, rows)
  const all = [...different, ...differences]
  return { state: all.length === 0 ? 'ready' : 'different', players, ms, differences: all, totals }
}
