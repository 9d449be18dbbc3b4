/** The list of journal calls in the API: its query parameters, its items and its pagination. */

import { OPERATIONS } from '@purser/protocol/operation'
import { parsePlatformName, toSentBetId } from '@purser/protocol/qualified-bet-id'
import { REPLY_CODES, replyCode } from '@purser/protocol/reply-codes'
import { environment } from '@purser/runtime/environment'
import { type Static, Type } from 'typebox'
import type { Queryable } from '../database/db.ts'
import {
  decodeCursor,
  encodeCursor,
  invalidCursorProblem,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  timeRangeQuery,
  toPageSchema,
  toTimeRange,
} from '../http/api/pagination.ts'
import { integerEnumParameter, integerParameter } from '../http/api/query-parameters.ts'
import type { JournalSchema } from './call-journal.ts'
import { type JournalSearchHit, searchCalls } from './journal-search.ts'

const optional = Type.Optional
const id = (description: string) => optional(Type.String({ minLength: 1, maxLength: 64, description }))

/** The longest id: the second bet of one `transactionId`, with the name of its platform (W-43). */
const MAX_BET_ID = 69

/** `unknown` is any call that is no operation of the interface. */
const OPERATION_NAMES = [...Object.keys(OPERATIONS), 'unknown']

/**
 * `outcomes` and `codes` are the possible ones of this server; without `codes` any code is
 * possible.
 */
export function defineCallQuery(outcomes: readonly string[], codes?: readonly number[]) {
  const about = 'Only calls that were answered with this code.'
  const anyCode = { pattern: '^\\d{1,4}$', minimum: 0, maximum: 9_999, description: about }
  return Type.Object(
    {
      player: id('Only calls about this player.'),
      transactionId: optional(
        Type.String({
          ...{ minLength: 1, maxLength: MAX_BET_ID },
          description: 'Only calls about this bet. `ID@NAME` selects the bet of this platform (W-43).',
        }),
      ),
      requestId: id('Only calls with this requestId.'),
      operation: optional(Type.Enum(OPERATION_NAMES)),
      outcome: optional(Type.Enum([...outcomes], { description: 'Only calls with this outcome.' })),
      platform: id('Only calls that were signed with a secret of this platform (W-43).'),
      code: codes === undefined ? integerParameter(anyCode) : integerEnumParameter(codes, about),
      slowerThan: integerParameter({
        ...{ pattern: '^\\d{1,5}$', minimum: 0, maximum: 99_999 },
        description: 'Only calls that took longer than these milliseconds.',
      }),
      ...timeRangeQuery,
      ...pageQuery,
    },
    noUnknownMembers,
  )
}
export type JournalCallQuery = Static<ReturnType<typeof defineCallQuery>>

const EXAMPLE = {
  id: '5c6f3a52-6d0e-4c53-9a55-0d6a4d3d0a11-17',
  at: '2031-05-16T18:00:00.123Z',
  source: '203.0.113.20',
  operation: 'place',
  outcome: 'not_enough_money',
  player: 'alice',
  transactionId: 'bet-4711-abc',
  requestId: 'request-4711',
  signature: 'verified with secret 1',
  request: { body: '{"requestId":"request-4711","token":"q7Kx…1f3870be",…', bytes: 712, sha256: 'ba7816bf…' },
  answer: {
    status: 400,
    code: replyCode('not_enough_money'),
    body: JSON.stringify(REPLY_CODES.not_enough_money),
  },
  batch: 'k3f9a2c1-1723',
  milliseconds: { arrival: 0.1, work: 4.2, queue: 1.1, database: 2.9, reply: 0.2 },
}

export const JournalCallSchema = Type.Object(
  {
    id: Type.String(),
    at: Type.String({ format: 'date-time', description: 'The time at which the first byte arrived.' }),
    source: Type.String({
      description:
        'The IP address of the caller. It comes from the header of a proxy if PURSER_TRUSTED_PROXIES lists the proxy.',
    }),
    operation: Type.String(),
    outcome: Type.String({ description: 'accepted, or the reason of the rejection.' }),
    player: optional(Type.String()),
    transactionId: optional(Type.String()),
    requestId: optional(Type.String()),
    platform: optional(
      Type.String({ description: 'The platform whose secret was used, if the platform has a name (W-43).' }),
    ),
    signature: Type.String({
      description: 'refused, or the number of the secret that verified the call. 1 is the first of the setting (S-3).',
      examples: ['verified with secret 1'],
    }),
    request: Type.Object({
      body: Type.String({
        description: 'A token is redacted to its first four characters and eight of its SHA-256. A long body is cut.',
      }),
      bytes: Type.Integer(),
      sha256: Type.String({ description: 'The SHA-256 of the body as it was received, in hexadecimal.' }),
    }),
    answer: Type.Object({
      status: Type.Integer(),
      code: optional(Type.Integer()),
      body: Type.String({ description: 'A profile is redacted to the names of its members.' }),
    }),
    batch: optional(Type.String({ description: 'Calls with the same batch were applied in one transaction.' })),
    milliseconds: Type.Object({
      arrival: Type.Number({ description: 'The time from the first byte to the end of the body.' }),
      work: Type.Number({ description: 'The time from the end of the body to the response.' }),
      queue: optional(
        Type.Number({
          description:
            'The part of `work` before the batch or the query began, or before a gateway sent the call to the operator.',
        }),
      ),
      database: optional(
        Type.Number({
          description:
            'The part of `work` in the database: the batch from its first statement to its commit, or the query.',
        }),
      ),
      operator: optional(
        Type.Number({
          description:
            "The part of `work` in which a gateway waited for the operator, until the end of the operator's response.",
        }),
      ),
      reply: optional(Type.Number({ description: 'The rest of `work`.' })),
    }),
  },
  { examples: [EXAMPLE] },
)
export const JournalCallPageSchema = toPageSchema(JournalCallSchema)
export type CallListEntry = Static<typeof JournalCallSchema>

