/** The audit log as a paginated list, newest first: entries about all objects, or about one. */
import { type Static, type TSchema, Type } from 'typebox'
import type { Queryable } from '../../database/db.ts'
import { buildQuery } from '../../database/query-builder.ts'
import {
  decodeCursor,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  timeRangeQuery,
  toPage,
  toPageSchema,
  toTimeRange,
} from '../../http/api/pagination.ts'

const ChangedMembersSchema = Type.Record(Type.String(), Type.Unknown())
export const AuditLogEntrySchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  operation: Type.String({ description: 'The operation of this API that made the change.' }),
  on: Type.Record(Type.String(), Type.String(), { description: 'The ids of the changed object.' }),
  key: Type.Object({
    name: Type.String({ description: 'The name of the API key, or the setting that contains the root key.' }),
    hash: Type.String({ description: "The beginning of the key's SHA-256." }),
  }),
  person: Type.Optional(Type.String({ description: 'The person that the request named.' })),
  reason: Type.Optional(Type.String({ description: 'The reason that the request gave.' })),
  before: { ...ChangedMembersSchema, description: 'The changed members. A secret is shown as ***.' },
  after: { ...ChangedMembersSchema, description: 'The changed members. A secret is shown as ***.' },
  requestId: Type.String({ description: 'The x-request-id of the response.' }),
})
export const AuditLogPageSchema = toPageSchema(AuditLogEntrySchema)
export type AuditLogPage = Static<typeof AuditLogPageSchema>

const members = { ...timeRangeQuery, ...pageQuery }
export type AuditLogQuery = Static<ReturnType<typeof Type.Object<typeof members>>>

/** `filter` has the query parameter that names a subject. */
export function defineAuditLogQuery<F extends Record<string, TSchema>>(filter: F) {
  return Type.Object({ ...filter, ...members }, noUnknownMembers)
}

interface ActionRow extends Record<string, unknown> {
  at: Date
  operation: string
  ids: Record<string, string>
  key_name: string
  key_hash: string
  person: string | null
  reason: string | null
  before: Record<string, unknown>
  after: Record<string, unknown>
  request_id: string
}

/**
 * Restrictions of a subject's entries. `player` excludes a key that has a player's name. `history`
 * and `openings` match the conditions of the indexes action_history and action_openings.
 */
const FILTERS = {
  player: "ids ->> 'userId' is not null",
  history: "operation in ('createPlayer', 'changePlayer', 'lockBet', 'unlockBet')",
  openings: "operation = 'openPersonalData'",
} as const
export type AuditLogFilter = keyof typeof FILTERS

export async function listAuditLog(
  db: Queryable,
  schema: string,
  query: AuditLogQuery,
  subject: string | undefined,
  filter?: AuditLogFilter,
): Promise<AuditLogPage> {
  const limit = parseLimit(query)
  const { from, to } = toTimeRange(query)
  const cursor = decodeCursor(query.after, 2)
  const { statement, values } = buildQuery(
    `${schema}_list_actions`,
    [limit + 1],
    {
      all: subject === undefined ? ["at < 'infinity'"] : undefined,
      subject: subject === undefined ? undefined : ['subject = ?::text', subject],
      ...(filter && { [filter]: [FILTERS[filter]] as const }),
      from: from && ['at >= ?::timestamptz', from],
      to: to && ['at < ?::timestamptz', to],
      after: cursor && ['(at, request_id) < (?::timestamptz, ?::text)', cursor.at, cursor.ids[0]],
    },
    (conditions) =>
      `select at, operation, ids, key_name, key_hash, person, reason, before, after, request_id
       from ${schema}.action where true${conditions} order by at desc, request_id desc limit $1::int`,
  )
  const rows = await db.query<ActionRow>(statement, values)
  return toPage(rows, limit, toEntryView, (row) => [row.at.toISOString(), row.request_id])
}

function toEntryView({
  at,
  ids,
  key_name,
  key_hash,
  person,
  reason,
  request_id,
  ...row
}: ActionRow): Static<typeof AuditLogEntrySchema> {
  return {
    at: at.toISOString(),
    operation: row.operation,
    on: ids,
    key: { name: key_name, hash: key_hash },
    ...(person !== null && { person }),
    ...(reason !== null && { reason }),
    before: row.before,
    after: row.after,
    requestId: request_id,
  }
}
