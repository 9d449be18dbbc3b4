/** What a key of one partner may call (W-25): what belongs to the partner, and lists of the partner. */
import type { Owner, Scopes } from '../../http/key-scope.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import { readBets } from '../bets/bet-store.ts'
import { readFrameSession } from '../bets/frame-session.ts'
import { readDeliveryPartner } from './views.ts'

const bet: Owner = { part: 'params', member: 'betId', thing: 'bet' }
const delivery: Owner = { part: 'params', member: 'deliveryId', thing: 'delivery' }
const partner = (part: Owner['part']): Owner => ({ part, member: 'partnerId' })

const OWNERS: Readonly<Record<string, Owner>> = {
  loadFrame: partner('body'),
  placeBet: { part: 'body', member: 'frameSessionId', thing: 'frame session' },
  ...{ getBet: bet, settleBet: bet, unsettleBet: bet, cancelBet: bet, listBets: partner('query') },
  ...{ retryDelivery: delivery, acknowledgeDelivery: delivery },
  ...{ listDeliveries: partner('query'), retryDeliveries: partner('body') },
  changePartner: partner('params'),
}

export function partnerScopes(deps: FlowDeps): Scopes {
  const finders: Readonly<Record<string, (id: string) => Promise<string | undefined>>> = {
    bet: async (id) => (await readBets(deps.db.people, [id]))[0]?.partnerId,
    delivery: (id) => readDeliveryPartner(deps, id),
    'frame session': async (id) => (await readFrameSession(deps, id))?.partnerId,
  }
  return { owners: OWNERS, find: async (thing, id) => finders[thing]?.(id) }
}
