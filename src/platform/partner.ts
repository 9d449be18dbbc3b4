/** Partners: whom the platform calls, by clients that tell of each call. */
import type { Db } from '../db/db.ts'
import { SECRET_TABLES } from '../db/kept-secrets.ts'
import type { Keyring } from '../db/keyring.ts'
import { createTargets, type Target, type Targets } from '../wallet-client/targets.ts'
import {
  type Answer,
  createWalletClient,
  type WalletClient,
  type WalletTarget,
} from '../wallet-client/wallet-client.ts'
import type { Use } from './delivery/breaker.ts'

export type Partner = Target<'partner'>
type PartnerTargets = Targets<'partner', Use, WalletClient>

export interface Partners extends Pick<PartnerTargets, 'read' | 'save' | 'connections' | 'close'> {
  readonly client: PartnerTargets['way']
}

/** How partners are called; `connections`: of each use, to one partner. */
export interface Calling extends Pick<WalletTarget, 'connections' | 'tracing' | 'reach'> {
  /** Told of each call that was made. */
  called?(partnerId: string, answer: Answer): void
}

export function createPartners(db: Db, keyring: Keyring, { called, ...how }: Calling): Partners {
  const { way: client, ...targets } = createTargets({
    ...{ db, keyring, table: SECRET_TABLES.platform },
    open(partner) {
      const create = () =>
        telling(createWalletClient({ ...partner, ...how }), (answer) => called?.(partner.partnerId, answer))
      return { users: create(), rollbacks: create(), results: create() }
    },
  })
  return { client, ...targets }
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
