/** Scope of an API key that is limited to one partner: the partner's objects and lists (W-25). */
import type { KeyScopes, ScopeOwner } from '../../core/http/api/key-scope.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import { readFrameSession } from '../bets/frame-session.ts'
import { readPlatformBets } from '../store/platform-bet-store.ts'
import { readDeliveryPartner } from './platform-views.ts'

const bet: ScopeOwner = { part: 'params', member: 'betId', resource: 'bet' }
const delivery: ScopeOwner = { part: 'params', member: 'deliveryId', resource: 'delivery' }
const partner = (part: ScopeOwner['part']): ScopeOwner => ({ part, member: 'partnerId' })

const OWNERS: Readonly<Record<string, ScopeOwner>> = {
  loadFrame: partner('body'),
  placeBet: { part: 'body', member: 'frameSessionId', resource: 'frame session' },
  ...{ getBet: bet, settleBet: bet, unsettleBet: bet, cancelBet: bet, listBets: partner('query') },
  ...{ retryDelivery: delivery, acknowledgeDelivery: delivery },
  ...{ listDeliveries: partner('query'), retryDeliveries: partner('body') },
  changePartner: partner('params'),
}

export function partnerScopes(deps: FlowDeps): KeyScopes {
  const finders: Readonly<Record<string, (id: string) => Promise<string | undefined>>> = {
    bet: async (id) => (await readPlatformBets(deps.db.userQueries, [id]))[0]?.partnerId,
    delivery: (id) => readDeliveryPartner(deps, id),
    'frame session': async (id) => (await readFrameSession(deps, id))?.partnerId,
  }
  return { owners: OWNERS, findOwner: async (thing, id) => finders[thing]?.(id) }
}
