/** The routes that tell the platform of events: their state and odds, their results, and the limits of bets on them. */

import { Type } from 'typebox'
import { invalid } from '../../http/problem.ts'
import type { Routes } from '../../http/route.ts'
import type { ActionLog } from '../../people/actions.ts'
import type { FlowDeps } from '../bets/bet-flow.ts'
import { type EventStatus, saveEvent } from '../bets/event.ts'
import { LimitsSchema, objectionTo, readLimits, writeLimits } from '../bets/limits.ts'
import { formatOdds, parseOdds } from '../bets/odds.ts'
import type { Results } from '../bets/results.ts'
import { requireCarriedIfNew } from './new-event.ts'
import { orProblem } from './refused.ts'
import { describeChange, EventPath, EventStateSchema, ResultsAppliedSchema, ResultsSchema } from './shapes.ts'

export interface EventDeps extends FlowDeps {
  readonly actions: ActionLog
  readonly results: Results
}

export function addEventRoutes(api: Routes, deps: EventDeps): void {
  api.put(
    '/events/:eventId',
    describeChange('saveEvent', 'Events', 'What the control stage looks at: state and odds of an event', {
      role: 'support',
      params: EventPath,
      body: EventStateSchema,
      ok: { 204: Type.Null() },
      problems: { 404: null },
    }),
    async (request, reply) => {
      const { params, body } = request
      await requireCarriedIfNew(deps, params.eventId, '/path/eventId')
      requireDistinct(body.outcomes ?? [])
      const outcomes = (body.outcomes ?? []).map(({ outcomeId, coefficient }, i) => {
        const parsed = parseOdds(coefficient)
        if (parsed === undefined)
          throw invalid(`/outcomes/${i}/coefficient`, 'must be more than 0 with at most six decimals')
        return { outcomeId, coefficient: formatOdds(parsed) }
      })
      const status = body.status satisfies EventStatus
      await saveEvent(deps.db, deps.actions.by(request), params.eventId, status, outcomes, deps.clock.now())
      return reply.code(204).send()
    },
  )
  api.post(
    '/events/:eventId/result',
    describeChange('setResults', 'Events', 'Results of an event: settles every bet that they decide', {
      role: 'cash',
      params: EventPath,
      body: ResultsSchema,
      ok: { 202: ResultsAppliedSchema },
      problems: { 404: null },
    }),
    async (request, reply) => {
      const { params, body } = request
      requireDistinct(body.outcomes)
      const { bets, isWhole } = await deps.results.set(deps.actions.by(request), params.eventId, body.outcomes)
      return reply.code(202).send({ bets, applied: isWhole })
    },
  )
  api.put(
    '/limits',
    describeChange('saveLimits', 'Events', 'The limits behind rollback reasons 110–115', {
      role: 'admin',
      body: LimitsSchema,
      ok: { 200: LimitsSchema },
    }),
    async (request) => {
      const author = deps.actions.by(request)
      orProblem(objectionTo(request.body, deps.scales))
      await deps.db.transaction((tx) => writeLimits(tx, author, request.body, deps.clock.now()))
      return readLimits(deps.db)
    },
  )
}

/** An outcome that is named twice says two things. */
function requireDistinct(outcomes: readonly { outcomeId: string }[]): void {
  const seen = new Set<string>()
  const twice = outcomes.findIndex(({ outcomeId }) => seen.size === seen.add(outcomeId).size)
  if (twice >= 0) throw invalid(`/outcomes/${twice}/outcomeId`, 'is named twice')
}
