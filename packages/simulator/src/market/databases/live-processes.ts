/**
 * The running processes of a simulated market, and the start of a process on its existing database.
 */

import type { Logger } from '@purser/runtime/logger'
import type { Platform } from 'purser/platform/platform'
import { requireSameMoneyRules } from 'purser/servers/server-lifecycle'
import {
  type GatewayParty,
  startGatewayParty,
  startPlatformParty,
  startWalletParty,
  type WalletParty,
} from '../actors/market-parties.ts'
import { isWallet, PARTY_URLS, type PartyName, serverOf, type WalletName } from '../actors/party-names.ts'
import type { Market, Stores } from '../market.ts'
import type { Host, SimulatedNetwork } from '../network/simulated-network.ts'
import type { ProcessLife } from './crashable-db.ts'
import type { ServerConfig } from './market-store.ts'

export interface LiveProcesses {
  readonly wallets: Map<WalletName, WalletParty>
  gateway: GatewayParty | undefined
  platform: Platform | undefined
}

export function createPartyLookup(there: LiveProcesses): Pick<Market, 'wallet' | 'gateway' | 'platform'> {
  return {
    wallet: (name) => there.wallets.get(name),
    gateway: () => there.gateway,
    platform: () => there.platform,
  }
}

export function forgetParty(there: LiveProcesses, party: PartyName): void {
  if (isWallet(party)) there.wallets.delete(party)
  else there[party] = undefined
}

interface PartyStart {
  readonly party: PartyName
  readonly config: ServerConfig
  readonly log: Logger
  readonly stores: Stores
  readonly listen: SimulatedNetwork['listen']
}

/** Rejects if the database records other values for the settings about money. */
export async function startParty(
  there: LiveProcesses,
  life: ProcessLife,
  { party, config, log, stores, listen }: PartyStart,
) {
  const { db } = life
  await requireSameMoneyRules(serverOf(party), config, db)
  if (party === 'platform') {
    there.platform = await startPlatformParty(db, log, config, stores.elapsed)
    return
  }
  const begun = isWallet(party) ? startWalletParty(party, db, log, config) : startGatewayParty(db, log)
  const host = answerWhileAlive(life, begun.host, stores.fronts?.[party])
  if (isWallet(party)) there.wallets.set(party, { ...(begun as WalletParty), host })
  else there.gateway = { ...(begun as GatewayParty), host }
  listen(PARTY_URLS[party], host)
}

/** A dead process sends no answers. */
function answerWhileAlive(life: ProcessLife, host: Host, front?: (host: Host) => Host): Host {
  const shown = front?.(host) ?? host
  return (request, answer) => shown(request, (given) => !life.isOver() && answer(given))
}
