/**
 * Lists of deliveries in the platform API. The list of all deliveries begins with the
 * delivery that was decided last. The list of deliveries that need attention begins with the newest
 * fault.
 */
import { type Static, Type } from 'typebox'
import { statement } from '../../../core/database/db.ts'
import { buildQuery } from '../../../core/database/query-builder.ts'
import {
  continueFromScan,
  decodeCursor,
  invalidCursorProblem,
  pageQuery,
  parseLimit,
  toPage,
  toPageSchema,
} from '../../../core/http/api/pagination.ts'
import { booleanParameter } from '../../../core/http/api/query-parameters.ts'
import { MAX_SCANNED_ROWS, SCAN_LIMIT_NOTE } from '../../../core/http/api/scan-limit.ts'
import { selectionMembers, selectionsQuery } from '../../../core/http/bet-selections.ts'
import {
  commonConditions,
  type DeliveryFilter,
  NO_CODE,
  owedCondition,
  owedConditions,
  parseStatuses,
} from '../../delivery/delivery-filter.ts'
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../store/outbox.ts'
import { loadSelectionMembers } from '../platform-bet-list.ts'
import { optional } from '../platform-schemas.ts'
import {
  DELIVERIES,
  DELIVERY_COLUMNS,
  type DeliveryRow,
  DeliverySchema,
  toDeliveryView,
  type ViewDeps,
} from '../platform-views.ts'
import { AttemptScheduleSchema } from './attempt-schedule.ts'
import { outstandingMoneyMembers, outstandingMoneyQuery, readOutstandingMoney } from './outstanding-money.ts'

const STATUS = `(${DELIVERY_STATUSES.join('|')})`

export const DeliveryPageSchema = toPageSchema(
  Type.Object({
    ...DeliverySchema.properties,
    ...selectionMembers("Present with `selections=true`: the selections of the delivery's bet."),
    ...outstandingMoneyMembers,
    schedule: optional(AttemptScheduleSchema),
  }),
)
/** Members of the filter for lists and retries. */
export const deliveryFilters = {
  status: optional(
    Type.String({ pattern: `^${STATUS}(,${STATUS})*$`, description: 'One or more values, separated by commas.' }),
  ),
  operation: optional({ ...DeliverySchema.properties.operation }),
  partnerId: optional(Type.String()),
}
/** For filters that no index of the whole list supports. */
const some = `Without \`needsAttention\`, ${SCAN_LIMIT_NOTE}`
export const DeliveryListQuery = Type.Object(
  {
    needsAttention: booleanParameter(
      'If true, only deliveries that need attention, the newest failure first: rejected, stuck, or retried while money is owed (C-5, C-9).',
    ),
    status: deliveryFilters.status,
    operation: optional({ ...DeliverySchema.properties.operation, description: some }),
    partnerId: optional(Type.String({ description: some })),
    schedule: booleanParameter('If true, each delivery contains its attempts, made and planned.'),
    selections: selectionsQuery('each delivery contains the selections of its bet.'),
    outstanding: outstandingMoneyQuery,
    code: optional(
      Type.String({
        pattern: `^(${NO_CODE}|-?\\d{1,15})$`,
        description: `The partner's last code. \`none\` selects deliveries without a code. ${some}`,
      }),
    ),
    ...pageQuery,
  },
  { additionalProperties: false },
)

export async function listDeliveries(deps: ViewDeps, query: Static<typeof DeliveryListQuery>) {
  const page = query.needsAttention === 'true' ? await listNeedingAttention(deps, query) : await listAll(deps, query)
  const toSelectionMembers = await loadSelectionMembers(deps, query.selections === 'true' ? page.data : [])
  const moneyOf = query.outstanding === 'true' ? await readOutstandingMoney(deps, page.data) : () => ({})
  return {
    ...page,
    data: page.data.map((delivery) => ({ ...delivery, ...toSelectionMembers(delivery), ...moneyOf(delivery) })),
  }
}

async function listNeedingAttention({ db }: ViewDeps, query: Static<typeof DeliveryListQuery>) {
  const limit = parseLimit(query)
  const cursor = parseDeliveryCursor(query.after)
  const { statement, values } = buildQuery(
    'platform_list_owed',
    [limit + 1],
    {
      ...owedConditions(query),
      after: cursor && ['(owed_since, delivery_id) < (?::timestamptz, ?::bigint)', cursor.at, cursor.id],
    },
    (conditions) =>
      `select ${DELIVERY_COLUMNS} from ${DELIVERIES} where ${owedCondition(query)}${conditions}
       order by owed_since desc, delivery_id desc limit $1::int`,
  )
  const rows = await db.userQueries.query<DeliveryRow>(statement, values)
  return toPage(rows, limit, toDeliveryView, (row) => [
    (row.owed_since ?? row.decided_at).toISOString(),
    String(row.delivery_id),
  ])
}

