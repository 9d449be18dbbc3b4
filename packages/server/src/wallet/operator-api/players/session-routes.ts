/** Routes of sessions: start, list, end, and switch of the currency. */
import { Type } from 'typebox'
import type { AuditLog } from '../../../core/auth/audit-log/audit-log.ts'
import type { Routes } from '../../../core/http/api/route-description.ts'
import type { OperatorDeps } from '../operator-context.ts'
import { describeOperatorChange, describeOperatorRoute, PlayerPath } from '../operator-schemas.ts'
import {
  CurrencySwitchSchema,
  createSession,
  endAllSessions,
  NewPlayerSessionSchema,
  PlayerSessionSchema,
  switchCurrency,
} from './player-sessions.ts'
import { listSessions, SessionListSchema, SessionQuerySchema } from './session-list.ts'

interface SessionDeps extends OperatorDeps {
  readonly actions: AuditLog
}

export function addSessionRoutes(api: Routes, deps: SessionDeps): void {
  const tag = 'Players'
  api.post(
    '/players/:userId/sessions',
    describeOperatorChange('startSession', tag, 'Start a session and get a token for the frame', {
      role: 'support',
      params: PlayerPath,
      body: Type.Optional(NewPlayerSessionSchema),
      ok: { 201: PlayerSessionSchema },
      problems: { 409: 'currency_not_available' },
    }),
    async (request, reply) =>
      reply
        .code(201)
        .send(
          await createSession(deps, deps.actions.actorOf(request), request.params.userId, request.body ?? undefined),
        ),
  )
  api.get(
    '/players/:userId/sessions',
    describeOperatorRoute(
      'listSessions',
      tag,
      "List a player's sessions with their start, end and actor, newest first",
      {
        role: 'read',
        params: PlayerPath,
        querystring: SessionQuerySchema,
        ok: { 200: SessionListSchema },
      },
    ),
    (request) => listSessions(deps, request.params.userId, request.query),
  )
  api.delete(
    '/players/:userId/sessions',
    describeOperatorChange('endSessions', tag, 'End all sessions; calls with their tokens get code 4', {
      role: 'support',
      params: PlayerPath,
      ok: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await endAllSessions(deps, deps.actions.actorOf(request), request.params.userId)
      return reply.code(204).send()
    },
  )
  api.post(
    '/players/:userId/currency',
    describeOperatorChange('switchCurrency', tag, 'Switch the active currency, end all sessions and start a new one', {
      role: 'support',
      params: PlayerPath,
      body: CurrencySwitchSchema,
      ok: { 200: PlayerSessionSchema },
      problems: { 409: 'currency_not_available' },
    }),
    (request) => switchCurrency(deps, deps.actions.actorOf(request), request.params.userId, request.body),
  )
}
