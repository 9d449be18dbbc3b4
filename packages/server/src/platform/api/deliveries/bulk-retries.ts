/**
 * Bulk retries in the platform API: their filter, their progress, and the state of each delivery
 * (C-16).
 */
import { type Static, Type } from 'typebox'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { type Db, type Row, statement } from '../../../core/database/db.ts'
import { buildQuery, type QueryCondition } from '../../../core/database/query-builder.ts'
import {
  continueFromScan,
  decodeCursor,
  decodeCursorParts,
  invalidCursorProblem,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
} from '../../../core/http/api/pagination.ts'
import { notFound } from '../../../core/http/api/problem-details.ts'
import { MAX_SCANNED_ROWS, SCAN_LIMIT_NOTE } from '../../../core/http/api/scan-limit.ts'
import { NO_CODE } from '../../delivery/delivery-filter.ts'
import { type RetryDeps, retryMatching } from '../../delivery/manual-retry.ts'
import { DELIVERY_STATUSES } from '../../store/outbox.ts'
import { decimal, optional, strict } from '../platform-schemas.ts'
import { DELIVERIES, DELIVERY_COLUMNS, type DeliveryRow, DeliverySchema, toDeliveryView } from '../platform-views.ts'
import { deliveryFilters } from './delivery-list.ts'

const time = Type.String({ format: 'date-time' })
const countSchema = (description: string) => Type.Integer({ minimum: 0, description })
const UUID = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

export const RetrySchema = Type.Object(
  {
    ...deliveryFilters,
    code: optional(
      Type.Union([Type.Integer({ minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }), Type.Null()], {
        description:
          "The partner's last code. null selects deliveries without a code. If it is absent, the code does not matter.",
      }),
    ),
    dryRun: optional(Type.Boolean({ description: 'If true, the deliveries are only counted. The default is false.' })),
  },
  { ...strict, examples: [{ partnerId: 'acme', status: 'refused', code: 20, dryRun: true }] },
)
export const RetryResultSchema = Type.Object({
  dryRun: Type.Boolean(),
  retryId: optional(
    Type.String({
      description:
        'The id of the retry. GET /deliveries/retries/{retryId} shows the state of each delivery. It is absent in a dry run.',
    }),
  ),
  count: countSchema('The number of selected deliveries that may be retried (W-16).'),
  money: Type.Array(Type.Object({ currency: Type.String(), amount: decimal, takeBack: decimal }), {
    description: 'The outstanding amounts by currency. `takeBack` is the part that has to be taken back from players.',
  }),
  taken: countSchema('The number of deliveries that are sent again, or 0 in a dry run.'),
  notTaken: Type.Object({
    stillTried: countSchema(
      'The number of selected deliveries that are retried automatically. Only their cause has to be fixed (C-5).',
    ),
    changed: countSchema(
      'The number of deliveries whose bet was changed by another request at the same time. Count again.',
    ),
  }),
})

export function retryDeliveries(
  deps: RetryDeps,
  author: Actor,
  { dryRun, code, ...filter }: Static<typeof RetrySchema>,
): Promise<Static<typeof RetryResultSchema>> {
  return retryMatching(deps, author, { ...filter, code: code === null ? NO_CODE : code?.toString() }, dryRun)
}

export const RetryPath = Type.Object({ retryId: Type.String({ pattern: UUID }) })
export const RetryViewSchema = Type.Object({
  retryId: Type.String(),
  at: time,
  key: Type.String({ description: 'The name of the API key that requested it.' }),
  person: Type.Optional(Type.String()),
  chosen: Type.Object({}, { additionalProperties: true, description: 'The filter that selected the deliveries.' }),
  state: Type.Enum(['running', 'finished', 'cut_short'], {
    description:
      '`cut_short` means that it made no progress for a minute. Send the request again for the remaining deliveries.',
  }),
  count: countSchema('The number of selected deliveries that could be retried at its start (W-16).'),
  stillTried: countSchema('The number of selected deliveries that are retried automatically (C-5).'),
  taken: countSchema('The number of deliveries that were sent again so far.'),
})
export const RetryPageSchema = toPageSchema(RetryViewSchema)
export const RetryListQuery = Type.Object(pageQuery, { additionalProperties: false })

export const RetryDetailSchema = Type.Object({
  ...RetryViewSchema.properties,
  states: optional(
    Type.Object(
      Object.fromEntries(DELIVERY_STATUSES.map((status) => [status, optional(Type.Integer({ minimum: 1 }))])),
      {
        description:
          'The number of retried deliveries by their current state. Only the first page has it, because the count reads every delivery.',
      },
    ),
  ),
  ...toPageSchema(DeliverySchema).properties,
})
export const RetryQuery = Type.Object(
  {
    status: optional(
      Type.Enum([...DELIVERY_STATUSES], {
        description: `Only deliveries in this state. With this filter, ${SCAN_LIMIT_NOTE}`,
      }),
    ),
    ...pageQuery,
  },
  { additionalProperties: false },
)

interface RetryRow extends Row {
  retry_id: string
  at: Date
  key_name: string
  person: string | null
  chosen: Record<string, unknown>
  count: number
  still_retrying: number
  taken: number
  progress_at: Date
  finished_at: Date | null
}

