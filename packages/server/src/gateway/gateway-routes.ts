/** Routes of the gateway's own API. */

import { OperatorUserSchema, TokenSchema } from '@purser/protocol/bet-request'
import type { CallerRefusals } from '@purser/protocol/client/caller-refusals'
import { findAddressFault } from '@purser/protocol/client/network/ssrf-guard'
import { probeMembers, probeSecrets, toRotationWarning } from '@purser/protocol/client/secret-probe'
import type { Reach } from '@purser/protocol/values/base-url'
import { OPERATOR_USER_PATTERN } from '@purser/protocol/wire-limits'
import type { Clock } from '@purser/runtime/clock'
import { type Static, Type } from 'typebox'
import type { KeyChanges } from '../core/auth/api-key-changes.ts'
import { addKeyRoutes } from '../core/auth/api-key-routes.ts'
import { withAuditHeaders } from '../core/auth/audit-log/audit-headers.ts'
import type { Actor, AuditLog } from '../core/auth/audit-log/audit-log.ts'
import { AuditLogPageSchema, defineAuditLogQuery } from '../core/auth/audit-log/audit-log-list.ts'
import { defineCallQuery, JournalCallPageSchema, listCalls } from '../core/call-journal/journal-call-list.ts'
import type { Db } from '../core/database/db.ts'
import {
  decodeCursor,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
} from '../core/http/api/pagination.ts'
import { invalid, notFound, Problem } from '../core/http/api/problem-details.ts'
import type { Routes } from '../core/http/api/route-description.ts'
import { describeRoute, type RouteShape } from '../core/http/api/route-description.ts'
import { requirePathSafe } from '../core/http/api/storable-text.ts'
import {
  changedConnection,
  connectionMember,
  type GivenConnection,
  showConnection,
  shownConnectionMember,
} from '../core/partners/connection-member.ts'
import { readSecrets, requireSecrets, secretMembers } from '../core/partners/secret-members.ts'
import type { Operator, Operators } from './operators/operators.ts'
import type { PlayerDirectory } from './players/player-directory.ts'
import { exchangeToken, type TokenExchangeResult } from './players/token-exchange.ts'
import { GATEWAY_OUTCOMES } from './wire/gateway-call-handler.ts'

export interface GatewayApiDeps {
  readonly operators: Operators
  readonly directory: PlayerDirectory
  readonly clock: Clock
  readonly db: Pick<Db, 'userQueries'>
  readonly actions: AuditLog
  readonly refusals: CallerRefusals
  readonly keys: KeyChanges
  readonly reach: Reach
}

const strict = { additionalProperties: false } as const
/** A part of paths and a label of metrics, so it has the plain characters of `operatorUser`. */
const OperatorIdSchema = Type.String({
  pattern: OPERATOR_USER_PATTERN,
  description: 'The name that you gave the operator.',
})
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
  ...probeMembers,
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
          'The last answer with which the operator rejected the gateway itself, not a player (D-7): code 1, 401, 403 or a redirect. It is known to the process that responds, and absent if there was none since its start.',
      },
    ),
  ),
})
export const OperatorPageSchema = toPageSchema(OperatorSchema)
const ListQuerySchema = Type.Object(pageQuery, noUnknownMembers)
const OperatorPathSchema = Type.Object({ operatorId: OperatorIdSchema })
export const TokenExchangeSchema = Type.Object(
  { token: TokenSchema },
  { ...strict, examples: [{ token: 'a-token-of-the-operator' }] },
)
export const GatewaySessionSchema = Type.Object({
  token: Type.String({ description: "The gateway's token for the frame, 43 characters." }),
  userId: Type.String({ description: "The gateway's id of the player, which never changes." }),
  operatorUser: OperatorUserSchema,
  currency: Type.String(),
})

const SECURITY_SCHEME = 'gatewayKey'

function describeOperatorRoute<S extends RouteShape>(operationId: string, summary: string, shape: S) {
  return describeRoute({ operationId, tag: 'Operators', summary, key: SECURITY_SCHEME }, shape)
}

export function addGatewayRoutes(api: Routes, deps: GatewayApiDeps): void {
  addOperatorRoutes(api, deps)
  addActionRoutes(api, deps)
  addCallRoutes(api, deps)
  addKeyRoutes(api, deps, { scheme: SECURITY_SCHEME, tag: 'Keys' })
  api.post(
    '/:operatorId/sessions',
    describeOperatorRoute(
      'exchangeToken',
      "Exchange an operator's token for a token of the gateway",
      withAuditHeaders({
        role: 'support',
        params: OperatorPathSchema,
        body: TokenExchangeSchema,
        ok: { 201: GatewaySessionSchema },
        problems: { 422: 'operator_refused', 502: 'operator_failed' },
      }),
    ),
    async (request, reply) => {
      const { params, body } = request
      const author = deps.actions.userActorOf(request)
      const { operatorId } = params
      const exchanged = await exchangeToken(deps, author, operatorId, body.token)
      if (exchanged.kind === 'gateway_refused') deps.refusals.add(operatorId, exchanged.detail, deps.clock.now())
      return reply.code(201).send(renderExchange(exchanged))
    },
  )
}

