/** The routes that tell the platform of events: their state and odds, their results, and the limits of bets on them. */
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { invalid } from '../http/problem.ts'
import type { FlowDeps } from './bet-flow.ts'
import { type EventStatus, saveEvent } from './event.ts'
import { LimitsSchema, readLimits, writeLimits } from './limits.ts'
import { formatOdds, parseOdds } from './odds.ts'
import { setResults } from './results.ts'
import { describe, odds, optional, strict, text } from './shapes.ts'

const EventPath = Type.Object({ eventId: text(64) })
const EventState = Type.Object(
  {
    status: Type.Enum(['open', 'suspended', 'withdrawn', 'ended']),
    outcomes: optional(Type.Array(Type.Object({ outcomeId: text(64), coefficient: odds }, strict))),
  },
  { ...strict, examples: [{ status: 'open', outcomes: [{ outcomeId: 'home', coefficient: '2.10' }] }] },
)
const Results = Type.Object(
  {
    outcomes: Type.Array(Type.Object({ outcomeId: text(64), result: Type.Enum(['won', 'lost', 'refund']) }, strict), {
      description: 'All results of the event; none withdraws them.',
    }),
  },
  {
    ...strict,
    examples: [
      {
        outcomes: [
          { outcomeId: 'home', result: 'won' },
          { outcomeId: 'away', result: 'lost' },
        ],
      },
    ],
  },
)

type InEvent = { Params: Static<typeof EventPath> }

export function addEventRoutes(api: FastifyInstance, deps: FlowDeps & { decided(): void }): void {
  api.put<InEvent & { Body: Static<typeof EventState> }>(
    '/events/:eventId',
    describe('saveEvent', 'events', 'What the control stage looks at: state and odds of an event', {
      params: EventPath,
      body: EventState,
      ok: { 204: Type.Null() },
    }),
    async ({ params, body }, reply) => {
      requireDistinct(body.outcomes ?? [])
      const outcomes = (body.outcomes ?? []).map(({ outcomeId, coefficient }, i) => {
        const parsed = parseOdds(coefficient)
        if (parsed === undefined)
          throw invalid(`/outcomes/${i}/coefficient`, 'must be more than 0 with at most six decimals')
        return { outcomeId, coefficient: formatOdds(parsed) }
      })
      await saveEvent(deps.db, params.eventId, body.status satisfies EventStatus, outcomes, deps.clock.now())
      return reply.code(204).send()
    },
  )
  api.post<InEvent & { Body: Static<typeof Results> }>(
    '/events/:eventId/result',
    describe('setResults', 'events', 'Results of an event: settles every bet that they decide', {
      params: EventPath,
      body: Results,
      ok: { 202: Type.Object({ bets: Type.Integer() }) },
    }),
    async ({ params, body }, reply) => {
      requireDistinct(body.outcomes)
      const bets = await setResults(deps, params.eventId, body.outcomes)
      deps.decided()
      return reply.code(202).send({ bets })
    },
  )
  api.put<{ Body: Static<typeof LimitsSchema> }>(
    '/limits',
    describe('saveLimits', 'events', 'The limits behind rollback reasons 110–115', {
      body: LimitsSchema,
      ok: { 200: LimitsSchema },
    }),
    async ({ body }) => {
      await deps.db.transaction((tx) => writeLimits(tx, body))
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
