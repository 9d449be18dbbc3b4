/**
 * Whose key a request shows (W-25). The live keys are remembered for a moment, all at once, so that however many strangers ask, one
 * connection reads at a time. A key that the memory does not have is looked for once more, in a reading that began after it came:
 * a key that was just made works at once, in every process; one that was revoked works for REMEMBER_MS more at the most.
 */
import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Caller, Keys } from '../http/caller.ts'
import { createLru } from '../runtime/lru.ts'
import { pause } from '../runtime/pause.ts'
import { world } from '../runtime/world.ts'
import { hashOf, looksMade, shownHash } from './api-key.ts'
import type { KeyStore, LiveKey } from './key-store.ts'

/** Milliseconds for which the live keys are used, counted from when they were asked for. */
const REMEMBER_MS = 1_000
/** Milliseconds between two notes of the use of a key. */
const NOTE_MS = 60_000
const MAX_NOTED = 4_096
/** Milliseconds between two readings, however many unknown keys come. */
const APART_MS = 50

export interface Keyring extends Keys {
  /** Finds a key that is known by its hash alone. `isUse`: its last use is noted. */
  findHash(hash: Buffer, isUse: boolean): Promise<Caller | undefined>
  /** After a change by this process. */
  forget(): void
}

/** `first`: the key of the environment; empty for none. */
export function createKeyring(
  db: Pick<Db, 'query' | 'transaction'>,
  store: KeyStore,
  setting: string,
  first: string,
): Keyring {
  const firstHash = hashOf(first)
  const memory = createMemory(() => store.live(db))
  const noteUse = createNotes((hash) => db.transaction((tx) => store.use(tx, hash)))
  const findMade = async (hash: Buffer, isUse: boolean) => {
    const caller = await memory.find(hash)
    if (caller !== undefined && isUse) noteUse(hash)
    return caller
  }
  const isFirst = (hash: Buffer) => first !== '' && timingSafeEqual(hash, firstHash)
  const firstCaller: Caller = { keyName: setting, keyHash: shownHash(firstHash), role: 'admin' }
  return {
    setting,
    async find(key) {
      const hash = hashOf(key)
      if (isFirst(hash)) return firstCaller
      return looksMade(key) ? findMade(hash, true) : undefined
    },
    findHash: async (hash, isUse) => (isFirst(hash) ? firstCaller : findMade(hash, isUse)),
    forget: memory.forget,
  }
}

/** No request waits for the note, and none fails with it: the next use after a minute is noted again. */
function createNotes(write: (hash: Buffer) => Promise<void>): (hash: Buffer) => void {
  const noted = createLru<number>(MAX_NOTED)
  return (hash) => {
    const id = hash.toString('base64')
    const [now, last] = [world.elapsed(), noted.get(id)]
    if (last !== undefined && now - last < NOTE_MS) return
    noted.set(id, now)
    void write(hash).catch(() => {})
  }
}

interface Read {
  readonly keys: ReadonlyMap<string, LiveKey>
  readonly askedAt: number
}

function createMemory(readLive: () => Promise<LiveKey[]>) {
  let kept: Read | undefined
  let reading: Promise<void> | undefined
  let lastAskedAt = Number.NEGATIVE_INFINITY
  /** What was asked for before is not used. */
  let since = Number.NEGATIVE_INFINITY
  const read = async () => {
    try {
      const wait = lastAskedAt + APART_MS - world.elapsed()
      if (wait > 0) await pause(wait)
      const askedAt = world.elapsed()
      lastAskedAt = askedAt
      const rows = await readLive()
      kept = { keys: new Map(rows.map((row) => [row.hash, row])), askedAt }
    } finally {
      reading = undefined
    }
  }
  /** What a reading found that began at this time or later. */
  const readSince = async (time: number): Promise<Read> => {
    for (;;) {
      if (kept !== undefined && kept.askedAt >= Math.max(time, since)) return kept
      reading ??= read()
      await reading
    }
  }
  return {
    async find(hash: Buffer): Promise<Caller | undefined> {
      const cameAt = world.elapsed()
      const known = lookUp(await readSince(cameAt - REMEMBER_MS), hash)
      return known ?? lookUp(await readSince(cameAt), hash)
    },
    forget() {
      kept = undefined
      since = world.elapsed() // a reading under way may not have seen the change
    },
  }
}

function lookUp({ keys, askedAt }: Read, hash: Buffer): Caller | undefined {
  const found = keys.get(hash.toString('hex'))
  const isLive = found !== undefined && (found.left === null || world.elapsed() < askedAt + found.left)
  if (!isLive) return undefined
  const { name, role, rights, scope } = found
  return {
    keyName: name,
    keyHash: shownHash(hash),
    role,
    ...(rights !== null && { rights }),
    ...(scope !== null && { scope }),
  }
}