const COLUMNS = 'retry_id, at, key_name, person, chosen, count, still_retrying, taken, progress_at, finished_at'
const READ_RETRY = statement('platform_read_retry', `select ${COLUMNS} from platform.retry where retry_id = $1::uuid`)

/** A retry without a slice for this time has lost its process; a slice ends within seconds. */
const CUT_SHORT_MS = 60_000

export interface RetryViewDeps {
  readonly db: Db
  readonly clock: { now(): Date }
}

function toRetryView(row: RetryRow, now: Date): Static<typeof RetryViewSchema> {
  const isSilent = now.getTime() - row.progress_at.getTime() > CUT_SHORT_MS
  return {
    retryId: row.retry_id,
    at: row.at.toISOString(),
    key: row.key_name,
    ...(row.person !== null && { person: row.person }),
    chosen: row.chosen,
    state: row.finished_at !== null ? 'finished' : isSilent ? 'cut_short' : 'running',
    count: row.count,
    stillTried: row.still_retrying,
    taken: row.taken,
  }
}

/** The latest first. */
export async function listRetries({ db, clock }: RetryViewDeps, query: Static<typeof RetryListQuery>) {
  const limit = parseLimit(query)
  const cursor = decodeCursor(query.after, 2)
  if (cursor !== undefined && !new RegExp(UUID).test(cursor.ids[0] ?? '')) throw invalidCursorProblem()
  const { statement: list, values } = buildQuery(
    'platform_list_retries',
    [limit + 1],
    { after: cursor && ['(at, retry_id) < (?::timestamptz, ?::uuid)', cursor.at, cursor.ids[0]] },
    (conditions) =>
      `select ${COLUMNS} from platform.retry where true${conditions} order by at desc, retry_id desc limit $1::int`,
  )
  const rows = await db.userQueries.query<RetryRow>(list, values)
  const now = clock.now()
  return toPage(
    rows,
    limit,
    (row) => toRetryView(row, now),
    (row) => [row.at.toISOString(), row.retry_id],
  )
}

const COUNT_STATES = statement(
  'platform_states_of_retry',
  `select d.status, count(*)::int as count from platform.retry_delivery r join platform.delivery d using (delivery_id)
   where r.retry_id = $1::uuid group by d.status order by d.status`,
)

/** With a page of its deliveries, in the order of their decisions. */
export async function getRetry(
  { db, clock }: RetryViewDeps,
  retryId: string,
  query: Static<typeof RetryQuery>,
): Promise<Static<typeof RetryDetailSchema>> {
  const [row] = await db.userQueries.query<RetryRow>(READ_RETRY, [retryId])
  if (row === undefined) throw notFound('the retry')
  // The states are read before the page. If they show no open delivery, the page shows the end of
  // each.
  const states = query.after === undefined ? await countStates(db, retryId) : undefined
  const page = await readRetryPage(db, retryId, query)
  return { ...toRetryView(row, clock.now()), ...(states && { states }), ...page }
}

async function countStates(db: Db, retryId: string): Promise<Record<string, number>> {
  const states = await db.reportSnapshot((tx) => tx.query<{ status: string; count: number }>(COUNT_STATES, [retryId]))
  return Object.fromEntries(states.map(({ status, count: found }) => [status, found]))
}

async function readRetryPage(db: Db, retryId: string, query: Static<typeof RetryQuery>) {
  const limit = parseLimit(query)
  const [after] = decodeCursorParts(query.after, 1) ?? []
  if (after !== undefined && !/^\d{1,18}$/.test(after)) throw invalidCursorProblem()
  const afterCondition: QueryCondition | undefined =
    after === undefined ? undefined : ['delivery_id > ?::bigint', after]
  const { statement: list, values } = buildQuery(
    'platform_list_retried',
    [limit + 1, retryId, query.status ?? null],
    { after: afterCondition },
    (conditions) =>
      `select ${DELIVERY_COLUMNS} from (
         select delivery_id from platform.retry_delivery where retry_id = $2::uuid${conditions} order by delivery_id limit ${MAX_SCANNED_ROWS}
       ) r join (${DELIVERIES}) using (delivery_id)
       where $3::text is null or status = $3 order by r.delivery_id limit $1::int`,
  )
  const rows = await db.userQueries.query<DeliveryRow>(list, values)
  const page = toPage(rows, limit, toDeliveryView, (found) => [String(found.delivery_id)])
  return query.status === undefined ? page : continueFromScan(page, () => readLastScanned(db, retryId, afterCondition))
}

/** Last delivery of a scan that did not fill its page. */
async function readLastScanned(
  db: Db,
  retryId: string,
  afterCondition: QueryCondition | undefined,
): Promise<string[] | undefined> {
  const { statement: read, values } = buildQuery(
    'platform_last_retried_looked_at',
    [MAX_SCANNED_ROWS - 1, retryId],
    { after: afterCondition },
    (conditions) =>
      `select delivery_id from platform.retry_delivery where retry_id = $2::uuid${conditions} order by delivery_id offset $1::int limit 1`,
  )
  const [last] = await db.userQueries.query<{ delivery_id: bigint }>(read, values)
  return last && [String(last.delivery_id)]
}
