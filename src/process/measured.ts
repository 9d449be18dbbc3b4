/** The metrics that every server has. They stand first: the pools are read before other metrics query. */
import { connectionsText } from '../db/connections.ts'
import type { Db } from '../db/db.ts'
import type { ApiCalls } from '../http/api-calls.ts'
import type { ConsolePeople, People } from '../people/people.ts'
import type { Measured } from '../runtime/metric-text.ts'

export function measuredEverywhere(db: Db, people: People | ConsolePeople, apiCalls: ApiCalls): Measured[] {
  const signIns = 'signIns' in people ? [people.signIns] : []
  return [{ text: () => connectionsText(db) }, people.admission, ...signIns, apiCalls]
}
