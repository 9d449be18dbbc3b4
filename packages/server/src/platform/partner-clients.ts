/** HTTP clients of the partners. */

import {
  createWalletClient,
  type WalletAnswer,
  type WalletClient,
  type WalletClientOptions,
} from '@purser/protocol/client/wallet-client'
import type { Db } from '../core/database/db.ts'
import { SECRET_TABLES } from '../core/database/encryption/encrypted-secrets.ts'
import type { EncryptionKeyring } from '../core/database/encryption/encryption-keyring.ts'
import { type CallTarget, type CallTargets, createCallTargets } from '../core/partners/call-targets.ts'
import type { CallPurpose } from './circuit-breaker.ts'

export type Partner = CallTarget<'partner'>
type PartnerTargets = CallTargets<'partner', CallPurpose, WalletClient>

export interface Partners extends Pick<PartnerTargets, 'read' | 'save' | 'connections' | 'close'> {
  readonly client: PartnerTargets['findClient']
}

/** `connections` is per purpose and partner. */
export interface PartnerCallOptions extends Pick<WalletClientOptions, 'connections' | 'tracing' | 'reach'> {
  /** Called after each call. */
  called?(partnerId: string, answer: WalletAnswer): void
}

export function createPartners(db: Db, keyring: EncryptionKeyring, { called, ...how }: PartnerCallOptions): Partners {
  const { findClient: client, ...targets } = createCallTargets({
    ...{ db, keyring, table: SECRET_TABLES.platform },
    openClients(partner) {
      const create = () =>
        withCallListener(createWalletClient({ ...partner, ...how }), (answer) => called?.(partner.partnerId, answer))
      return { users: create(), rollbacks: create(), results: create() }
    },
  })
  return { client, ...targets }
}

function withCallListener(client: WalletClient, called: (answer: WalletAnswer) => void): WalletClient {
  return {
    ...client,
    async call(...message) {
      const answer = await client.call(...message)
      called(answer)
      return answer
    },
  }
}
