/**
 * Current state of the outcomes that a bet selects, and of their events, for the control stage
 * (C-3).
 */
import { statement, type Tx } from '../../core/database/db.ts'
import type { EventStatus } from './event-store.ts'
import { type Odds, parseStoredOdds } from './odds.ts'
import type { Selection, SelectionResult } from './platform-bet.ts'

/** Null members are unknown. */
export interface Offer {
  readonly result: SelectionResult | null
  readonly currentOdds: Odds | null
  readonly eventStatus: EventStatus | null
}

const READ_OFFERS = statement(
  'platform_read_offers',
  `select s.event_id, s.outcome_id, o.coefficient, o.result, e.status
   from unnest($1::text[], $2::text[]) as s (event_id, outcome_id)
   left join platform.outcome o on o.event_id = s.event_id and o.outcome_id = s.outcome_id
   left join platform.event e on e.event_id = s.event_id`,
)

interface OfferRow extends Record<string, unknown> {
  event_id: string
  outcome_id: string
  coefficient: string | null
  result: SelectionResult | null
  status: EventStatus | null
}

type OutcomeKey = Pick<Selection, 'eventId' | 'outcomeId'>

export async function readOffers(tx: Tx, selections: readonly OutcomeKey[]): Promise<(selection: OutcomeKey) => Offer> {
  const names = new Map(selections.map((selection) => [formatOutcomeKey(selection), selection]))
  const named = [...names.values()]
  const rows = await tx.query<OfferRow>(READ_OFFERS, [named.map((s) => s.eventId), named.map((s) => s.outcomeId)])
  const offers = new Map(
    rows.map(({ event_id: eventId, outcome_id: outcomeId, coefficient, result, status }): [string, Offer] => [
      formatOutcomeKey({ eventId, outcomeId }),
      { result, currentOdds: coefficient === null ? null : parseStoredOdds(coefficient), eventStatus: status },
    ]),
  )
  return (selection) => offers.get(formatOutcomeKey(selection)) ?? UNKNOWN
}

const UNKNOWN: Offer = { result: null, currentOdds: null, eventStatus: null }

/** No stored id contains NUL (storable-text.ts). */
function formatOutcomeKey({ eventId, outcomeId }: OutcomeKey): string {
  return `${eventId}\u0000${outcomeId}`
}
