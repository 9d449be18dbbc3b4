/**
 * The accounts of a lane's players as its last batches left them: the next batch of Place bets is judged by them, without a
 * look at the database. They may be out of date, because another process has posted since. Then the writes of that batch must
 * fail: each account must still have the version that was remembered (placeBets).
 *
 * That proves the balance only because a version stands for one balance, and so
 * - what is not committed is never recalled: it may be undone, and another may take its version for a balance of its own;
 * - everything is forgotten with the connection: after a failover to a server that had not got the last commits, a version
 *   may come to stand for another balance.
 */
import type { Account } from '../../ledger/account.ts'
import type { Book } from '../../ledger/book.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import type { Versions } from './known.ts'

export interface AccountMemory {
  /** All accounts of a player of this version, if batches on this connection left them, and are committed. */
  recall(connection: object, player: PlayerId, version: bigint): readonly Account[] | undefined
  /**
   * A batch is going to write, and leaves these players with the accounts of its book. Nothing is recalled of them until the
   * function that is returned is called: when the batch is committed, never if it is not.
   */
  enter(connection: object, versions: Versions, book: Pick<Book, 'accountsOf'>): () => void
  forget(player: PlayerId): void
  /** Nothing is recalled for a while: another process posts to the same players, and each wrong memory costs a transaction. */
  distrust(): void
}

interface Entry {
  readonly accounts: readonly Account[]
  /** Of the player: a new version may bring new accounts. */
  readonly version: bigint
  isCommitted: boolean
}

/** Players that one lane remembers at most; those not seen for the longest time go first. Some 300 bytes each. */
const MAX_PLAYERS = 50_000
/** Milliseconds without recalling after the memory was wrong. */
const DISTRUST_MS = 1_000

export function createAccountMemory(maxPlayers = MAX_PLAYERS): AccountMemory {
  const entries = new Map<PlayerId, Entry>()
  let current: object | undefined
  let distrustedUntil = Number.NEGATIVE_INFINITY
  const useConnection = (connection: object) => {
    if (connection !== current) entries.clear()
    current = connection
  }
  return {
    recall(connection, player, version) {
      useConnection(connection)
      if (performance.now() < distrustedUntil) return undefined
      const entry = entries.get(player)
      return entry?.isCommitted && entry.version === version ? entry.accounts : undefined
    },
    enter(connection, versions, book) {
      useConnection(connection)
      const entered: Entry[] = []
      for (const [player, version] of versions) {
        const entry = { accounts: book.accountsOf(player), version, isCommitted: false }
        if (entries.size > maxPlayers / 2) entries.delete(player) // the order counts when the oldest are soon to go
        entries.set(player, entry)
        entered.push(entry)
      }
      dropOldest(entries, maxPlayers)
      return () => {
        for (const entry of entered) entry.isCommitted = true // no matter if it has been replaced meanwhile
      }
    },
    forget: (player) => void entries.delete(player),
    distrust() {
      distrustedUntil = performance.now() + DISTRUST_MS
    },
  }
}

function dropOldest(entries: Map<PlayerId, Entry>, max: number): void {
  for (const player of entries.keys()) {
    if (entries.size <= max) return
    entries.delete(player)
  }
}
