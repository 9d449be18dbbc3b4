/**
 * Rules of Rollback: the stored stake is returned once, to its payer (I-3, I-4). They implement the
 * column "Rollback" of the table "The life of a bet" (docs/reference/decisions.md).
 */
import type { Bet, RollbackCall } from '../store/bet.ts'
import { type Decision, type Facts, refuseCall } from './decision.ts'

export function decideRollback(call: RollbackCall, facts: Facts): Decision {
  const { bet } = facts
  switch (bet.kind) {
    case 'unknown': // a tombstone refuses the late Place bet
      return { kind: 'apply', bet: { kind: 'cancelled', since: facts.now }, postings: [] }
    case 'open':
      return refund(call, bet, facts)
    case 'settled':
      return refuseCall('already_processed', 'rollback_after_settle')
    case 'cancelled':
    case 'refused':
      return { kind: 'repeat', at: bet.since }
    default:
      return bet satisfies never
  }
}

function refund(call: RollbackCall, { placement }: Bet & { kind: 'open' }, { now }: Facts): Decision {
  if (call.currency !== undefined && call.currency !== placement.currency) {
    return refuseCall(
      'invalid_request',
      'currency_differs_from_bet',
      'currency differs from the currency of the bet; it must be the same',
    )
  }
  return {
    kind: 'apply',
    bet: { kind: 'cancelled', placement, since: now },
    postings: [{ kind: 'refund', debit: 'open_stakes', credit: placement.funder, amount: placement.stake }],
  }
}
