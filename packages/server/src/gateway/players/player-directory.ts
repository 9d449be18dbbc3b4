/**
 * Directory of the gateway's players and sessions, with the operators' ids and tokens. An entry
 * never changes, so each process caches found entries without expiry; a missing entry is read
 * again. While the database is down, the gateway still serves players whose entries are cached
 * (G-10).
 */
import { createHmac } from 'node:crypto'
import { isStorable } from '@purser/protocol/wire-ids'
import { LIMITS } from '@purser/protocol/wire-limits'
import { chain, type MaybePromise } from '@purser/runtime/async/maybe-promise'
import type { Clock } from '@purser/runtime/clock'
import { createLru, type Lru } from '@purser/runtime/lru-cache'
import type { Actor } from '../../core/auth/audit-log/audit-log.ts'
import type { Db } from '../../core/database/db.ts'
import type { GatewayCall } from '../wire/gateway-call.ts'
import { createUserId } from './gateway-user-id.ts'
import {
  ensurePlayer,
  type GatewayPlayer,
  insertTokenRecord,
  readGatewayPlayer,
  readTokenRecord,
  type TokenRecord,
} from './player-directory-store.ts'

export interface PlayerRoute {
  readonly player: GatewayPlayer
  /** Undefined if the token does not belong to this player. */
  readonly operatorToken: string | undefined
}

/** The operator's answer in a token exchange. */
export interface OperatorSession {
  readonly operatorId: string
  readonly operatorUser: string
  readonly currency: string
  readonly operatorToken: string
}

export interface GatewaySession {
  readonly token: string
  readonly player: GatewayPlayer
}

export interface PlayerDirectory {
  /**
   * The `userId` identifies the player; User data has only a token. Undefined if the player or
   * token is unknown. Rejects if the database cannot be read.
   */
  findRoute(call: GatewayCall): MaybePromise<PlayerRoute | undefined>
  /** Idempotent: the same operator session gets the same token. */
  openSession(author: Actor, session: OperatorSession): Promise<GatewaySession>
}

export interface PlayerDirectoryDeps {
  readonly db: Db
  readonly clock: Clock
  /**
   * Key of the tokens, the first of PARTNER_SECRET. It is not in the database, so the stored hashes
   * reveal no token.
   */
  readonly key: string
}

/** Players and sessions in the cache, about 0.5 KB each. */
const MAX_CACHED = 100_000

export function createPlayerDirectory({ db, clock, key }: PlayerDirectoryDeps): PlayerDirectory {
  const players = createLru<GatewayPlayer>(MAX_CACHED)
  const sessions = createLru<TokenRecord>(MAX_CACHED)
  const findPlayer = (userId: string) =>
    isPossibleUserId(userId) ? readThrough(players, userId, () => readGatewayPlayer(db, userId)) : undefined
  const findToken = (token: string | undefined) =>
    token === undefined ? undefined : readThrough(sessions, token, () => readTokenRecord(db, token))
  return {
    findRoute({ userId, token }) {
      if (userId === undefined) return findToken(token)
      return chain(
        findPlayer(userId),
        (player) => player && chain(findToken(token), (session) => toRoute(player, session)),
      )
    },
    async openSession(author, { operatorId, operatorUser, currency, operatorToken }) {
      const now = clock.now()
      return db.transaction(async (tx) => {
        const player = await ensurePlayer(tx, { userId: createUserId(), operatorId, operatorUser }, now)
        const token = deriveToken(key, [operatorId, player.userId, currency, operatorToken])
        const isNew = await insertTokenRecord(tx, token, { player, operatorToken, currency }, now)
        const after = isNew ? { session: { userId: player.userId, operatorUser, currency } } : {}
        await author.record(tx, { on: { operatorId }, before: {}, after, at: now })
        return { token, player }
      })
    },
  }
}

function toRoute(player: GatewayPlayer, session: TokenRecord | undefined): PlayerRoute {
  const isOwnToken = session?.player.userId === player.userId
  return { player, operatorToken: isOwnToken ? session.operatorToken : undefined }
}

function readThrough<V>(cache: Lru<V>, key: string, read: () => Promise<V | undefined>): MaybePromise<V | undefined> {
  return cache.get(key) ?? readIntoCache(cache, key, read)
}

async function readIntoCache<V>(
  cache: Lru<V>,
  key: string,
  read: () => Promise<V | undefined>,
): Promise<V | undefined> {
  const found = await read()
  if (found !== undefined) cache.set(key, found)
  return found
}

function isPossibleUserId(userId: string): boolean {
  return userId.length <= LIMITS.userId.maxLength && isStorable(userId)
}

/**
 * Derives 32 bytes that only the key can produce. The same operator session always gives the same
 * token, so an exchange can be repeated in any process. Another player, currency or operator's
 * token gives another one (multi-currency rule 4).
 *
 * The key also signs calls. The first word keeps these bytes different from a signature's, which
 * begin in base64url.
 */
function deriveToken(key: string, parts: readonly string[]): string {
  return createHmac('sha256', key)
    .update(`gateway token ${JSON.stringify(parts)}`)
    .digest('base64url')
}