function renderExchange(exchanged: TokenExchangeResult): Static<typeof GatewaySessionSchema> {
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
      throw new Problem(502, 'operator_failed', `the operator rejected the gateway itself: ${exchanged.detail}`)
    default:
      return exchanged satisfies never
  }
}

function addOperatorRoutes(api: Routes, deps: GatewayApiDeps): void {
  const { operators, actions } = deps
  api.post(
    '',
    describeOperatorRoute(
      'saveOperator',
      'Add an operator, or change its address or secret; a harmless call tries each secret',
      withAuditHeaders({ role: 'admin', body: NewOperatorSchema, ok: { 201: TriedOperatorSchema } }),
    ),
    async (request, reply) => {
      const { operatorId, baseUrl, connection, ...given } = request.body
      requirePathSafe(operatorId, '/operatorId')
      const secrets = requireSecrets(given)
      const known = await operators.read(operatorId).catch(() => undefined) // unreadable secrets are replaced too
      const change = { operatorId, baseUrl, secrets, connection }
      const saved = await saveAndProbe(deps, actions.actorOf(request), change, known)
      return reply.code(201).send(saved)
    },
  )
  api.put(
    '/:operatorId',
    describeOperatorRoute(
      'changeOperator',
      'Change an operator’s address or secrets; a harmless call tries each secret',
      withAuditHeaders({
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
      const secrets = readSecrets(given) ?? known.secrets
      return saveAndProbe(deps, actions.actorOf(request), { operatorId, baseUrl, secrets, connection }, known)
    },
  )
  api.get(
    '',
    describeOperatorRoute('listOperators', 'List operators without their secrets, newest first', {
      role: 'read',
      querystring: ListQuerySchema,
      ok: { 200: OperatorPageSchema },
    }),
    async ({ query }) => {
      const limit = parseLimit(query)
      const cursor = decodeCursor(query.after, 2)
      const before = { createdAt: cursor?.at ?? END_OF_TIME, operatorId: cursor?.ids[0] ?? '' }
      const found = await operators.list(before, limit + 1)
      const connections = await operators.connections(found.map(({ operatorId }) => operatorId))
      return toPage(
        found,
        limit,
        (operator) => ({
          ...renderOperator(operator, deps.refusals),
          ...showConnection(connections.get(operator.operatorId) ?? {}),
        }),
        ({ createdAt, operatorId }) => [createdAt.toISOString(), operatorId],
      )
    },
  )
}

type OperatorChange = Omit<Operator, 'connection'> & { readonly connection: GivenConnection }

/** The operator is saved before its secrets are tried, so its answer does not matter. */
async function saveAndProbe(deps: GatewayApiDeps, author: Actor, change: OperatorChange, known: Operator | undefined) {
  const { operatorId, baseUrl, secrets } = change
  await requireUsableUrl(deps, baseUrl)
  const to = { url: baseUrl, urlPointer: '/baseUrl' }
  const connection = changedConnection(change.connection, known?.connection ?? {}, to)
  const operator = { operatorId, baseUrl, secrets, connection }
  await deps.operators.save(author, operator, deps.clock.now())
  const probed = await probeSecrets(operator, deps.reach, 'gateway')
  return {
    operatorId,
    baseUrl,
    ...showConnection(connection),
    ...probed,
    ...toRotationWarning(known?.secrets, secrets),
  }
}

async function requireUsableUrl(deps: GatewayApiDeps, baseUrl: string): Promise<void> {
  const fault = await findAddressFault(baseUrl, deps.reach)
  if (fault !== undefined) throw invalid('/baseUrl', fault)
}

const END_OF_TIME = new Date('9999-12-31T23:59:59.999Z')

function renderOperator(
  { operatorId, baseUrl }: Pick<Operator, 'operatorId' | 'baseUrl'>,
  refusals: CallerRefusals,
): Static<typeof OperatorSchema> {
  const last = refusals.last(operatorId)
  return { operatorId, baseUrl, ...(last && { lastRefusal: { at: last.at.toISOString(), error: last.refusal } }) }
}

const ActionQuerySchema = defineAuditLogQuery({
  on: Type.Optional({ ...OperatorIdSchema, description: 'Only entries about this operator.' }),
})

function addActionRoutes(api: Routes, { actions, db }: GatewayApiDeps): void {
  api.get(
    '/actions',
    describeOperatorRoute('listActions', 'List the audit log of this API, newest first (O-4)', {
      role: 'read',
      querystring: ActionQuerySchema,
      ok: { 200: AuditLogPageSchema },
    }),
    ({ query }) => actions.list(db.userQueries, query, query.on),
  )
}

function addCallRoutes(api: Routes, { db }: GatewayApiDeps): void {
  api.get(
    '/calls',
    describeOperatorRoute(
      'listCalls',
      'List calls of the partner wire with request and response, newest first (W-30)',
      {
        role: 'support',
        querystring: defineCallQuery(GATEWAY_OUTCOMES),
        ok: { 200: JournalCallPageSchema },
      },
    ),
    ({ query }) => listCalls(db.userQueries, 'gateway', query),
  )
}
