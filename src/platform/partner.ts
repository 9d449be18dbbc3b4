/** Partners: whom the platform calls, with clients and connections of their own, so that none delays another. */
import { isDeepStrictEqual } from 'node:util'
import { type Db, statement, type Tx } from '../db/db.ts'
import { fromColumn, replacedSecrets, SECRET_TABLES, toColumn } from '../db/kept-secrets.ts'
import type { Kept, Keyring } from '../db/keyring.ts'
import type { Author } from '../people/actions.ts'
import { world } from '../runtime/world.ts'
import {
  type Answer,
  createWalletClient,
  type WalletClient,
  type WalletTarget,
} from '../wallet-client/wallet-client.ts'
import type { Use } from './delivery/breaker.ts'

export interface Partner {
  readonly partnerId: string
  readonly baseUrl: string
  /** The first signs (C-13). */
  readonly secrets: readonly string[]
}

interface PartnerRow extends Record<string, unknown> {
  partner_id: string
  base_url: string
  secrets: Kept
}

const PARTNER_SECRETS = SECRET_TABLES.platform

const READ_PARTNER = statement(
  'platform_read_partner',
  'select partner_id, base_url, secrets from platform.partner where partner_id = $1',
)
const ADD_PARTNER = statement(
  'platform_add_partner',
  `insert into platform.partner (partner_id, base_url, secrets, created_at) values ($1, $2, $3::json, $4::timestamptz)
   on conflict (partner_id) do nothing`,
)
const LOCK_PARTNER = statement(
  'platform_lock_partner',
  'select partner_id, base_url, secrets from platform.partner where partner_id = $1 for update',
)
const CHANGE_PARTNER = statement(
  'platform_change_partner',
  'update platform.partner set base_url = $2, secrets = $3::json where partner_id = $1',
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

/** How partners are called. */
export interface Calling extends How {
  /** Told of each call that was made. */
  called?(partnerId: string, answer: Answer): void
}

/** `connections`: of each use, to one partner. */
type How = Pick<WalletTarget, 'connections' | 'tracing' | 'allowsInside'>

export function createPartners(db: Db, keyring: Keyring, how: Calling): Partners {
  const cache = new Map<string, Cached>()
  const read = async (partnerId: string) => {
    const [row] = await db.query<PartnerRow>(READ_PARTNER, [partnerId])
    return row && toPartner(keyring, row)
  }
  return {
    read,
    async client(partnerId, use) {
      const cached = cache.get(partnerId)
      if (cached !== undefined && world.elapsed() - cached.readAt < REFRESH_MS) return cached.clients[use]
      if (cached !== undefined) cached.readAt = world.elapsed() // one reads, the others go on with what is known
      const partner = await read(partnerId).catch((error: unknown) => {
        if (cached === undefined) throw error
        return cached.partner
      })
      return partner && remember(cache, partner, how).clients[use]
    },
    async save(author, partner, now) {
      await db.transaction((tx) => write(tx, keyring, author, partner, now))
      remember(cache, partner, how)
    },
    close: async () => {
      await Promise.all([...cache.values()].map(closeClients))
    },
  }
}

function toPartner(keyring: Keyring, { partner_id: partnerId, base_url: baseUrl, secrets }: PartnerRow): Partner {
  return { partnerId, baseUrl, secrets: fromColumn(keyring, PARTNER_SECRETS, partnerId, secrets) }
}

async function write(
  tx: Tx,
  keyring: Keyring,
  author: Author,
  { partnerId, baseUrl, secrets }: Partner,
  at: Date,
): Promise<void> {
  const kept = toColumn(keyring, PARTNER_SECRETS, partnerId, secrets)
  const isNew = (await tx.execute(ADD_PARTNER, [partnerId, baseUrl, kept, at])) === 1
  const [row] = isNew ? [] : await tx.query<PartnerRow>(LOCK_PARTNER, [partnerId])
  const before = row && {
    baseUrl: row.base_url,
    secret: replacedSecrets(keyring, PARTNER_SECRETS, partnerId, row.secrets),
  }
  await Promise.all([
    row && tx.execute(CHANGE_PARTNER, [partnerId, baseUrl, kept]),
    author.record(tx, { on: { partnerId }, before: before ?? {}, after: { baseUrl, secret: secrets }, at }),
  ])
}

/** Keeps the client while the partner is the same; a replaced one finishes its calls, also that of somebody who has just asked for it. */
function remember(cache: Map<string, Cached>, partner: Partner, { called, ...how }: Calling): Cached {
  const known = cache.get(partner.partnerId)
  if (known !== undefined && isDeepStrictEqual(known.partner, partner)) {
    known.readAt = world.elapsed()
    return known
  }
  if (known !== undefined) world.nextTurn(() => void closeClients(known))
  const create = () =>
    telling(createWalletClient({ ...partner, ...how }), (answer) => called?.(partner.partnerId, answer))
  const clients = { users: create(), rollbacks: create(), results: create() }
  const fresh = { partner, clients, readAt: world.elapsed() }
  cache.set(partner.partnerId, fresh)
  return fresh
}

function telling(client: WalletClient, called: (answer: Answer) => void): WalletClient {
  return {
    ...client,
    async call(...message) {
      const answer = await client.call(...message)
      called(answer)
      return answer
    },
  }
}

async function closeClients({ clients }: Cached): Promise<void> {
  await Promise.all(Object.values(clients).map((client) => client.close()))
}
