/** Partners: whom the platform calls, with clients and connections of their own, so that none delays another. */
import { type Db, statement, type Tx } from '../db/db.ts'
import type { Author } from '../people/actions.ts'
import { createWalletClient, type WalletClient } from '../wallet-client/wallet-client.ts'
import type { Use } from './delivery/breaker.ts'

export interface Partner {
  readonly partnerId: string
  readonly baseUrl: string
  readonly secret: string
}

interface PartnerRow extends Record<string, unknown> {
  partner_id: string
  base_url: string
  secret: string
}

const READ_PARTNER = statement(
  'platform_read_partner',
  'select partner_id, base_url, secret from platform.partner where partner_id = $1',
)
const ADD_PARTNER = statement(
  'platform_add_partner',
  `insert into platform.partner (partner_id, base_url, secret, created_at) values ($1, $2, $3, $4::timestamptz)
   on conflict (partner_id) do nothing`,
)
const LOCK_PARTNER = statement(
  'platform_lock_partner',
  'select base_url, secret from platform.partner where partner_id = $1 for update',
)
const CHANGE_PARTNER = statement(
  'platform_change_partner',
  'update platform.partner set base_url = $2, secret = $3 where partner_id = $1',
)

export interface Partners {
  /**
   * Each use has connections of its own: while users or results wait for a partner that hangs, no rollback queues behind their
   * calls. Undefined when there is no such partner.
   */
  client(partnerId: string, use: Use): Promise<WalletClient | undefined>
  read(partnerId: string): Promise<Partner | undefined>
  /** Adds a partner, or changes its address or secret; other processes notice within REFRESH_MS. */
  save(author: Author, partner: Partner, now: Date): Promise<void>
  close(): Promise<void>
}

/** Milliseconds for which a partner's address and secret are used before they are read again. */
const REFRESH_MS = 5_000

interface Cached {
  readonly partner: Partner
  readonly clients: Readonly<Record<Use, WalletClient>>
  readAt: number
}

/** `connections`: of each use, to one partner. */
export function createPartners(db: Db, connections: number): Partners {
  const cache = new Map<string, Cached>()
  const read = async (partnerId: string) => {
    const [row] = await db.query<PartnerRow>(READ_PARTNER, [partnerId])
    return row && { partnerId: row.partner_id, baseUrl: row.base_url, secret: row.secret }
  }
  return {
    read,
    async client(partnerId, use) {
      const cached = cache.get(partnerId)
      if (cached !== undefined && performance.now() - cached.readAt < REFRESH_MS) return cached.clients[use]
      if (cached !== undefined) cached.readAt = performance.now() // one reads, the others go on with what is known
      const partner = await read(partnerId).catch((error: unknown) => {
        if (cached === undefined) throw error
        return cached.partner
      })
      return partner && remember(cache, partner, connections).clients[use]
    },
    async save(author, partner, now) {
      await db.transaction((tx) => write(tx, author, partner, now))
      remember(cache, partner, connections)
    },
    close: async () => {
      await Promise.all([...cache.values()].map(closeClients))
    },
  }
}

async function write(tx: Tx, author: Author, { partnerId, baseUrl, secret }: Partner, at: Date): Promise<void> {
  const isNew = (await tx.execute(ADD_PARTNER, [partnerId, baseUrl, secret, at])) === 1
  const [row] = isNew ? [] : await tx.query<PartnerRow>(LOCK_PARTNER, [partnerId])
  const before = row === undefined ? {} : { baseUrl: row.base_url, secret: row.secret }
  await Promise.all([
    row && tx.execute(CHANGE_PARTNER, [partnerId, baseUrl, secret]),
    author.record(tx, { on: { partnerId }, before, after: { baseUrl, secret }, at }),
  ])
}

/** Keeps the client while the partner is the same; a replaced one finishes its calls. */
function remember(cache: Map<string, Cached>, partner: Partner, connections: number): Cached {
  const known = cache.get(partner.partnerId)
  if (known !== undefined && known.partner.baseUrl === partner.baseUrl && known.partner.secret === partner.secret) {
    known.readAt = performance.now()
    return known
  }
  if (known !== undefined) void closeClients(known)
  const create = () => createWalletClient({ ...partner, connections })
  const clients = { users: create(), rollbacks: create(), results: create() }
  const fresh = { partner, clients, readAt: performance.now() }
  cache.set(partner.partnerId, fresh)
  return fresh
}

async function closeClients({ clients }: Cached): Promise<void> {
  await Promise.all(Object.values(clients).map((client) => client.close()))
}
