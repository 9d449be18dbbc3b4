/**
 * Cache of the live API keys (W-25).
 *
 * A query reads all live keys, and only one query runs at a time. For a key that is not in the
 * cache, a request waits for a query that began after the request. So a new key works at once in
 * every process. A revoked key works for at most CACHE_TTL_MS more, plus the time of a query.
 */
import { timingSafeEqual } from 'node:crypto'
import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
import { createLru } from '@purser/runtime/lru-cache'
import type { Db } from '../database/db.ts'
import type { ApiKeyLookup, Principal } from '../http/api/principal.ts'
import { abbreviateHash, hasApiKeyFormat, hashCredential } from './api-key.ts'
import type { KeyStore, LiveKey } from './api-key-store.ts'

/** Milliseconds for which a result is used, counted from the start of its query. */
const CACHE_TTL_MS = 1_000
/** Milliseconds between two updates of a key's last use. */
const USE_RECORD_INTERVAL_MS = 60_000
const MAX_RECORDED_USES = 4_096
/** Milliseconds between two queries, even if many unknown keys arrive. */
const MIN_READ_INTERVAL_MS = 50

export interface ApiKeyCache extends ApiKeyLookup {
  /** Finds a key by its hash, for a session. `isUse`: the last use is recorded. */
  findHash(hash: Buffer, isUse: boolean): Promise<Principal | undefined>
  /** To be called after a change by this process. */
  invalidate(): void
}

/** `first` is the root key of the environment; may be empty. */
export function createApiKeyCache(
  db: Pick<Db, 'query' | 'transaction'>,
  store: KeyStore,
  setting: string,
  first: string,
): ApiKeyCache {
  const firstHash = hashCredential(first)
  const cache = createLiveKeyCache(() => store.live(db))
  const recordUse = createUseRecorder((hash) => db.transaction((tx) => store.use(tx, hash)))
  const findStored = async (hash: Buffer, isUse: boolean) => {
    const caller = await cache.find(hash)
    if (caller !== undefined && isUse) recordUse(hash)
    return caller
  }
  const isFirst = (hash: Buffer) => first !== '' && timingSafeEqual(hash, firstHash)
  const firstCaller: Principal = { keyName: setting, keyHash: abbreviateHash(firstHash), role: 'admin' }
  return {
    setting,
    async find(key) {
      const hash = hashCredential(key)
      if (isFirst(hash)) return firstCaller
      return hasApiKeyFormat(key) ? findStored(hash, true) : undefined
    },
    findHash: async (hash, isUse) => (isFirst(hash) ? firstCaller : findStored(hash, isUse)),
    invalidate: cache.forget,
  }
}

/** No request waits for this write or fails with it. A later use is written again. */
function createUseRecorder(write: (hash: Buffer) => Promise<void>): (hash: Buffer) => void {
  const recordedAt = createLru<number>(MAX_RECORDED_USES)
  return (hash) => {
    const id = hash.toString('base64')
    const [now, last] = [environment.monotonicNow(), recordedAt.get(id)]
    if (last !== undefined && now - last < USE_RECORD_INTERVAL_MS) return
    recordedAt.set(id, now)
    void write(hash).catch(() => {})
  }
}

interface KeySnapshot {
  readonly keys: ReadonlyMap<string, LiveKey>
  readonly readAt: number
}

function createLiveKeyCache(readLive: () => Promise<LiveKey[]>) {
  let snapshot: KeySnapshot | undefined
  let reading: Promise<void> | undefined
  let lastReadAt = Number.NEGATIVE_INFINITY
  /** Results of queries that started earlier are not used. */
  let since = Number.NEGATIVE_INFINITY
  const read = async () => {
    try {
      const wait = lastReadAt + MIN_READ_INTERVAL_MS - environment.monotonicNow()
      if (wait > 0) await sleep(wait)
      const readAt = environment.monotonicNow()
      lastReadAt = readAt
      const rows = await readLive()
      snapshot = { keys: new Map(rows.map((row) => [row.hash, row])), readAt }
    } finally {
      reading = undefined
    }
  }
  /** Returns the result of a query that started at this time or later. */
  const readSince = async (time: number): Promise<KeySnapshot> => {
    for (;;) {
      if (snapshot !== undefined && snapshot.readAt >= Math.max(time, since)) return snapshot
      reading ??= read()
      await reading
    }
  }
  return {
    async find(hash: Buffer): Promise<Principal | undefined> {
      const receivedAt = environment.monotonicNow()
      const known = findCaller(await readSince(receivedAt - CACHE_TTL_MS), hash)
      return known ?? findCaller(await readSince(receivedAt), hash)
    },
    forget() {
      snapshot = undefined
      since = environment.monotonicNow() // a running query may not include the change
    },
  }
}

function findCaller({ keys, readAt }: KeySnapshot, hash: Buffer): Principal | undefined {
  const found = keys.get(hash.toString('hex'))
  const isLive = found !== undefined && (found.left === null || environment.monotonicNow() < readAt + found.left)
  if (!isLive) return undefined
  const { name, role, rights, scope } = found
  return {
    keyName: name,
    keyHash: abbreviateHash(hash),
    role,
    ...(rights !== null && { rights }),
    ...(scope !== null && { scope }),
  }
}
