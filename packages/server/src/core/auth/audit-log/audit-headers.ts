/**
 * Request headers that name the acting user and the reason of a change. The key alone is not
 * enough, because several users may share it (O-4).
 */
import { type TObject, Type } from 'typebox'
import type { RouteShape } from '../../http/api/route-description.ts'

export const PERSON_HEADER = 'x-purser-person'
export const REASON_HEADER = 'x-purser-reason'

/** Only ASCII arrives unchanged in a header. */
const PersonHeader = Type.Optional(
  Type.String({
    pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,126}[\\x21-\\x7e])?$',
    description: 'The name or your id of the acting person, in printable ASCII. The audit log stores it (O-4).',
  }),
)

const ReasonHeader = Type.Optional(
  Type.String({
    pattern: '^[\\x21-\\x7e]([\\x20-\\x7e]{0,498}[\\x21-\\x7e])?$',
    description: 'The reason of the call, in printable ASCII. The audit log stores it (O-4).',
  }),
)

/** For a route that changes data. Only the audit log reads these headers. */
export function withAuditHeaders<S extends RouteShape>(shape: S): S {
  const others = shape.headers as TObject | undefined
  const auditHeaders = { [PERSON_HEADER]: PersonHeader, [REASON_HEADER]: ReasonHeader }
  return { ...shape, headers: Type.Object({ ...others?.properties, ...auditHeaders }) }
}
