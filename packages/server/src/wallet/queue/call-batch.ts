/**
 * Data of a batch of bet calls in one bucket (partition of the players).
 *
 * The batch locks its players in sorted order, then reads their accounts, bets, earlier calls and
 * sessions. The calls are decided one after another in memory, and all changes are written
 * together.
 */

import type { PlayerId } from '@purser/protocol/wire-ids'
import { groupBy } from '@purser/runtime/group'
import type { StoredEvent } from '../../core/change-feed/change-store.ts'
import type { Tx } from '../../core/database/db.ts'
import { type Account, accountKey, dayOf, readAccounts } from '../ledger/account.ts'
import { type Book, openBook } from '../ledger/book.ts'
import { saveBook } from '../ledger/book-store.ts'
import { readTodaysTransfers, type Transfer } from '../ledger/transfer.ts'
import { hasLimits, isUnrestricted } from '../rules/player-restrictions.ts'
import type { EarlierCall } from '../rules/replay-detection.ts'
import type { BetCall } from '../store/bet.ts'
import { type CallRecord, insertCalls, readEarlierCalls } from '../store/bet-call-store.ts'
import { type BetRecord, insertBets, insertDetails, lockBets, saveBets } from '../store/bet-store.ts'
import { type LockedPlayer, lockRuledPlayers, markUnrestricted } from '../store/player.ts'
import { expireSessions, readSessions, type Session, type TokenHash } from '../store/session.ts'
import { recordWalletChanges } from '../store/wallet-changes.ts'
import { scopeDisputedCalls } from './platform-scoped-bet-id.ts'

export interface CallBatch {
  readonly bucket: number
  readonly now: Date
  readonly players: ReadonlyMap<PlayerId, LockedPlayer>
  readonly sessions: ReadonlyMap<TokenHash, Session>
  readonly book: Book
  /**
   * Transfers of the day, before this batch, of players with limits. The day is the later of the
   * clock's day and the day of the account's last transfer (W-2). If another clock is ahead, its
   * day has begun for the account.
   */
  readonly earlierToday: ReadonlyMap<string, readonly Transfer[]>
  /** As read; absent when the bet id is new. */
  readonly stored: ReadonlyMap<string, BetRecord>
  /** Current state, with the effects of this batch. */
  readonly bets: Map<string, BetRecord>
  readonly earlierCalls: Map<string, readonly EarlierCall[]>
  /** Tokens that this batch refused as expired. */
  readonly expired: Set<TokenHash>
  readonly calls: CallRecord[]
  /** For the change feed. */
  readonly changes: StoredEvent[]
}

type BetKey = Pick<BetCall, 'player' | 'betId'>

/** Key of a bet within a batch (I-1). The separator NUL occurs in no id (wire-ids.ts). */
export function betKey({ player, betId }: BetKey): string {
  return `${betId}\u0000${player}`
}

/**
 * `clock` is read while the locks are held, so a player's times never run backwards within a
 * process.
 */
export async function loadBatch(
  tx: Tx,
  bucket: number,
  calls: readonly BetCall[],
  clock: () => Date,
  sharedBets: boolean,
): Promise<CallBatch> {
  const playerIds = unique(calls.map((call) => call.player))
  const [players, accounts, first, sessions] = await Promise.all([
    // comes first: the other statements take their snapshots after the locks
    lockRuledPlayers(tx, bucket, playerIds),
    readAccounts(tx, bucket, playerIds),
    loadBets(tx, bucket, calls),
    readSessions(tx, bucket, collectTokens(calls)),
  ])
  const known = new Map(first.records.map((record) => [betKey(record), record]))
  const others = sharedBets ? [] : scopeDisputedCalls(calls, (call) => known.get(betKey(call)), betKey)
  const second = others.length === 0 ? NO_BETS : await loadBets(tx, bucket, others)
  const now = clock()
  const stored = new Map([...known, ...second.records.map((record) => [betKey(record), record] as const)])
  return {
    bucket,
    now,
    players,
    sessions,
    book: openBook(accounts),
    earlierToday: groupBy(await readEarlierToday(tx, bucket, players, accounts, now), accountKey),
    stored,
    bets: new Map(stored),
    earlierCalls: groupBy([...first.earlierCalls, ...second.earlierCalls], betKey),
    expired: new Set(),
    calls: [],
    changes: [],
  }
}

interface LoadedBets {
  readonly records: readonly BetRecord[]
  readonly earlierCalls: Awaited<ReturnType<typeof readEarlierCalls>>
}

const NO_BETS: LoadedBets = { records: [], earlierCalls: [] }

/** Includes the results that the calls may copy. */
async function loadBets(tx: Tx, bucket: number, calls: readonly BetCall[]): Promise<LoadedBets> {
  const [records, earlierCalls] = await Promise.all([
    lockBets(tx, bucket, uniqueBets(calls)),
    readEarlierCalls(
      tx,
      bucket,
      calls.filter(({ kind }) => kind === 'settle' || kind === 'unsettle'),
    ),
  ])
  return { records, earlierCalls }
}

async function readEarlierToday(
  tx: Tx,
  bucket: number,
  players: CallBatch['players'],
  accounts: readonly Account[],
  now: Date,
): Promise<Transfer[]> {
  const today = dayOf(now)
  const limited = accounts.filter(({ day, player: id }) => {
    const player = players.get(id)
    return day >= today && player !== undefined && hasLimits(player)
  })
  const openings = limited.map(({ player, currency, openingVersion: version }) => ({ player, currency, version }))
  return openings.length === 0 ? [] : readTodaysTransfers(tx, bucket, openings)
}

function collectTokens(calls: readonly BetCall[]): TokenHash[] {
  return unique(calls.flatMap((call) => ('token' in call && call.token !== undefined ? [call.token] : [])))
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

function uniqueBets(calls: readonly BetCall[]): BetCall[] {
  return inOrder([...new Map(calls.map((call) => [betKey(call), call]))])
}

/**
 * Writes all changes of the batch together with the COMMIT. If a row has changed since it was read,
 * the write fails and the transaction is rolled back.
 */
export async function saveBatch(tx: Tx, batch: CallBatch): Promise<void> {
  const { bucket, book, now, bets, stored, calls, changes, players, expired } = batch
  const changed = inOrder([...bets].filter(([key, record]) => stored.get(key) !== record))
  const inserted = changed.filter((record) => !stored.has(betKey(record)))
  const updated = changed.filter((record) => stored.has(betKey(record)))
  const newlyUnrestricted = [...players.values()].filter((player) => isUnrestricted(player) && !player.isMarked)
  const send = () =>
    Promise.all([
      saveBook(tx, bucket, book),
      inserted.length > 0 && insertBets(tx, bucket, inserted, now),
      updated.length > 0 && saveBets(tx, bucket, updated, now),
      insertDetails(
        tx,
        bucket,
        changed.filter(({ details }) => details !== undefined),
      ),
      calls.length > 0 && insertCalls(tx, bucket, calls, now),
      recordWalletChanges(tx, bucket, changes, now),
      expireSessions(tx, bucket, [...expired]),
      markUnrestricted(
        tx,
        bucket,
        newlyUnrestricted.map(({ id }) => id),
      ),
    ])
  await tx.finish(send)
}

/** The order by key prevents deadlocks between two batches that write the same new bets. */
function inOrder<T>(entries: [key: string, value: T][]): T[] {
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
