/** The gateway's own API: operators, and the exchange of their tokens. */

import { type Static, Type } from 'typebox'
import type { Db } from '../db/db.ts'
import { CallPageSchema, callQuery, listCalls } from '../feed/call-list.ts'
import {
  changedConnection,
  connectionMember,
  type GivenConnection,
  showConnection,
  shownConnectionMember,
} from '../http/connection-member.ts'
import { decodeCursor, limitOf, onlyKnown, pageOf, pageQuery, toPage } from '../http/page.ts'
import { invalid, notFound, Problem } from '../http/problem.ts'
import type { Routes } from '../http/route.ts'
import { describeRoute, type Shape } from '../http/route.ts'
import { givenSecrets, requireSecrets, secretMembers } from '../http/secrets.ts'
import { requireCarried } from '../http/storable.ts'
import { ActionPageSchema, actionQuery } from '../people/action-list.ts'
import type { ActionLog, Author } from '../people/actions.ts'
import { addKeyRoutes } from '../people/key-routes.ts'
import type { KeyChanges } from '../people/keys.ts'
import { withPerson } from '../people/person.ts'
import type { Reach } from '../protocol/base-url.ts'
import { OperatorUserSchema, TokenSchema } from '../protocol/bet-request.ts'
import { OPERATOR_USER_PATTERN } from '../protocol/limits.ts'
import type { Clock } from '../runtime/clock.ts'
import { findFault } from '../wallet-client/base-url.ts'
import type { CallerRefusals } from '../wallet-client/caller-refused.ts'
import { triedMembers, trySecrets, warningOf } from '../wallet-client/try-secrets.ts'
import type { Directory } from './directory.ts'
import { type Exchanged, exchangeToken } from './exchange-token.ts'
import { OUTCOMES } from './handle-call.ts'
import type { Operator, Operators } from './operators.ts'

export interface ApiDeps {
  readonly operators: Operators
  readonly directory: Directory
  readonly clock: Clock
  readonly db: Pick<Db, 'people'>
  readonly actions: ActionLog
  readonly refusals: CallerRefusals
  readonly keys: KeyChanges
  readonly reach: Reach
}

const strict = { additionalProperties: false } as const
/** In paths and as a label of metrics: the same plain characters as `operatorUser`. */
const OperatorIdSchema = Type.String({ pattern: OPERATOR_USER_PATTERN, description: 'Your name for the operator.' })
export const NewOperatorSchema = Type.Object(
  {
    operatorId: OperatorIdSchema,
    baseUrl: Type.String({
      maxLength: 1_000,
      description: 'A URL of http or https. The paths of the interface are appended, so leave `/payment/bet` out.',
    }),
    ...secretMembers,
    ...connectionMember,
  },
  { ...strict, examples: [{ operatorId: 'acme', baseUrl: 'https://wallet.acme.example', secret: 'shared-secret' }] },
)
export const ChangedOperatorSchema = Type.Object(
  { baseUrl: NewOperatorSchema.properties.baseUrl, ...secretMembers, ...connectionMember },
  {
    ...strict,
    examples: [{ baseUrl: 'https://wallet.acme.example', secrets: ['a-new-shared-secret', 'the-one-before'] }],
  },
)
export const TriedOperatorSchema = Type.Object({
  ...{ operatorId: Type.String(), baseUrl: Type.String() },
  ...shownConnectionMember,
  ...triedMembers,
})
export const OperatorSchema = Type.Object({
  operatorId: Type.String(),
  baseUrl: Type.String(),
  ...shownConnectionMember,
  lastRefusal: Type.Optional(
    Type.Object(
      { at: Type.String({ format: 'date-time' }), error: Type.String() },
      {
        description:
          'The last answer of the operator about the gateway itself, and not about a player (D-7): another secret, 401, 403, a redirect. As the process that answers knows it; absent when there was none since its start.',
      },
    ),
  ),
})
export const OperatorPageSchema = pageOf(OperatorSchema)
const ListQuerySchema = Type.Object(pageQuery, onlyKnown)
const OperatorPathSchema = Type.Object({ operatorId: OperatorIdSchema })
export const NewSessionSchema = Type.Object(
  { token: TokenSchema },
  { ...strict, examples: [{ token: 'a-token-of-the-operator' }] },
)
export const SessionSchema = Type.Object({
  token: Type.String({ description: "The gateway's token, for the frame: 43 characters." }),
  userId: Type.String({ description: "The gateway's id of the player, the same for good." }),
  operatorUser: OperatorUserSchema,
  currency: Type.String(),
})

/** The security scheme of this API. */
const KEY = 'gatewayKey'

function describe<S extends Shape>(operationId: string, summary: string, shape: S) {
  return describeRoute({ operationId, tag: 'Operators', summary, key: KEY }, shape)
}

export function addRoutes(api: Routes, deps: ApiDeps): void {
  addOperatorRoutes(api, deps)
  addActionRoutes(api, deps)
  addCallRoutes(api, deps)
  addKeyRoutes(api, deps, { scheme: KEY, tag: 'Keys' })
  api.post(
    '/:operatorId/sessions',
    describe(
      'exchangeToken',
      "Exchange an operator's token for one of the gateway's",
      withPerson({
        role: 'support',
        params: OperatorPathSchema,
        body: NewSessionSchema,
        ok: { 201: SessionSchema },
        problems: { 422: 'operator_refused', 502: 'operator_failed' },
      }),
    ),
    async (request, reply) => {
      const { params, body } = request
      const author = deps.actions.byUser(request)
      const { operatorId } = params
      const exchanged = await exchangeToken(deps, author, operatorId, body.token)
      if (exchanged.kind === 'gateway_refused') deps.refusals.add(operatorId, exchanged.detail, deps.clock.now())
      return reply.code(201).send(viewOf(exchanged))
    },
  )
}

