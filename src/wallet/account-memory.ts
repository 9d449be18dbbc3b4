/**
 * The accounts of a lane's players as its batches left them, from when their writes are on their way: the next batch of
 * Place bets is judged by that, without a look at the database and before the last one is durable. It may be wrong: the
 * last batch was not committed, or somebody else has posted since. So the writes of whoever judges by it must fail then:
 * the version of each account must be the remembered one (saveBook), and a version stands for one balance only.
 *
 * That last holds for the history of one database. After a failover to a server that had not got the last commits it may
 * not, so everything is forgotten with the connection.
 */
import { groupBy } from '../group.ts'
import type { Account } from '../ledger/account.ts'
import type { PlayerId } from '../protocol/ids.ts'
import type { Versions } from './known.ts'

export interface AccountMemory {
  /** All accounts of a player of this version, if this connection's batches left them. */
  recall(connection: object, player: PlayerId, version: bigint): readonly Account[] | undefined
  /** What a batch leaves; `accounts` are all that its players have. */
  remember(connection: object, versions: Versions, accounts: readonly Account[]): void
  forget(player: PlayerId): void
}

interface Entry {
  readonly accounts: readonly Account[]
  /** Of the player: a new version may bring new accounts. */
  readonly version: bigint
}

/** Players that one lane remembers at most; the longest ago go first. Some 300 bytes each. */
const MAX_PLAYERS = 50_000

export function createAccountMemory(maxPlayers = MAX_PLAYERS): AccountMemory {
  const entries = new Map<PlayerId, Entry>()
  let current: object | undefined
  const useConnection = (connection: object) => {
    if (connection !== current) entries.clear()
    current = connection
  }
  return {
    recall(connection, player, version) {
      useConnection(connection)
      const entry = entries.get(player)
      return entry?.version === version ? entry.accounts : undefined
    },
    remember(connection, versions, accounts) {
      useConnection(connection)
      for (const [player, own] of groupBy(accounts, (account) => account.player)) {
        const version = versions.get(player)
        if (version === undefined) continue
        entries.delete(player)
        entries.set(player, { accounts: own, version })
      }
      for (const player of entries.keys()) {
        if (entries.size <= maxPlayers) break
        entries.delete(player)
      }
    },
    forget: (player) => void entries.delete(player),
  }
}
