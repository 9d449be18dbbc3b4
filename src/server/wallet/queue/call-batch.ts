/**
 * What a batch of calls works on: players locked in sorted order, then accounts, bets, seen calls and sessions read in statements of
 * their own. In memory while the calls are judged one after another, and written together at the end.
 */

import type { PlayerId } from '../../../protocol/wire-ids.ts'
import { groupBy } from '../../../runtime/group.ts'
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
   * The day's transfers of players that have limits, as they were before this batch. The day is that of the account's last
   * transfer or the clock's, whichever is later (W-2): where another clock is ahead, its day has begun for the account.
   */
  readonly earlierToday: ReadonlyMap<string, readonly Transfer[]>
  /** As read; absent when the bet id is new. */
  readonly stored: ReadonlyMap<string, BetRecord>
  /** As they are now. */
  readonly bets: Map<string, BetRecord>
  readonly earlierCalls: Map<string, readonly EarlierCall[]>
  /** Tokens that were refused because their time is over. */
  readonly expired: Set<TokenHash>
  readonly calls: CallRecord[]
  /** For the feed of changes. */
  readonly changes: StoredEvent[]
}

type BetKey = Pick<BetCall, 'player' | 'betId'>

/**
 * The key of a bet in the maps of a batch (I-1). NUL, which no id contains (wire-ids.ts), keeps the
 * two parts apart.
 */
export function betKey({ player, betId }: BetKey): string {
  return `${betId}\u0000${player}`
}

/** `clock` is read after the locks are held, so that times of one player never run backwards within a process. */
export async function loadBatch(
  tx: Tx,
  bucket: number,
  calls: readonly BetCall[],
  clock: () => Date,
  sharedBets: boolean,
): Promise<CallBatch> {
  const playerIds = unique(calls.map((call) => call.player))
  const [players, accounts, first, sessions] = await Promise.all([
    lockRuledPlayers(tx, bucket, playerIds), // first: each of the others takes its snapshot when the locks are held
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

/** The bets of these calls, locked, and what results may be copies of. */
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

/** See `CallBatch.earlierToday`. */
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
 * Writes everything the batch changed, COMMIT right behind it; fails, and the transaction is undone, when something has moved
 * on since it was read.
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

/** In the order of their keys, so that two batches that write the same new bets wait for each other and never in a circle. */
function inOrder<T>(entries: [key: string, value: T][]): T[] {
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
