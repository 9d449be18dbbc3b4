/**
 * Selects the rule for a call. It is pure, so the console can also use it to show other possible
 * outcomes of a call.
 */
import type { BetCall } from '../store/bet.ts'
import type { Decision, Facts } from './decision.ts'
import { decidePlace } from './place.ts'
import { decideRollback } from './rollback.ts'
import { decideSettle } from './settle.ts'
import { decideUnsettle } from './unsettle.ts'

export function decideCall(call: BetCall, facts: Facts): Decision {
  switch (call.kind) {
    case 'place':
      return decidePlace(call, facts)
    case 'settle':
      return decideSettle(call, facts)
    case 'unsettle':
      return decideUnsettle(call, facts)
    case 'rollback':
      return decideRollback(call, facts)
    default:
      return call satisfies never
  }
}
