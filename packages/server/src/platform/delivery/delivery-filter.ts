/**
 * Filter of deliveries as SQL conditions, for lists and for manual retries of all listed
 * deliveries.
 */
import type { QueryCondition } from '../../core/database/query-builder.ts'
import type { DeliveryStatus } from '../store/outbox.ts'

/** Matches deliveries without an answer, or with an answer without a code. */
export const NO_CODE = 'none'

export interface DeliveryFilter {
  /** One status, or several separated by commas. */
  readonly status?: string | undefined
  readonly operation?: string | undefined
  readonly partnerId?: string | undefined
  /** Code of the last answer, or `NO_CODE`. */
  readonly code?: string | undefined
}

type Conditions = Readonly<Record<string, QueryCondition | undefined>>

export function parseStatuses({ status }: DeliveryFilter): DeliveryStatus[] {
  return [...new Set(status?.split(','))] as DeliveryStatus[]
}

/**
 * All conditions but the status. The keys are short because they become part of the statement's
 * name.
 */
export function commonConditions({ partnerId, operation, code }: DeliveryFilter): Conditions {
  return {
    partner: partnerId === undefined ? undefined : ['partner_id = ?::text', partnerId],
    op: operation === undefined ? undefined : ['operation = ?::text', operation],
    code: code === undefined || code === NO_CODE ? undefined : ['code = ?::bigint', code],
    codeless: code === NO_CODE ? ['code is null'] : undefined,
  }
}

/**
 * Deliveries that need attention. One status has an index; with two statuses, a scan skips only
 * rows of the third.
 */
export function owedConditions(filter: DeliveryFilter): Conditions {
  const statuses = parseStatuses(filter)
  return {
    status: statuses.length === 1 ? ['status = ?::text', statuses[0]] : undefined,
    statuses: statuses.length > 1 ? ['status = any(?::text[])', statuses] : undefined,
    ...commonConditions(filter),
  }
}

/**
 * The texts equal the predicates of two indexes, for the whole list and for filters
 * (delivery_owed).
 */
export function owedCondition(
  { partnerId, operation, code, ...filter }: DeliveryFilter,
  ofAll = "owed_since < 'infinity'",
): string {
  const isFiltered =
    [partnerId, operation, code].some((member) => member !== undefined) || parseStatuses(filter).length === 1
  return isFiltered ? "owed_since > '-infinity'" : ofAll
}
