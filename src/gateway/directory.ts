/**
 * Who a call is about, and under which names. An entry never changes once it is made, so what was read is kept, in this
 * and in any other process; what was not found is asked for again. With the database down, what is kept goes on working.
 */
import { createHmac } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Author } from '../people/actions.ts'
import { isStorable } from '../protocol/ids.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { Clock } from '../runtime/clock.ts'
import { createLru, type Lru } from '../runtime/lru.ts'
import { type Soon, soon } from '../runtime/soon.ts'
import type { Call } from './call.ts'
import { ensurePlayer, insertSession, type Player, readPlayer, readSession, type Session } from './directory-store.ts'
import { newUserId } from './user-id.ts'

export interface Route {
  readonly player: Player
  /** Absent when the call's token is none of this player's. */
  readonly operatorToken: string | undefined
}

/** What is learnt from the operator when a token is exchanged. */
export interface OperatorSession {
  readonly operatorId: string
  readonly operatorUser: string
  readonly currency: string
  readonly operatorToken: string
}

export interface GatewaySession {
  readonly token: string
  readonly player: Player
}

export interface Directory {
  /**
   * The player is the one that `userId` names; User data names only a token. Undefined when there is no such player or
   * token; rejects when that cannot be found out.
   */
  routeOf(call: Call): Soon<Route | undefined>
  /** The same operator session again gets the same token. */
  open(author: Author, session: OperatorSession): Promise<GatewaySession>
}

export interface DirectoryDeps {
  readonly db: Db
  readonly clock: Clock
  /** Makes the tokens; the first of PARTNER_SECRET. It is not in the database, so the hashes there open nothing. */
  readonly key: string
}

/** Players and sessions that a process keeps, about 0.5 KB each. */
const MAX_KEPT = 100_000

export function createDirectory({ db, clock, key }: DirectoryDeps): Directory {
  const players = createLru<Player>(MAX_KEPT)
  const sessions = createLru<Session>(MAX_KEPT)
  const playerOf = (userId: string) =>
    canBeId(userId) ? kept(players, userId, () => readPlayer(db, userId)) : undefined
  const sessionOf = (token: string | undefined) =>
    token === undefined ? undefined : kept(sessions, token, () => readSession(db, token))
  return {
    routeOf({ userId, token }) {
      if (userId === undefined) return sessionOf(token)
      return soon(playerOf(userId), (player) => player && soon(sessionOf(token), (session) => toRoute(player, session)))
    },
    async open(author, { operatorId, operatorUser, currency, operatorToken }) {
      const now = clock.now()
      return db.transaction(async (tx) => {
        const player = await ensurePlayer(tx, { userId: newUserId(), operatorId, operatorUser }, now)
        const token = makeToken(key, [operatorId, player.userId, currency, operatorToken])
        const isNew = await insertSession(tx, token, { player, operatorToken, currency }, now)
        const after = isNew ? { session: { userId: player.userId, operatorUser, currency } } : {}
        await author.record(tx, { on: { operatorId }, before: {}, after, at: now })
        return { token, player }
      })
    },
  }
}

function toRoute(player: Player, session: Session | undefined): Route {
  const isHis = session?.player.userId === player.userId
  return { player, operatorToken: isHis ? session.operatorToken : undefined }
}

function kept<V>(cache: Lru<V>, key: string, read: () => Promise<V | undefined>): Soon<V | undefined> {
  return cache.get(key) ?? learn(cache, key, read)
}

async function learn<V>(cache: Lru<V>, key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
  const found = await read()
  if (found !== undefined) cache.set(key, found)
  return found
}

function canBeId(userId: string): boolean {
  return userId.length <= LIMITS.userId.maxLength && isStorable(userId)
}

/**
 * 32 bytes that only the key can make: of one operator session always the same, so that an exchange can be repeated, here
 * or in another process; of another player, currency or operator's token always others (multi-currency rule 4). The key
 * also signs calls: the first word keeps these bytes from ever being those of a signature, which begin in base64url.
 */
function makeToken(key: string, parts: readonly string[]): string {
  return createHmac('sha256', key)
    .update(`gateway token ${JSON.stringify(parts)}`)
    .digest('base64url')
}
