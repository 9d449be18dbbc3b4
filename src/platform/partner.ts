/** Partners: whom the platform calls, and one client each, with connections of its own, so that none delays another. */
import { type Db, statement } from '../db/db.ts'
import { createWalletClient, type WalletClient } from '../wallet-client/wallet-client.ts'

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
const SAVE_PARTNER = statement(
  'platform_save_partner',
  `insert into platform.partner (partner_id, base_url, secret, created_at) values ($1, $2, $3, $4::timestamptz)
   on conflict (partner_id) do update set base_url = excluded.base_url, secret = excluded.secret`,
)

export interface Partners {
  /** Undefined when there is no such partner. */
  client(partnerId: string): Promise<WalletClient | undefined>
  read(partnerId: string): Promise<Partner | undefined>
  /** Adds a partner, or changes its address or secret; other processes notice within REFRESH_MS. */
  save(partner: Partner, now: Date): Promise<void>
  close(): Promise<void>
}

/** Calls to one partner at once, from one process. */
export const CALLS_PER_PARTNER = 64
/** Milliseconds for which a partner's address and secret are used before they are read again. */
const REFRESH_MS = 5_000

interface Cached {
  readonly partner: Partner
  readonly client: WalletClient
  readAt: number
}

export function createPartners(db: Db): Partners {
  const cache = new Map<string, Cached>()
  const read = async (partnerId: string) => {
    const [row] = await db.query<PartnerRow>(READ_PARTNER, [partnerId])
    return row && { partnerId: row.partner_id, baseUrl: row.base_url, secret: row.secret }
  }
  return {
    read,
    async client(partnerId) {
      const cached = cache.get(partnerId)
      if (cached !== undefined && performance.now() - cached.readAt < REFRESH_MS) return cached.client
      const partner = await read(partnerId)
      return partner && remember(cache, partner).client
    },
    async save(partner, now) {
      await db.transaction((tx) => tx.execute(SAVE_PARTNER, [partner.partnerId, partner.baseUrl, partner.secret, now]))
      remember(cache, partner)
    },
    close: async () => {
      await Promise.all([...cache.values()].map(({ client }) => client.close()))
    },
  }
}

/** Keeps the client while the partner is the same; a replaced one finishes its calls. */
function remember(cache: Map<string, Cached>, partner: Partner): Cached {
  const known = cache.get(partner.partnerId)
  if (known !== undefined && known.partner.baseUrl === partner.baseUrl && known.partner.secret === partner.secret) {
    known.readAt = performance.now()
    return known
  }
  void known?.client.close()
  const fresh = {
    partner,
    client: createWalletClient({ ...partner, connections: CALLS_PER_PARTNER }),
    readAt: performance.now(),
  }
  cache.set(partner.partnerId, fresh)
  return fresh
}
