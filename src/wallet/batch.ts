/**
 * What a batch of calls works on: players locked in sorted order, then accounts, bets and seen calls read in statements of
 * their own, and what is not known yet of players and sessions; all in memory while the calls are judged one after another, and written together at the end.
 */
import type { Tx } from '../db/db.ts'
import { groupBy } from '../group.ts'
import { accountKey, dayOf, readAccounts } from '../ledger/account.ts'
import { type Book, openBook } from '../ledger/book.ts'
import { saveBook } from '../ledger/post.ts'
import { readTransfersAfter, type Transfer } from '../ledger/transfer.ts'
import type { PlayerId } from '../protocol/ids.ts'
import type { BetCall } from './bet.ts'
import {
  type BetRecord,
  type CallRecord,
  insertBets,
  insertCalls,
  lockBets,
  type OpenedBet,
  openBets,
  readSeenCalls,
  saveBets,
} from './bet-store.ts'
import type { SeenCall } from './decide/decision.ts'
import { type Known, recall } from './known.ts'
import { lockVersions, type RuledPlayer } from './player.ts'
import type { Session, TokenHash } from './session.ts'

export interface Batch {
  readonly bucket: number
  readonly now: Date
  readonly players: ReadonlyMap<PlayerId, RuledPlayer>
  readonly sessions: ReadonlyMap<TokenHash, Session>
  readonly book: Book
  /** Today's transfers of players that have limits, as they were before this batch. */
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
    readSeenCalls(tx, bucket, uniqueBets(calls.filter((call) => call.kind === 'settle' || call.kind === 'unsettle'))),
  ])
  const { players, sessions } = await recall(tx, bucket, known, versions, tokensOf(calls))
  const now = clock()
  const stored = new Map(records.map((record) => [betKey(record), record]))
  const limited = accounts.filter((account) => account.day === dayOf(now) && hasLimits(players.get(account.player)))
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

function hasLimits(player: RuledPlayer | undefined): boolean {
  return player !== undefined && Object.keys(player.limits).length > 0
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

/** Writes everything the batch changed, COMMIT right behind it; fails, and the transaction is undone, when a row has moved on since it was read. */
export async function saveBatch(tx: Tx, { bucket, book, now, bets, stored, calls }: Batch): Promise<void> {
  const changed = inOrder([...bets].filter(([key, record]) => stored.get(key) !== record))
  const opened = changed.filter(isOpened)
  const others = changed.filter((record) => !isOpened(record))
  const inserted = others.filter((record) => !stored.has(betKey(record)))
  const updated = others.filter((record) => stored.has(betKey(record)))
  const send = () =>
    Promise.all([
      saveBook(tx, bucket, book),
      opened.length > 0 && openBets(tx, bucket, opened, now),
      inserted.length > 0 && insertBets(tx, bucket, inserted, now),
      updated.length > 0 && saveBets(tx, bucket, updated, now),
      calls.length > 0 && insertCalls(tx, bucket, calls, now),
    ])
  await tx.finish(send)
}

function isOpened(record: BetRecord): record is OpenedBet {
  return record.calls === 1 && record.bet.kind === 'open'
}

/** In the order of their keys, so that two batches that write the same new bets wait for each other and never in a circle. */
function inOrder<T>(entries: [key: string, value: T][]): T[] {
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
}
