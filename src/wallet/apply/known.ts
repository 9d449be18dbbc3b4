/**
 * What a lane remembers of players and tokens from one batch to the next. Both change only under their player's lock,
 * and `player.version` grows with each change, in whatever process it is made: what was read under the version that is
 * locked now is still true. What does not exist is never remembered.
 *
 * A version stands for one state only on one server with one past. So everything is forgotten with the connection, as in
 * account-memory.ts: after a failover that lost commits the same version may be that of a player who is blocked.
 */
import type { Tx } from '../../db/db.ts'
import type { Account } from '../../ledger/account.ts'
import type { PlayerId } from '../../protocol/ids.ts'
import type { PlaceCall } from '../store/bet.ts'
import { hasLimits, type RuledPlayer, readRuledPlayers } from '../store/player.ts'
import { readSessions, type Session, type TokenHash } from '../store/session.ts'
import type { AccountMemory } from './account-memory.ts'

/** Players, and tokens, that one lane remembers at most; the oldest go first. Some 300 bytes each. */
const MAX_KNOWN = 50_000

interface Entry<V> {
  readonly value: V
  /** Of the player, when this was read. */
  readonly version: bigint
}

interface Remembered {
  readonly players: Map<PlayerId, Entry<RuledPlayer>>
  readonly sessions: Map<TokenHash, Entry<Session>>
}

/** What a lane knows. */
export interface Known {
  /** What was learnt on this connection, if it was the last one; a late answer on another one is written to what is forgotten. */
  on(connection: object): Remembered
}

export function createKnown(): Known {
  let current: object | undefined
  let remembered: Remembered = { players: new Map(), sessions: new Map() }
  return {
    on(connection) {
      if (connection !== current) remembered = { players: new Map(), sessions: new Map() }
      current = connection
      return remembered
    },
  }
}

/** The versions of the players whose locks are held. */
export type Versions = ReadonlyMap<PlayerId, bigint>

/** All of the locked players, and the sessions of these tokens; asks the database only for what is not known. */
export async function recall(
  tx: Tx,
  bucket: number,
  known: Known,
  versions: Versions,
  tokens: readonly TokenHash[],
): Promise<{ players: ReadonlyMap<PlayerId, RuledPlayer>; sessions: ReadonlyMap<TokenHash, Session> }> {
  const remembered = known.on(tx.connection)
  const [players, sessions] = await Promise.all([
    recallOrRead(
      remembered.players,
      [...versions.keys()],
      ({ id }) => versions.get(id),
      (ids) => readRuledPlayers(tx, bucket, ids),
    ),
    recallOrRead(
      remembered.sessions,
      tokens,
      ({ player }) => versions.get(player),
      (hashes) => readSessions(tx, bucket, hashes),
    ),
  ])
  return { players, sessions }
}

/** What a batch of Place bets is judged by. */
export interface Recalled {
  readonly versions: Versions
  readonly players: Lookup<PlayerId, RuledPlayer>
  readonly sessions: Lookup<TokenHash, Session>
  readonly accounts: readonly Account[]
}

/** The part of a `ReadonlyMap` that looks up a key. */
export interface Lookup<K, V> {
  get(key: K): V | undefined
}

/**
 * All that these calls need, without a look at the database; undefined when something is not known, or a player has limits
 * and the day's transfers would be needed too.
 */
export function recallAll(
  known: Known,
  memory: AccountMemory,
  connection: object,
  calls: readonly PlaceCall[],
): Recalled | undefined {
  const { players, sessions } = known.on(connection)
  const versions = new Map<PlayerId, bigint>()
  const accounts: Account[] = []
  for (const { player: id, token } of calls) {
    const player = players.get(id)
    const session = sessions.get(token)
    if (session?.value.player !== id || session.version !== player?.version) return undefined
    if (versions.has(id)) continue
    const own = hasLimits(player.value) ? undefined : memory.recall(connection, id, player.version)
    if (own === undefined) return undefined
    versions.set(id, player.version)
    accounts.push(...own)
  }
  return { versions, players: valuesIn(players), sessions: valuesIn(sessions), accounts }
}

/** As they are now: the result is good until the next `await`. */
function valuesIn<K, V>(entries: ReadonlyMap<K, Entry<V>>): Lookup<K, V> {
  return { get: (key) => entries.get(key)?.value }
}

/** `versionOf` is undefined for what belongs to a player that is not locked: it is read each time. */
async function recallOrRead<K, V>(
  entries: Map<K, Entry<V>>,
  keys: readonly K[],
  versionOf: (value: V) => bigint | undefined,
  read: (missing: readonly K[]) => Promise<ReadonlyMap<K, V>>,
): Promise<ReadonlyMap<K, V>> {
  const found = new Map<K, V>()
  const missing: K[] = []
  for (const key of keys) {
    const entry = entries.get(key)
    if (entry !== undefined && entry.version === versionOf(entry.value)) found.set(key, entry.value)
    else missing.push(key)
  }
  if (missing.length === 0) return found
  for (const [key, value] of await read(missing)) {
    found.set(key, value)
    const version = versionOf(value)
    if (version !== undefined) remember(entries, key, { value, version })
  }
  return found
}

function remember<K, V>(entries: Map<K, Entry<V>>, key: K, entry: Entry<V>): void {
  entries.delete(key)
  const [oldest] = entries.size >= MAX_KNOWN ? entries.keys() : []
  if (oldest !== undefined) entries.delete(oldest)
  entries.set(key, entry)
}
