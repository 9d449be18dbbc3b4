/**
 * Routes that list, create, rotate and revoke API keys. Wallet, platform and gateway all have them,
 * and only admins may call them.
 */

import type { Clock } from '@purser/runtime/clock'
import { type Static, Type } from 'typebox'
import type { Db } from '../database/db.ts'
import { KEY_RIGHTS } from '../http/api/key-rights.ts'
import {
  decodeCursor,
  invalidCursorProblem,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
  toTime,
} from '../http/api/pagination.ts'
import { ROLES } from '../http/api/principal.ts'
import { conflict, invalid, notFound } from '../http/api/problem-details.ts'
import { describeRoute, type RouteShape, type Routes } from '../http/api/route-description.ts'
import { abbreviateHash } from './api-key.ts'
import type { KeyChanges } from './api-key-changes.ts'
import {
  KEY_NAME_PATTERN,
  KEY_OVERLAP_S,
  KEY_REJECTION_TEXTS,
  type KeyCreationResult,
  type KeyRow,
  MAX_KEY_OVERLAP_S,
} from './api-key-store.ts'
import { withAuditHeaders } from './audit-log/audit-headers.ts'
import type { AuditLog } from './audit-log/audit-log.ts'

export interface KeyRouteDeps {
  readonly db: Pick<Db, 'userQueries'>
  readonly clock: Clock
  readonly actions: AuditLog
  readonly keys: KeyChanges
}

const strict = { additionalProperties: false } as const
const time = (description: string) => Type.String({ format: 'date-time', description })
const NameSchema = Type.String({
  pattern: KEY_NAME_PATTERN,
  description: 'The person or the program that holds the key. A name can never be given again.',
})
const RoleSchema = Type.Enum([...ROLES], { description: 'Each role includes the rights of the roles before it.' })
const RightsSchema = Type.Optional(
  Type.Array(Type.Enum([...KEY_RIGHTS]), {
    minItems: 1,
    description:
      'The key may only call operations of these rights. If it is absent, the key has all rights of its role (W-25).',
  }),
)
const ScopeSchema = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'The one brand (wallet), partner (platform) or operator (gateway) that the key may access. If it is absent, the key has no such limit (W-25).',
  }),
)
const hash = Type.String({ description: "The beginning of the key's SHA-256, as in the audit log." })

export const NewKeySchema = Type.Object(
  {
    ...{ name: NameSchema, role: RoleSchema, rights: RightsSchema, scope: ScopeSchema },
    expiresAt: Type.Optional(time('The time at which the key expires. If it is absent, the key does not expire.')),
  },
  { ...strict, examples: [{ name: 'support-desk', role: 'support' }] },
)
export const RotationSchema = Type.Object(
  {
    overlapSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_KEY_OVERLAP_S,
        description: `The seconds for which earlier keys of this name still work. The default is ${KEY_OVERLAP_S}, the maximum is 30 days.`,
      }),
    ),
  },
  { ...strict, examples: [{ overlapSeconds: 3_600 }] },
)
export const CreatedKeySchema = Type.Object({
  name: Type.String(),
  role: RoleSchema,
  rights: RightsSchema,
  scope: ScopeSchema,
  key: Type.String({
    description: 'The API key. It is shown only in this response, because the server stores only its SHA-256.',
  }),
  hash,
  madeAt: time('The time at which it was created.'),
  expiresAt: Type.Optional(
    time('The time at which the key expires. A rotated key expires at the time of the key before it.'),
  ),
  earlierEndAt: Type.Optional(time('The time until which earlier keys of this name still work.')),
})
export const KeySchema = Type.Object({
  name: Type.String(),
  role: RoleSchema,
  rights: RightsSchema,
  scope: ScopeSchema,
  hash,
  madeAt: time('The time at which it was created.'),
  endsAt: Type.Optional(
    time('The time at which the key stops working, because it expires, was rotated or was revoked.'),
  ),
  live: Type.Boolean({ description: 'True if the key works now.' }),
  lastUsedAt: Type.Optional(time('The minute of the last known use. It is absent if no use is known.')),
})
export const KeyPageSchema = toPageSchema(KeySchema)

const ListQuery = Type.Object(pageQuery, noUnknownMembers)
const KeyPath = Type.Object({ name: NameSchema })

interface ApiLabels {
  readonly scheme: string
  readonly tag: string
}

