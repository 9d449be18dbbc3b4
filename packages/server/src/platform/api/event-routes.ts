/** Routes of sports events: state and odds, results, and limits of bets. */

import { isPathSafe } from '@purser/protocol/values/path-segment'
import { Type } from 'typebox'
import type { AuditLog } from '../../core/auth/audit-log/audit-log.ts'
import type { Db } from '../../core/database/db.ts'
import { invalid } from '../../core/http/api/problem-details.ts'
import type { Routes } from '../../core/http/api/route-description.ts'
import { requirePathSafe } from '../../core/http/api/storable-text.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import type { EventResults } from '../bets/event-results.ts'
import { LimitsSchema, readLimits, validateLimits, writeLimits } from '../placement/bet-limits.ts'
import { type EventStatus, isKnownEvent, saveEvent } from '../store/event-store.ts'
import { formatOdds, parseOdds } from '../store/odds.ts'
import {
  describePlatformChange,
  EventPath,
  EventStateSchema,
  ResultsAppliedSchema,
  ResultsSchema,
} from './platform-schemas.ts'
import { orThrowProblem } from './refusal-status.ts'

export interface EventDeps extends FlowDeps {
  readonly actions: AuditLog
  readonly results: EventResults
}

export function addEventRoutes(api: Routes, deps: EventDeps): void {
  api.put(
    '/events/:eventId',
    describePlatformChange('saveEvent', 'Events', 'Set the state and odds of an event for the control stage', {
      role: 'support',
      params: EventPath,
      body: EventStateSchema,
      ok: { 204: Type.Null() },
      problems: { 404: null },
    }),
    async (request, reply) => {
      const { params, body } = request
      await requireCarriedIfNew(deps, params.eventId, '/path/eventId')
      requireDistinctOutcomes(body.outcomes ?? [])
      const outcomes = (body.outcomes ?? []).map(({ outcomeId, coefficient }, i) => {
        const parsed = parseOdds(coefficient)
        if (parsed === undefined)
          throw invalid(`/outcomes/${i}/coefficient`, 'must be more than 0 with at most six decimals')
        return { outcomeId, coefficient: formatOdds(parsed) }
      })
      const status = body.status satisfies EventStatus
      await saveEvent(deps.db, deps.actions.actorOf(request), params.eventId, status, outcomes, deps.clock.now())
      return reply.code(204).send()
    },
  )
  api.post(
    '/events/:eventId/result',
    describePlatformChange('setResults', 'Events', 'Set the results of an event and settle the bets that they decide', {
      role: 'cash',
      params: EventPath,
      body: ResultsSchema,
      ok: { 202: ResultsAppliedSchema },
      problems: { 404: null },
    }),
    async (request, reply) => {
      const { params, body } = request
      requireDistinctOutcomes(body.outcomes)
      const { bets, isWhole } = await deps.results.set(deps.actions.actorOf(request), params.eventId, body.outcomes)
      return reply.code(202).send({ bets, applied: isWhole })
    },
  )
  api.put(
    '/limits',
    describePlatformChange('saveLimits', 'Events', 'The limits of rollback reasons 110–115', {
      role: 'admin',
      body: LimitsSchema,
      ok: { 200: LimitsSchema },
    }),
    async (request) => {
      const author = deps.actions.actorOf(request)
      orThrowProblem(validateLimits(request.body, deps.scales))
      await deps.db.transaction((tx) => writeLimits(tx, author, request.body, deps.clock.now()))
      return readLimits(deps.db)
    },
  )
}

/** An outcome that is listed twice contradicts itself. */
function requireDistinctOutcomes(outcomes: readonly { outcomeId: string }[]): void {
  const seen = new Set<string>()
  const twice = outcomes.findIndex(({ outcomeId }) => seen.size === seen.add(outcomeId).size)
  if (twice >= 0) throw invalid(`/outcomes/${twice}/outcomeId`, 'is listed twice: remove one')
}

/**
 * The id of a new event must fit into the path of a URL. Throws a 400 that names the position of
 * the id.
 */
export async function requireCarriedIfNew(
  { db }: { readonly db: Pick<Db, 'query'> },
  eventId: string,
  pointer: string,
): Promise<void> {
  if (!isPathSafe(eventId) && !(await isKnownEvent(db, eventId))) requirePathSafe(eventId, pointer)
}
