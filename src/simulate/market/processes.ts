/** The processes of a market that live now, and how one begins over the data that is there. */
import type { Platform } from '../../platform/platform.ts'
import { requireSame } from '../../process/running.ts'
import type { Logger } from '../../runtime/logger.ts'
import type { Life } from './fused.ts'
import type { Market, Stores } from './market.ts'
import type { Host, SimulatedNetwork } from './network.ts'
import { beginGateway, beginPlatform, beginWallet, type GatewayParty, type WalletParty } from './parties.ts'
import type { Config } from './store.ts'
import { isWallet, type PartyName, serverOf, URLS, type WalletName } from './who.ts'

/** Those that live now. */
export interface Processes {
  readonly wallets: Map<WalletName, WalletParty>
  gateway: GatewayParty | undefined
  platform: Platform | undefined
}

export function living(there: Processes): Pick<Market, 'wallet' | 'gateway' | 'platform'> {
  return {
    wallet: (name) => there.wallets.get(name),
    gateway: () => there.gateway,
    platform: () => there.platform,
  }
}

export function forget(there: Processes, party: PartyName): void {
  if (isWallet(party)) there.wallets.delete(party)
  else there[party] = undefined
}

interface Beginning {
  readonly party: PartyName
  readonly config: Config
  readonly log: Logger
  readonly stores: Stores
  readonly listen: SimulatedNetwork['listen']
}

/** Over the data that is there; rejects when it must not begin with these settings. */
export async function beginOver(there: Processes, life: Life, { party, config, log, stores, listen }: Beginning) {
  const { db } = life
  await requireSame(serverOf(party), config, db)
  if (party === 'platform') {
    there.platform = await beginPlatform(db, log, config, stores.elapsed)
    return
  }
  const begun = isWallet(party) ? beginWallet(party, db, log, config) : beginGateway(db, log)
  const host = ofTheLiving(life, begun.host, stores.fronts?.[party])
  if (isWallet(party)) there.wallets.set(party, { ...(begun as WalletParty), host })
  else there.gateway = { ...(begun as GatewayParty), host }
  listen(URLS[party], host)
}

/** Who has died answers nobody any more. */
function ofTheLiving(life: Life, host: Host, front?: (host: Host) => Host): Host {
  const shown = front?.(host) ?? host
  return (request, answer) => shown(request, (given) => !life.isOver() && answer(given))
}
