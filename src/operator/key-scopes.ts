/** What a key of one brand may call (W-25): what is done for a player of the brand, and lists of the brand. */
import type { Owner, Scopes } from '../http/key-scope.ts'
import { Problem } from '../http/problem.ts'
import { findPlayer, type OperatorDeps } from './operator.ts'

const OF_PLAYER = [
  ...['readPlayer', 'changePlayer', 'openPersonalData', 'listOpenings', 'readHistory'],
  ...['startSession', 'listSessions', 'endSessions', 'switchCurrency'],
  ...['deposit', 'withdrawal', 'readBalances', 'readStatement'],
  ...['adjustment', 'approveAdjustment', 'refuseAdjustment'],
  ...['readBet', 'lockBet', 'unlockBet'],
]
const byPath: Owner = { part: 'params', member: 'userId', thing: 'player' }
const byFilter: Owner = { part: 'query', member: 'userId', thing: 'player' }
const ofBrand: Owner = { part: 'query', member: 'brand' }

const OWNERS: Readonly<Record<string, Owner>> = {
  ...Object.fromEntries(OF_PLAYER.map((operation) => [operation, byPath])),
  createPlayer: { part: 'body', member: 'brand' },
  ...{ listBets: byFilter, listAdjustments: byFilter },
  ...{ listPlayers: ofBrand, listTransfers: ofBrand, reportDays: ofBrand },
}

export function brandScopes(deps: OperatorDeps): Scopes {
  return {
    owners: OWNERS,
    find: (_player, userId) =>
      findPlayer(deps, userId).then(
        ({ player }) => player.brand,
        (error: unknown) => {
          if (error instanceof Problem && error.status === 404) return undefined
          throw error
        },
      ),
  }
}
