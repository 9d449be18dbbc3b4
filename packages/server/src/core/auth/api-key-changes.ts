/**
 * Creates, rotates and revokes API keys, for the API and for commands. Each change and its audit
 * entry are in one transaction (O-4).
 */
import type { Db, Queryable, Tx } from '../database/db.ts'
import type { KeyCreationResult, KeyListPosition, KeyRow, KeyStore, NewKey } from './api-key-store.ts'
import type { AuditView } from './audit-log/audit-diff.ts'
import type { Actor } from './audit-log/audit-log.ts'

export interface KeyChanges {
  list(reading: Queryable, after: KeyListPosition | undefined, limit: number): Promise<KeyRow[]>
  make(actor: Actor, newKey: NewKey, at: Date): Promise<KeyCreationResult>
  rotate(actor: Actor, name: string, overlapSeconds: number, at: Date): Promise<KeyCreationResult>
  revoke(actor: Actor, name: string, at: Date): Promise<boolean | undefined>
}

/** `changed` runs after each change, even a failed one. */
export function createKeyChanges(
  db: Pick<Db, 'transaction'>,
  store: KeyStore,
  changed: () => void = () => {},
): KeyChanges {
  const change = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(work).finally(changed)
  const recordCreated = async (
    tx: Tx,
    actor: Actor,
    created: KeyCreationResult,
    at: Date,
  ): Promise<KeyCreationResult> => {
    if (created.kind === 'made')
      await actor.record(tx, { on: { key: created.name }, before: {}, after: toAuditView(created), at })
    return created
  }
  return {
    list: store.list,
    async make(actor, newKey, at) {
      if (newKey.expiresAt !== undefined && newKey.expiresAt <= at) return { kind: 'past' }
      return change(async (tx) => recordCreated(tx, actor, await store.make(tx, newKey), at))
    },
    rotate: (actor, name, overlapSeconds, at) =>
      change(async (tx) => recordCreated(tx, actor, await store.rotate(tx, name, overlapSeconds), at)),
    revoke: (actor, name, at) =>
      change(async (tx) => {
        const isRevoked = await store.revoke(tx, name)
        const after = isRevoked ? { revoked: true } : {}
        await actor.record(tx, { on: { key: name }, before: {}, after, at })
        return isRevoked
      }),
  }
}

/** Never contains the key itself. */
function toAuditView(created: KeyCreationResult & { kind: 'made' }): AuditView {
  const { role, rights, scope, hash, expiresAt, earlierEndAt } = created
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
