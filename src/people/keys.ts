/** Changes of keys, each with its action in the same transaction (O-4), by API or by command. */
import type { Db, Reading, Tx } from '../db/db.ts'
import type { Author } from './actions.ts'
import type { View } from './difference.ts'
import type { KeyRow, KeyStore, Made, NewKey, Place } from './key-store.ts'

export interface KeyChanges {
  list(reading: Reading, after: Place | undefined, limit: number): Promise<KeyRow[]>
  make(author: Author, wanted: NewKey, at: Date): Promise<Made>
  rotate(author: Author, name: string, overlapSeconds: number, at: Date): Promise<Made>
  revoke(author: Author, name: string, at: Date): Promise<boolean | undefined>
}

/** `changed` is called after each of them. */
export function createKeyChanges(
  db: Pick<Db, 'transaction'>,
  store: KeyStore,
  changed: () => void = () => {},
): KeyChanges {
  const change = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work).finally(changed)
  const recordMade = async (tx: Tx, author: Author, made: Made, at: Date): Promise<Made> => {
    if (made.kind === 'made') await author.record(tx, { on: { key: made.name }, before: {}, after: viewOf(made), at })
    return made
  }
  return {
    list: store.list,
    async make(author, wanted, at) {
      if (wanted.expiresAt !== undefined && wanted.expiresAt <= at) return { kind: 'past' }
      return change(async (tx) => recordMade(tx, author, await store.make(tx, wanted), at))
    },
    rotate: (author, name, overlapSeconds, at) =>
      change(async (tx) => recordMade(tx, author, await store.rotate(tx, name, overlapSeconds), at)),
    revoke: (author, name, at) =>
      change(async (tx) => {
        const isRevoked = await store.revoke(tx, name)
        const after = isRevoked ? { revoked: true } : {}
        await author.record(tx, { on: { key: name }, before: {}, after, at })
        return isRevoked
      }),
  }
}

/** Never the key itself. */
function viewOf(made: Made & { kind: 'made' }): View {
  const { role, rights, scope, hash, expiresAt, earlierEndAt } = made
  const ends = expiresAt && { expiresAt: expiresAt.toISOString() }
  return {
    role,
    ...(rights && { rights }),
    ...(scope && { scope }),
    hash,
    ...ends,
    ...(earlierEndAt && { earlierEndAt: earlierEndAt.toISOString() }),
  }
}
