/**
 * Operations that a key limited to a brand may call (W-25): operations on the brand's players, and
 * lists of the brand.
 */
import type { KeyScopes, ScopeOwner } from '../../core/http/api/key-scope.ts'
import { Problem } from '../../core/http/api/problem-details.ts'
import { findPlayer, type OperatorDeps } from './operator-context.ts'

const PLAYER_OPERATIONS = [
  ...['readPlayer', 'changePlayer', 'openPersonalData', 'listOpenings', 'readHistory'],
  ...['startSession', 'listSessions', 'endSessions', 'switchCurrency'],
  ...['deposit', 'withdrawal', 'readBalances', 'readStatement'],
  ...['adjustment', 'approveAdjustment', 'refuseAdjustment'],
  ...['readBet', 'lockBet', 'unlockBet'],
]
const byPath: ScopeOwner = { part: 'params', member: 'userId', resource: 'player' }
const byFilter: ScopeOwner = { part: 'query', member: 'userId', resource: 'player' }
const ofBrand: ScopeOwner = { part: 'query', member: 'brand' }

const OWNERS: Readonly<Record<string, ScopeOwner>> = {
  ...Object.fromEntries(PLAYER_OPERATIONS.map((operation) => [operation, byPath])),
  createPlayer: { part: 'body', member: 'brand' },
  ...{ listBets: byFilter, listAdjustments: byFilter },
  ...{ listPlayers: ofBrand, listTransfers: ofBrand, reportDays: ofBrand },
}

export function createBrandScopes(deps: OperatorDeps): KeyScopes {
  return {
    owners: OWNERS,
    findOwner: (_player, userId) =>
      findPlayer(deps, userId).then(
        ({ player }) => player.brand,
        (error: unknown) => {
          if (error instanceof Problem && error.status === 404) return undefined
          throw error
        },
      ),
  }
}
