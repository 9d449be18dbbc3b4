/**
 * What a batch of calls works on: players locked in sorted order, then accounts, bets and seen calls read in statements of
 * their own, and what is not known yet of players and sessions; or all of it recalled. In memory while the calls are judged
 * one after another, and written together at the end.
 */
import type { Tx } from '../../db/db.ts'
import { accountKey, dayOf, readAccounts } from '../../ledger/account.ts'
import { type Book, openBook } from '../../ledger/book.ts'
import { saveBook } from '../../ledger/post.ts'
import { readTransfersAfter, type Transfer } from '../../ledger/transfer.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import { groupBy } from '../../runtime/group.ts'
import type { SeenCall } from '../decide/seen.ts'
import type { BetCall, PlaceCall } from '../store/bet.ts'
import {
  type BetRecord,
  insertBets,
  lockBets,
  type OpenedBet,
  openBets,
  placeBets,
  saveBets,
} from '../store/bet-store.ts'
import { type CallRecord, insertCalls, readSeenCalls } from '../store/call-store.ts'
import { hasLimits, lockVersions, type RuledPlayer } from '../store/player.ts'
import type { Session, TokenHash } from '../store/session.ts'
import type { AccountMemory } from './account-memory.ts'
import { type Known, type Lookup, recall, recallAll, type Versions } from './known.ts'

export interface Batch {
  readonly bucket: number
  readonly now: Date
  /** Of the players that exist, as they were read or recalled. */
  readonly versions: Versions
  /** Whether the players are locked, and the rest was read after that; else all was recalled. */
  readonly isLocked: boolean
  readonly players: Lookup<PlayerId, RuledPlayer>
  readonly sessions: Lookup<TokenHash, Session>
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
  readonly seen: Map<string, readonly SeenCall[]>
  readonly calls: CallRecord[]
}

type BetKey = Pick<BetCall, 'player' | 'betId'>

/** The key of a bet in the maps of a batch (I-1). NUL, which no id contains (ids.ts), keeps the two parts apart. */
export function betKey({ player, betId }: BetKey): string {
  return `${betId}\u0000${player}`
}

/**
 * Whose rows are looked for. A Place bet nearly always brings a new id, and looking for its row finds nothing. Where it is
 * taken for new and is not, the writes fail as a conflict (saveBatch) and nothing of the batch is written.
 */
export type BetsToRead = 'all but placed' | 'all'

/**
 * A batch for which nothing is read: Place bets, taken for new, of players whose accounts the lane remembers. Where that
 * is not so, undefined; where it turns out to be wrong, the writes fail as a conflict (saveBatch). `clock` is read before
 * the locks are held; if anybody posts in between, the writes fail too.
 */
export function recallBatch(
  { connection }: Tx,
  bucket: number,
  calls: readonly BetCall[],
  known: Known,
  memory: AccountMemory,
  clock: () => Date,
): Batch | undefined {
  if (!calls.every((call): call is PlaceCall => call.kind === 'place')) return undefined
  const recalled = recallAll(known, memory, connection, calls)
  if (recalled === undefined) return undefined
  const { versions, players, sessions, accounts } = recalled
  return {
    bucket,
    now: clock(),
    versions,
    isLocked: false,
    players,
    sessions,
    book: openBook(accounts),
    earlierToday: new Map(),
    stored: new Map(),
    bets: new Map(),
    seen: new Map(),
    calls: [],
  }
}

/** `clock` is read after the locks are held, so that times of one player never run backwards within a process. */
export async function loadBatch(
  tx: Tx,
  bucket: number,
  calls: readonly BetCall[],
  known: Known,
  clock: () => Date,
  reading: BetsToRead,
): Promise<Batch> {
  const playerIds = unique(calls.map((call) => call.player))
  const [versions, accounts, records, seen] = await Promise.all([
    lockVersions(tx, bucket, playerIds), // first: each of the others takes its snapshot when the locks are held
    readAccounts(tx, bucket, playerIds),
    lockBets(tx, bucket, uniqueBets(reading === 'all' ? calls : calls.filter(({ kind }) => kind !== 'place'))),
    readSeenCalls(
      tx,
      bucket,
      calls.filter(({ kind }) => kind === 'settle' || kind === 'unsettle'),
    ),
  ])
  const { players, sessions } = await recall(tx, bucket, known, versions, tokensOf(calls))
  const now = clock()
  const stored = new Map(records.map((record) => [betKey(record), record]))
  const today = dayOf(now)
  const limited = accounts.filter(({ day, player: id }) => {
    const player = players.get(id)
    return day >= today && player !== undefined && hasLimits(player)
  })
  const openings = limited.map(({ player, currency, openingVersion }) => ({
    player,
    currency,
    version: openingVersion,
  }))
  const earlier = openings.length === 0 ? [] : await readTransfersAfter(tx, bucket, openings)
  const book = openBook(accounts)
  return {
    bucket,
    now,
    versions,
    isLocked: true,
    players,
    sessions,
    book,
    earlierToday: groupBy(earlier, accountKey),
    stored,
    bets: new Map(stored),
    seen: groupBy(seen, betKey),
    calls: [],
  }
}

function tokensOf(calls: readonly BetCall[]): TokenHash[] {
  return unique(calls.flatMap((call) => ('token' in call && call.token !== undefined ? [call.token] : [])))
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

function uniqueBets(calls: readonly BetCall[]): BetCall[] {
  return inOrder([...new Map(calls.map((call) => [betKey(call), call]))])
}

/**
 * Of a recalled batch, whether its writes prove what it was judged by: each new bet writes to its account, which fails if
 * that is not as it was remembered. A refusal writes nothing of the kind.
 */
export function isProvenByWrites({ bets, now }: Batch): boolean {
  return bets.size > 0 && [...bets.values()].every((record) => isOpened(record, now))
}

/**
 * Writes everything the batch changed, COMMIT right behind it; fails, and the transaction is undone, when something has moved
 * on since it was read.
 */
export async function saveBatch(tx: Tx, batch: Batch): Promise<void> {
  const { bucket, book, now, bets, stored, calls, versions, isLocked } = batch
  const changed = inOrder([...bets].filter(([key, record]) => stored.get(key) !== record))
  const opened = changed.filter((record): record is OpenedBet => isOpened(record, now))
  if (!isLocked) return void (await placeBets(tx, bucket, opened, book.changed(), versions, now))
  const others = changed.filter((record) => !isOpened(record, now))
  const inserted = others.filter((record) => !stored.has(betKey(record)))
  const updated = others.filter((record) => stored.has(betKey(record)))
  const send = () =>
    Promise.all([
      saveBook(tx, bucket, book, new Set(opened.map((record) => record.stake))),
      opened.length > 0 && openBets(tx, bucket, opened, now),
      inserted.length > 0 && insertBets(tx, bucket, inserted, now),
      updated.length > 0 && saveBets(tx, bucket, updated, now),
      calls.length > 0 && insertCalls(tx, bucket, calls, now),
    ])
  await tx.finish(send)
}

function isOpened({ calls, bet, stake }: BetRecord, now: Date): boolean {
  return calls === 1 && bet.kind === 'open' && stake?.at === now
}

/** In the order of their keys, so that two batches that write the same new bets wait for each other and never in a circle. */
function inOrder<T>(entries: [key: string, value: T][]): T[] {
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