function viewOf(exchanged: Exchanged): Static<typeof SessionSchema> {
  switch (exchanged.kind) {
    case 'exchanged': {
      const { token, player } = exchanged.session
      const { userId, operatorUser } = player
      return { token, userId, operatorUser, currency: exchanged.currency }
    }
    case 'unknown_operator':
      throw notFound('the operator')
    case 'refused':
      throw new Problem(422, 'operator_refused', `the operator answered code ${exchanged.code}: ${exchanged.message}`)
    case 'failed':
      throw new Problem(502, 'operator_failed', `the operator gave no usable answer: ${exchanged.detail}`)
    case 'gateway_refused':
      throw new Problem(502, 'operator_failed', `the operator refuses the gateway itself: ${exchanged.detail}`)
    default:
      return exchanged satisfies never
  }
}

function addOperatorRoutes(api: Routes, deps: ApiDeps): void {
  const { operators, actions } = deps
  api.post(
    '',
    describe(
      'saveOperator',
      'Add an operator, or change its address or secret, and try each with a harmless call',
      withPerson({ role: 'admin', body: NewOperatorSchema, ok: { 201: TriedOperatorSchema } }),
    ),
    async (request, reply) => {
      const { operatorId, baseUrl, connection, ...given } = request.body
      requireCarried(operatorId, '/operatorId')
      const secrets = requireSecrets(given)
      const known = await operators.read(operatorId).catch(() => undefined) // what cannot be read is replaced all the same
      const change = { operatorId, baseUrl, secrets, connection }
      const saved = await saveAndTry(deps, actions.by(request), change, known)
      return reply.code(201).send(saved)
    },
  )
  api.put(
    '/:operatorId',
    describe(
      'changeOperator',
      'Change an operator’s address or secrets, and try each with a harmless call',
      withPerson({
        role: 'admin',
        params: OperatorPathSchema,
        body: ChangedOperatorSchema,
        ok: { 200: TriedOperatorSchema },
      }),
    ),
    async (request) => {
      const { operatorId } = request.params
      const { baseUrl, connection, ...given } = request.body
      const known = await operators.read(operatorId)
      if (known === undefined) throw notFound('the operator')
      const secrets = givenSecrets(given) ?? known.secrets
      return saveAndTry(deps, actions.by(request), { operatorId, baseUrl, secrets, connection }, known)
    },
  )
  api.get(
    '',
    describe('listOperators', 'Operators, newest first; never their secrets', {
      role: 'read',
      querystring: ListQuerySchema,
      ok: { 200: OperatorPageSchema },
    }),
    async ({ query }) => {
      const limit = limitOf(query)
      const cursor = decodeCursor(query.after, 2)
      const before = { createdAt: cursor?.at ?? END_OF_TIME, operatorId: cursor?.ids[0] ?? '' }
      const found = await operators.list(before, limit + 1)
      const connections = await operators.connections(found.map(({ operatorId }) => operatorId))
      return toPage(
        found,
        limit,
        (one) => ({ ...showOperator(one, deps.refusals), ...showConnection(connections.get(one.operatorId) ?? {}) }),
        ({ createdAt, operatorId }) => [createdAt.toISOString(), operatorId],
      )
    },
  )
}

type OperatorChange = Omit<Operator, 'connection'> & { readonly connection: GivenConnection }

/** It is saved whatever the operator answers, or if it answers nothing. */
async function saveAndTry(deps: ApiDeps, author: Author, change: OperatorChange, known: Operator | undefined) {
  const { operatorId, baseUrl, secrets } = change
  await requireUsable(deps, baseUrl)
  const to = { url: baseUrl, urlPointer: '/baseUrl' }
  const connection = changedConnection(change.connection, known?.connection ?? {}, to)
  const operator = { operatorId, baseUrl, secrets, connection }
  await deps.operators.save(author, operator, deps.clock.now())
  const tried = await trySecrets(operator, deps.reach, 'gateway')
  return { operatorId, baseUrl, ...showConnection(connection), ...tried, ...warningOf(known?.secrets, secrets) }
}

async function requireUsable(deps: ApiDeps, baseUrl: string): Promise<void> {
  const fault = await findFault(baseUrl, deps.reach)
  if (fault !== undefined) throw invalid('/baseUrl', fault)
}

const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z')

function showOperator(
  { operatorId, baseUrl }: Pick<Operator, 'operatorId' | 'baseUrl'>,
  refusals: CallerRefusals,
): Static<typeof OperatorSchema> {
  const last = refusals.last(operatorId)
  return { operatorId, baseUrl, ...(last && { lastRefusal: { at: last.at.toISOString(), error: last.refusal } }) }
}

const ActionQuerySchema = actionQuery({
  on: Type.Optional({ ...OperatorIdSchema, description: 'Only what was done to this operator.' }),
})

function addActionRoutes(api: Routes, { actions, db }: ApiDeps): void {
  api.get(
    '/actions',
    describe('listActions', 'Who changed what through this API, newest first (O-4)', {
      role: 'read',
      querystring: ActionQuerySchema,
      ok: { 200: ActionPageSchema },
    }),
    ({ query }) => actions.list(db.people, query, query.on),
  )
}

function addCallRoutes(api: Routes, { db }: ApiDeps): void {
  api.get(
    '/calls',
    describe('listCalls', 'Calls of the wire as they came and were answered, newest first (W-30)', {
      role: 'support',
      querystring: callQuery(OUTCOMES),
      ok: { 200: CallPageSchema },
    }),
    ({ query }) => listCalls(db.people, 'gateway', query),
  )
}
