/** The metrics that every server has. */
import { connectionsText } from '../db/connections.ts'
import type { Db } from '../db/db.ts'
import type { ApiCalls } from '../http/api-calls.ts'
import type { ConsolePeople, People } from '../people/people.ts'
import type { Measured } from '../runtime/metric-text.ts'

export function measuredEverywhere(db: Db, people: People | ConsolePeople, apiCalls: ApiCalls): Measured[] {
  const signIns = 'signIns' in people ? [people.signIns] : []
  return [people.admission, ...signIns, apiCalls, { text: () => connectionsText(db) }]
}