export function addKeyRoutes(api: Routes, deps: KeyRouteDeps, { scheme: key, tag }: ApiLabels) {
  const { keys, actions, clock, db } = deps
  const describe = <S extends RouteShape>(operationId: string, summary: string, shape: S) =>
    describeRoute({ operationId, tag, summary, key }, shape)
  const problems = { 409: 'key_exists or too_many_keys' }
  const made = { 201: CreatedKeySchema }
  api.post(
    '/keys',
    describe(
      'makeKey',
      'Create an API key, which is shown once',
      withAuditHeaders({ role: 'admin', body: NewKeySchema, ok: made, problems }),
    ),
    async (request, reply) => {
      const { expiresAt, ...newKey } = request.body
      const ends = expiresAt === undefined ? {} : { expiresAt: toTime(expiresAt, '/expiresAt') }
      return reply
        .code(201)
        .send(toCreatedKeyView(await keys.make(actions.actorOf(request), { ...newKey, ...ends }, clock.now())))
    },
  )
  api.get(
    '/keys',
    describe('listKeys', 'List API keys without their values, revoked and expired ones included, newest first', {
      role: 'admin',
      querystring: ListQuery,
      ok: { 200: KeyPageSchema },
    }),
    async ({ query }) => {
      const limit = parseLimit(query)
      const rows = await keys.list(db.userQueries, parseCursorPosition(query.after), limit + 1)
      return toPage(rows, limit, toKeyView, ({ made_at, name, number }) => [made_at.toISOString(), name, `${number}`])
    },
  )
  api.post(
    '/keys/:name/rotate',
    describe(
      'rotateKey',
      'Rotate an API key; the old key works for a while',
      withAuditHeaders({
        role: 'admin',
        params: KeyPath,
        body: Type.Optional(RotationSchema),
        ok: made,
        problems: { 409: 'key_ended or too_many_keys' },
      }),
    ),
    async (request, reply) => {
      const { params, body } = request
      const overlap = body?.overlapSeconds ?? KEY_OVERLAP_S
      return reply
        .code(201)
        .send(toCreatedKeyView(await keys.rotate(actions.actorOf(request), params.name, overlap, clock.now())))
    },
  )
  api.delete(
    '/keys/:name',
    describe(
      'revokeKey',
      'Revoke all API keys of a name now',
      withAuditHeaders({ role: 'admin', params: KeyPath, ok: { 204: Type.Null() } }),
    ),
    async (request, reply) => {
      const isRevoked = await keys.revoke(actions.actorOf(request), request.params.name, clock.now())
      if (isRevoked === undefined) throw notFound('the key')
      return reply.code(204).send()
    },
  )
}

function parseCursorPosition(after: string | undefined) {
  const position = decodeCursor(after, 3)
  if (position !== undefined && !/^\d{1,9}$/.test(position.ids[1] ?? '')) throw invalidCursorProblem()
  return position
}

/** Throws the problem if no key was created. */
export function toCreatedKeyView(made: KeyCreationResult): Static<typeof CreatedKeySchema> {
  switch (made.kind) {
    case 'made': {
      const { kind: _, madeAt, expiresAt, earlierEndAt, rights, ...others } = made
      return {
        ...{ ...others, ...(rights && { rights: [...rights] }) },
        madeAt: madeAt.toISOString(),
        ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
        ...(earlierEndAt && { earlierEndAt: earlierEndAt.toISOString() }),
      }
    }
    case 'past':
      throw invalid('/expiresAt', KEY_REJECTION_TEXTS.past)
    case 'unknown':
      throw notFound('the key')
    case 'taken':
      throw conflict('key_exists', KEY_REJECTION_TEXTS.taken)
    case 'ended':
      throw conflict('key_ended', KEY_REJECTION_TEXTS.ended)
    case 'too_many':
      throw conflict('too_many_keys', KEY_REJECTION_TEXTS.too_many)
    default:
      return made satisfies never
  }
}

export function toKeyView({
  name,
  role,
  rights,
  scope,
  hash,
  made_at,
  ends_at,
  is_live,
  used_at,
}: KeyRow): Static<typeof KeySchema> {
  return {
    name,
    role,
    ...(rights !== null && { rights }),
    ...(scope !== null && { scope }),
    hash: abbreviateHash(hash),
    madeAt: made_at.toISOString(),
    ...(ends_at !== null && { endsAt: ends_at.toISOString() }),
    live: is_live,
    ...(used_at !== null && { lastUsedAt: used_at.toISOString() }),
  }
}
