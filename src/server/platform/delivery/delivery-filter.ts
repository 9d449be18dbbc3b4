/** Which deliveries somebody means, to list them or to send them again: as conditions of SQL. */
import type { QueryCondition } from '../../core/database/query-builder.ts'
import type { DeliveryStatus } from '../store/outbox.ts'

/** For deliveries whose last answer had no code, or never came. */
export const NO_CODE = 'none'

export interface DeliveryFilter {
  /** One or several, comma-separated. */
  readonly status?: string | undefined
  readonly operation?: string | undefined
  readonly partnerId?: string | undefined
  /** The partner's last one, or `NO_CODE`. */
  readonly code?: string | undefined
}

type Conditions = Readonly<Record<string, QueryCondition | undefined>>

export function parseStatuses({ status }: DeliveryFilter): DeliveryStatus[] {
  return [...new Set(status?.split(','))] as DeliveryStatus[]
}

/** All but the status, short names of which make the statement's. */
export function commonConditions({ partnerId, operation, code }: DeliveryFilter): Conditions {
  return {
    partner: partnerId === undefined ? undefined : ['partner_id = ?::text', partnerId],
    op: operation === undefined ? undefined : ['operation = ?::text', operation],
    code: code === undefined || code === NO_CODE ? undefined : ['code = ?::bigint', code],
    codeless: code === NO_CODE ? ['code is null'] : undefined,
  }
}

/** Of what needs a person: one status has an index, of several only the third one is passed over. */
export function owedConditions(filter: DeliveryFilter): Conditions {
  const statuses = parseStatuses(filter)
  return {
    status: statuses.length === 1 ? ['status = ?::text', statuses[0]] : undefined,
    statuses: statuses.length > 1 ? ['status = any(?::text[])', statuses] : undefined,
    ...commonConditions(filter),
  }
}

/** As the indexes state it, that of the whole list and those of filters in words of their own (delivery_owed). */
export function owedCondition(
  { partnerId, operation, code, ...filter }: DeliveryFilter,
  ofAll = "owed_since < 'infinity'",
): string {
  const isFiltered =
    [partnerId, operation, code].some((member) => member !== undefined) || parseStatuses(filter).length === 1
  return isFiltered ? "owed_since > '-infinity'" : ofAll
}