async function listAll({ db }: ViewDeps, query: Static<typeof DeliveryListQuery>) {
  const limit = parseLimit(query)
  const cursor = parseDeliveryCursor(query.after)
  const plan = planList(query)
  const filters = commonConditions(query)
  const to = cursor === undefined ? LAST_ID : cursor.id - 1n
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined)
  const last = isFiltered ? await readLastScanned(db, plan, to) : undefined
  const { statement, values } = buildQuery(
    ['platform_deliveries', ...plan.branches].join('_'),
    [limit + 1, plan.statuses, last?.delivery_id ?? FIRST_ID, to],
    filters,
    (conditions) => composeListText(plan, conditions),
  )
  const rows = await db.userQueries.query<DeliveryRow>(statement, values)
  const page = toPage(rows, limit, toDeliveryView, keyOf)
  return continueFromScan(page, async () => last && keyOf(last))
}

const FIRST_ID = 0n
const LAST_ID = 2n ** 63n - 1n

type DeliveryKey = Pick<DeliveryRow, 'delivery_id' | 'decided_at'>

function keyOf({ delivery_id, decided_at }: DeliveryKey): string[] {
  return [decided_at.toISOString(), String(delivery_id)]
}

/**
 * Each part of the list has a last scanned delivery. The latest of these ends the page; earlier
 * deliveries are on the next page.
 */
async function readLastScanned(
  { userQueries }: ViewDeps['db'],
  plan: ListPlan,
  to: bigint,
): Promise<DeliveryKey | undefined> {
  const part = (where: string, order: string) =>
    `(select delivery_id, decided_at from platform.delivery where ${where} ${order} offset $1::int limit 1)`
  const { branches } = plan
  const parts = [
    ...(branches.some((branch) => branch === 'all' || branch === 'done') ? [part(OF_ALL, LATEST_FIRST)] : []),
    ...(branches[0] === 'in' ? [stateByState(part(OF_STATE, LATEST_OF_STATE))] : []),
    ...(branches.includes('declined') ? [part(DECLINED, LATEST_FIRST)] : []),
  ]
  const name = ['platform_last_delivery_looked_at', ...branches].join('_')
  const text = `select delivery_id, decided_at from (${parts.join(' union all ')}) l ${LATEST_FIRST} limit 1`
  const values = [MAX_SCANNED_ROWS - 1, plan.statuses, FIRST_ID, to]
  const [last] = await userQueries.query<DeliveryKey & Record<string, unknown>>(statement(name, text), values)
  return last
}

function parseDeliveryCursor(after: string | undefined): { at: Date; id: bigint } | undefined {
  const cursor = decodeCursor(after, 2)
  if (cursor === undefined) return undefined
  const [id = ''] = cursor.ids
  if (!/^\d{1,18}$/.test(id)) throw invalidCursorProblem()
  return { at: cursor.at, id: BigInt(id) }
}

interface ListPlan {
  readonly statuses: readonly DeliveryStatus[]
  /** Parts of the statement; each one uses an index. */
  readonly branches: readonly ('all' | 'in' | 'done' | 'declined')[]
}

/** A declined Place bet is no fault. The list has it only if Place bets are requested. */
function planList(query: DeliveryFilter): ListPlan {
  const statuses = parseStatuses(query)
  const isOfPlaces = query.operation === 'place'
  if (statuses.length === 0) return { statuses, branches: isOfPlaces ? ['all'] : ['all', 'in'] }
  const isDone = statuses.includes('done')
  const isDeclined = isOfPlaces && statuses.includes('refused')
  return {
    statuses,
    branches: ['in', ...(isDone ? ['done' as const] : []), ...(isDeclined ? ['declined' as const] : [])],
  }
}

const LATEST_FIRST = 'order by delivery_id desc'
const NOT_DECLINED = "(status <> 'refused' or operation <> 'place')"
/**
 * Ids from $3 to $4. `OF_ALL` also finds the done deliveries; declined Place bets have an index.
 */
const OF_ALL = '$2::text[] is not null and delivery_id between $3::bigint and $4::bigint'
const DECLINED = "status = 'refused' and operation = 'place' and delivery_id between $3::bigint and $4::bigint"
/**
 * One state other than `done`. The bounds and the order fit only the index of these states; a scan
 * of the primary key would skip most rows.
 */
const OF_STATE = `(status, delivery_id) >= (k.status, $3::bigint) and (status, delivery_id) <= (k.status, $4::bigint)
  and status <> 'done' and ${NOT_DECLINED}`
const LATEST_OF_STATE = 'order by status desc, delivery_id desc'

const stateByState = (ofState: string) =>
  `select d.* from unnest($2::text[]) as k (status) cross join lateral ${ofState} d`

/**
 * Each state is read from the index of unfinished deliveries. Nearly all deliveries are done, so
 * `done` is read from the whole list.
 */
function composeListText({ branches }: ListPlan, conditions: string): string {
  const some = (where: string, order = LATEST_FIRST) =>
    `(select ${DELIVERY_COLUMNS} from ${DELIVERIES} where ${where}${conditions} ${order} limit $1::int)`
  if (branches[0] === 'all') return some(`${OF_ALL}${branches.length > 1 ? ` and ${NOT_DECLINED}` : ''}`)
  const parts = [
    stateByState(some(OF_STATE, LATEST_OF_STATE)),
    ...(branches.includes('done') ? [some(`${OF_ALL} and status = 'done'`)] : []),
    ...(branches.includes('declined') ? [some(DECLINED)] : []),
  ]
  return `select * from (${parts.join(' union all ')}) d ${LATEST_FIRST} limit $1::int`
}
