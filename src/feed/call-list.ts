/** The journal as it is read: calls of the wire, newest first, those of a player or a bet, those that were refused. */
import { type Static, Type } from 'typebox'
import { type Composed, compose } from '../db/conditions.ts'
import type { Reading } from '../db/db.ts'
import {
  decodeCursor,
  limitOf,
  onlyKnown,
  pageOf,
  pageQuery,
  type TimeRange,
  timeRangeQuery,
  toPage,
  toTimeRange,
} from '../http/page.ts'
import { invalid } from '../http/problem.ts'
import type { JournalSchema } from './journal.ts'

const optional = Type.Optional
const id = (description: string) => optional(Type.String({ minLength: 1, maxLength: 64, description }))

export const CallQuerySchema = Type.Object(
  {
    player: id('Only calls about this player.'),
    transactionId: id('Only calls about this bet.'),
    requestId: id('Only calls with this requestId.'),
    operation: id('place, settle, unsettle, rollback, profile, balance, check or unknown.'),
    outcome: id('accepted, or why not: bad_signature, not_enough_money …'),
    code: optional(Type.String({ pattern: '^\\d{1,4}$', description: 'Only answers with this code.' })),
    slowerThan: optional(
      Type.String({ pattern: '^\\d{1,5}$', description: 'Only calls that took more milliseconds than this.' }),
    ),
    ...timeRangeQuery,
    ...pageQuery,
  },
  onlyKnown,
)
export type CallQuery = Static<typeof CallQuerySchema>

const EXAMPLE = {
  id: '5c6f3a52-6d0e-4c53-9a55-0d6a4d3d0a11',
  at: '2031-05-16T18:00:00.123Z',
  source: '203.0.113.20',
  operation: 'place',
  outcome: 'not_enough_money',
  player: 'alice',
  transactionId: 'bet-4711-abc',
  requestId: 'request-4711',
  signature: 'verified with secret 1',
  request: { body: '{"requestId":"request-4711","token":"q7Kx…1f3870be",…', bytes: 712, sha256: 'ba7816bf…' },
  answer: { status: 400, code: 7, body: '{"code":7,"message":"Not enough money"}' },
  milliseconds: { arrival: 0.1, work: 4.2 },
}

export const CallSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    at: Type.String({ format: 'date-time', description: 'When its first byte came.' }),
    source: Type.String({ description: 'The other end of the connection; behind a proxy the proxy.' }),
    operation: Type.String(),
    outcome: Type.String({ description: 'accepted, or why not.' }),
    player: optional(Type.String()),
    transactionId: optional(Type.String()),
    requestId: optional(Type.String()),
    signature: Type.String({
      description: 'refused, or verified with which secret: 1 is the first of the setting (S-3).',
      examples: ['verified with secret 1'],
    }),
    request: Type.Object({
      body: Type.String({
        description: 'A token as its first four characters and eight of its SHA-256; cut when long.',
      }),
      bytes: Type.Integer(),
      sha256: Type.String({ description: 'Of the body as it came, in hexadecimal.' }),
    }),
    answer: Type.Object({
      status: Type.Integer(),
      code: optional(Type.Integer()),
      body: Type.String({ description: 'Of a profile only the names of its members.' }),
    }),
    milliseconds: Type.Object({
      arrival: Type.Number({ description: 'From the first byte to the whole body.' }),
      work: Type.Number({ description: 'From there to the answer.' }),
    }),
  },
  { examples: [EXAMPLE] },
)
export const CallPageSchema = pageOf(CallSchema)
export type CallView = Static<typeof CallSchema>

export interface CallRow extends Record<string, unknown> {
  at: Date
  id: string
  source: string
  operation: string
  outcome: string
  player: string | null
  bet_id: string | null
  request_id: string | null
  secret: number | null
  body_bytes: number
  body_sha256: string
  status: number
  code: number | null
  arrival_ms: number
  work_ms: number
  /** Null when its chunk is gone. */
  body: Uint8Array | null
  answer: Uint8Array | null
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const COLUMNS =
  'at, id, source, operation, outcome, player, bet_id, request_id, secret, body_bytes, body_sha256, status, code, arrival_ms, work_ms'

export async function listCalls(
  reading: Reading,
  schema: JournalSchema,
  query: CallQuery,
): Promise<Static<typeof CallPageSchema>> {
  const limit = limitOf(query)
  const cursor = decodeCursor(query.after, 2)
  if (cursor !== undefined && !UUID.test(cursor.ids[0] ?? ''))
    throw invalid('/query/after', 'is not a cursor of this list')
  const { statement, values } = selectCalls(schema, query, toTimeRange(query), limit + 1, {
    after: cursor && (['(at, id) < (?::timestamptz, ?::uuid)', cursor.at, cursor.ids[0]] as const),
  })
  const rows = await reading.query<CallRow>(statement, values)
  return toPage(rows, limit, showCall, (row) => [row.at.toISOString(), row.id])
}

function selectCalls(
  schema: JournalSchema,
  query: CallQuery,
  { from, to }: TimeRange,
  limit: number,
  more: Parameters<typeof compose>[2],
): Composed {
  const { player, transactionId, requestId, operation, outcome, code, slowerThan } = query
  return compose(
    `${schema}_list_calls`,
    [limit],
    {
      player: player === undefined ? undefined : ['player = ?::text', player],
      bet: transactionId === undefined ? undefined : ['bet_id = ?::text', transactionId],
      request: requestId === undefined ? undefined : ['request_id = ?::text', requestId],
      operation: operation === undefined ? undefined : ['operation = ?::text', operation],
      outcome: outcome === undefined ? undefined : ['outcome = ?::text', outcome],
      code: code === undefined ? undefined : ['code = ?::smallint', code],
      slower: slowerThan === undefined ? undefined : ['arrival_ms + work_ms > ?::real', slowerThan],
      from: from && ['at >= ?::timestamptz', from],
      to: to && ['at < ?::timestamptz', to],
      ...more,
    },
    (conditions) =>
      `select ${COLUMNS}, substr(bytes, chunk_from + 1, body_kept) as body,
         substr(bytes, chunk_from + body_kept + 1, answer_kept) as answer
       from (
         select * from ${schema}.journal where true${conditions} order by at desc, id desc limit $1::int
       ) call left join lateral (
         select bytes from ${schema}.journal_chunk kept where kept.chunk = call.chunk
       ) kept on true order by at desc, id desc`,
  )
}

function showCall(row: CallRow): CallView {
  const { player, bet_id, request_id, secret, code } = row
  return {
    id: row.id,
    at: row.at.toISOString(),
    ...{ source: row.source, operation: row.operation, outcome: row.outcome },
    ...(player !== null && { player }),
    ...(bet_id !== null && { transactionId: bet_id }),
    ...(request_id !== null && { requestId: request_id }),
    signature: secret === null ? 'refused' : `verified with secret ${secret + 1}`,
    request: { body: toText(row.body), bytes: row.body_bytes, sha256: row.body_sha256 },
    answer: { status: row.status, ...(code !== null && { code }), body: toText(row.answer) },
    milliseconds: { arrival: toMs(row.arrival_ms), work: toMs(row.work_ms) },
  }
}

/** To the microsecond. */
function toMs(stored: number): number {
  return Math.trunc(stored * 1_000) / 1_000
}

function toText(bytes: Uint8Array | null): string {
  return bytes === null ? '' : Buffer.from(bytes).toString('utf8')
}