/** The id of a call, or `~` as the end of an incomplete search. */
const ID = /^[\da-f-]{36}-\d{1,3}$|^~$/

/** Milliseconds to search a long journal for one id. */
const MAX_SEARCH_MS = 8_000

/**
 * Finds the newest calls about one id. It searches page after page until it has found a call, or
 * for MAX_SEARCH_MS. If it stopped before the end of the journal, `searchedBackTo` is the time that
 * it reached.
 */
export async function findNewestCalls(
  db: Queryable,
  schema: JournalSchema,
  query: JournalCallQuery,
): Promise<{ data: CallListEntry[]; searchedBackTo?: Date }> {
  const end = environment.monotonicNow() + MAX_SEARCH_MS
  for (let page = await listCalls(db, schema, query); ; ) {
    if (page.data.length > 0 || page.next === null) return { data: page.data }
    const searchedBackTo = decodeCursor(page.next)?.at
    if (environment.monotonicNow() > end) return { data: [], ...(searchedBackTo && { searchedBackTo }) }
    page = await listCalls(db, schema, { ...query, after: page.next })
  }
}

/**
 * Returns a page of calls. It may have fewer calls than its limit, or none, and still have a next
 * page, because a search has a time limit.
 */
export async function listCalls(
  db: Queryable,
  schema: JournalSchema,
  query: JournalCallQuery,
): Promise<Static<typeof JournalCallPageSchema>> {
  const { player, requestId: request, operation, outcome, code, slowerThan } = query
  const { bet, platform } = parseBetName(query)
  const cursor = decodeCursor(query.after, 2)
  const [id = ''] = cursor?.ids ?? []
  if (cursor !== undefined && !ID.test(id)) throw invalidCursorProblem()
  const { calls, next } = await searchCalls(db, schema, {
    names: { player, bet, request, operation, outcome, platform, code: code && `${Number.parseInt(code, 10)}` },
    slowerThanMs: slowerThan === undefined ? undefined : Number.parseInt(slowerThan, 10),
    ...toTimeRange(query),
    before: cursor && { at: cursor.at.getTime(), id },
    limit: parseLimit(query),
  })
  return {
    data: calls.map((call) => toCallListEntry(call, UPSTREAM_NAMES[schema])),
    next: next && encodeCursor([new Date(next.at).toISOString(), next.id]),
  }
}

/** The journal has a call's original id, even if its bet is shown with another id (W-43). */
function parseBetName({ transactionId: id, platform }: JournalCallQuery) {
  if (id === undefined || toSentBetId(id) === id) return { bet: id, platform }
  return { bet: toSentBetId(id), platform: platform ?? parsePlatformName(id) }
}

const US_PER_MS = 1_000

/** The dependency that each server calls. */
const UPSTREAM_NAMES = { purser: 'database', gateway: 'operator' } as const
type UpstreamName = (typeof UPSTREAM_NAMES)[JournalSchema]

function toCallListEntry(call: JournalSearchHit, name: UpstreamName): CallListEntry {
  const { id, at, source, operation, outcome, player, betId, requestId, secret, platform, status, code, batch } = call
  const { arrival, work, queue, execution } = call
  return {
    id,
    at: new Date(at).toISOString(),
    ...{ source, operation, outcome },
    ...(player !== undefined && { player }),
    ...(betId !== undefined && { transactionId: betId }),
    ...(requestId !== undefined && { requestId }),
    ...(platform !== undefined && { platform }),
    signature: secret === undefined ? 'refused' : `verified with secret ${secret + 1}`,
    request: { body: call.body, bytes: call.bodyBytes, sha256: call.bodySha256 },
    answer: { status, ...(code !== undefined && { code }), body: call.answer },
    ...(batch !== undefined && { batch }),
    milliseconds: {
      arrival: arrival / US_PER_MS,
      work: work / US_PER_MS,
      ...(queue !== undefined && execution !== undefined && toPhases(work, queue, execution, name)),
    },
  }
}

/** The rest of the work, without queue and dependency, is the reply. */
function toPhases(work: number, queue: number, execution: number, name: UpstreamName) {
  const reply = work - queue - execution
  return { queue: queue / US_PER_MS, [name]: execution / US_PER_MS, reply: reply / US_PER_MS }
}
