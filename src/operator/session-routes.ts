/** The routes of sessions: begun, looked at, ended, and begun anew in another currency. */
import { Type } from 'typebox'
import type { Routes } from '../http/route.ts'
import type { ActionLog } from '../people/actions.ts'
import type { OperatorDeps } from './operator.ts'
import { listSessions, SessionListSchema, SessionQuerySchema } from './session-list.ts'
import {
  createSession,
  endAllSessions,
  NewSessionSchema,
  SessionSchema,
  SwitchSchema,
  switchCurrency,
} from './sessions.ts'
import { describe, describeChange, PlayerPath } from './shapes.ts'

interface SessionDeps extends OperatorDeps {
  readonly actions: ActionLog
}

export function addSessionRoutes(api: Routes, deps: SessionDeps): void {
  const tag = 'Players'
  api.post(
    '/players/:userId/sessions',
    describeChange('startSession', tag, 'Start a session: a token for the frame', {
      role: 'support',
      params: PlayerPath,
      body: Type.Optional(NewSessionSchema),
      ok: { 201: SessionSchema },
      problems: { 409: 'currency_not_available' },
    }),
    async (request, reply) =>
      reply
        .code(201)
        .send(await createSession(deps, deps.actions.by(request), request.params.userId, request.body ?? undefined)),
  )
  api.get(
    '/players/:userId/sessions',
    describe('listSessions', tag, 'The sessions of a player, newest first: when each began and ended, and by whom', {
      role: 'read',
      params: PlayerPath,
      querystring: SessionQuerySchema,
      ok: { 200: SessionListSchema },
    }),
    (request) => listSessions(deps, request.params.userId, request.query),
  )
  api.delete(
    '/players/:userId/sessions',
    describeChange('endSessions', tag, 'End all sessions: their tokens are out of date (code 4)', {
      role: 'support',
      params: PlayerPath,
      ok: { 204: Type.Null() },
    }),
    async (request, reply) => {
      await endAllSessions(deps, deps.actions.by(request), request.params.userId)
      return reply.code(204).send()
    },
  )
  api.post(
    '/players/:userId/currency',
    describeChange('switchCurrency', tag, 'Switch the active currency: ends all sessions, starts one', {
      role: 'support',
      params: PlayerPath,
      body: SwitchSchema,
      ok: { 200: SessionSchema },
      problems: { 409: 'currency_not_available' },
    }),
    (request) => switchCurrency(deps, deps.actions.by(request), request.params.userId, request.body),
  )
}
