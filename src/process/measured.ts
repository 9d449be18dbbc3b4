/** The metrics that every server has. */
import { connectionsText } from '../db/connections.ts'
import type { Db } from '../db/db.ts'
import type { Admission } from '../http/admission.ts'
import type { ApiCalls } from '../http/api-calls.ts'
import type { Measured } from '../runtime/metric-text.ts'

export function measuredEverywhere(db: Db, admission: Admission, apiCalls: ApiCalls): Measured[] {
  return [admission, apiCalls, { text: () => connectionsText(db) }]
}
