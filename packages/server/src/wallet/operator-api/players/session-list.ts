/**
 * Sessions of a player with their start, their end, and who started and ended them, newest first.
 * Tokens are not stored, so none is shown (P-1).
 */

import { CurrencySchema, IpSchema } from '@purser/protocol/bet-request'
import { CountrySchema } from '@purser/protocol/user-profile'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { buildQuery } from '../../../core/database/query-builder.ts'
import {
  decodeCursor,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
} from '../../../core/http/api/pagination.ts'
import { isoOf } from '../../ledger/account.ts'
import { findPlayer, type OperatorDeps } from '../operator-context.ts'

const optional = Type.Optional
const time = Type.String({ format: 'date-time' })

const BySchema = Type.Object(
  {
    operation: Type.String({ description: 'The operation of this API.' }),
    key: Type.String({ description: 'The name of the API key, or the setting that contains the root key.' }),
    person: optional(Type.String()),
    reason: optional(Type.String()),
  },
  { description: 'The actor, as in the audit log (O-4).' },
)
export const SessionListSchema = toPageSchema(
  Type.Object({
    sessionId: Type.String({ description: "The SHA-256 of the session's token, as in the change feed." }),
    currency: CurrencySchema,
    status: Type.Enum(['live', 'expired', 'ended']),
    begunAt: time,
    begunBy: optional(BySchema),
    expiresAt: time,
    endedAt: optional(
      Type.String({ format: 'date-time', description: 'The time at which the session was ended early.' }),
    ),
    endedBy: optional(BySchema),
    ip: optional(IpSchema),
    country: optional(CountrySchema),
  }),
)
export const SessionQuerySchema = Type.Object(pageQuery, noUnknownMembers)

interface Row extends Record<string, unknown> {
  token_hash: string
  currency: Currency
  created_at: Date
  expires_at: Date
  ended_at: Date | null
  ip: string | null
  country: string | null
}

export async function listSessions(deps: OperatorDeps, userId: string, query: Static<typeof SessionQuerySchema>) {
  const { player, bucket } = await findPlayer(deps, userId)
  const limit = parseLimit(query)
  const rows = await readRows(deps, bucket, player.id, limit, query.after)
  const findAuthor = await readAuthors(deps, player.id, rows.slice(0, limit))
  const now = deps.clock.now()
  return toPage(
    rows,
    limit,
    (row) => renderSession(row, now, findAuthor),
    (last) => [last.created_at.toISOString(), last.token_hash],
  )
}

/** The statement repeats the condition of the index session_by_player. */
function readRows({ db }: OperatorDeps, bucket: number, player: PlayerId, limit: number, after: string | undefined) {
  const cursor = decodeCursor(after, 2)
  const { statement, values } = buildQuery(
    'operator_list_sessions',
    [limit + 1, bucket, player],
    { after: cursor && ['(created_at, token_hash) < (?::timestamptz, ?::text)', cursor.at, cursor.ids[0]] },
    (conditions) =>
      `select token_hash, currency, created_at, expires_at, ended_at, ip, country from purser.session
       where created_at > '-infinity' and bucket = $2::int and player = $3::text${conditions} order by created_at desc, token_hash desc limit $1::int`,
  )
  return db.userQueries.query<Row>(statement, values)
}

const READ_AUTHORS = statement(
  'operator_read_authors_of_sessions',
  `select at, operation, key_name, person, reason from purser.action
   where subject = $1::text and at = any($2::timestamptz[])`,
)

interface AuthorRow extends Record<string, unknown> {
  at: Date
  operation: string
  key_name: string
  person: string | null
  reason: string | null
}

const BEGINS = ['startSession', 'switchCurrency']
const ENDS = ['switchCurrency', 'endSessions', 'changePlayer']
type FindAuthor = (at: Date, operations: readonly string[]) => Static<typeof BySchema> | undefined

/** A session starts or ends in the transaction of the audit log entry, at the same time. */
async function readAuthors({ db }: OperatorDeps, player: PlayerId, rows: readonly Row[]): Promise<FindAuthor> {
  const moments = rows.flatMap(({ created_at, ended_at }) => [created_at, ...(ended_at === null ? [] : [ended_at])])
  const authors =
    moments.length === 0 ? [] : await db.userQueries.query<AuthorRow>(READ_AUTHORS, [player, moments.map(isoOf)])
  return (at, operations) => {
    const found = authors.find((one) => one.at.getTime() === at.getTime() && operations.includes(one.operation))
    if (found === undefined) return undefined
    const { operation, key_name: key, person, reason } = found
    return { operation, key, ...(person !== null && { person }), ...(reason !== null && { reason }) }
  }
}

/** A session that was refused as expired ends at its expiry (P-1), without an actor. */
function renderSession(
  { token_hash, currency, created_at, expires_at, ended_at, ip, country }: Row,
  now: Date,
  findAuthor: FindAuthor,
) {
  const isEnded = ended_at !== null && ended_at < expires_at
  const status = isEnded ? 'ended' : expires_at <= now || ended_at !== null ? 'expired' : 'live'
  const begunBy = findAuthor(created_at, BEGINS)
  const endedBy = isEnded ? findAuthor(ended_at, ENDS) : undefined
  return {
    ...{ sessionId: token_hash, currency, status: status as 'live' | 'expired' | 'ended' },
    ...{ begunAt: created_at.toISOString(), ...(begunBy && { begunBy }), expiresAt: expires_at.toISOString() },
    ...(isEnded && { endedAt: ended_at.toISOString(), ...(endedBy && { endedBy }) }),
    ...(ip !== null && { ip }),
    ...(country !== null && { country }),
  }
}
