/** Check of an event id in a request: the id of a new event must fit into the path of a URL. */

import { isPathSafe } from '@purser/protocol/values/path-segment'
import type { Db } from '../../core/database/db.ts'
import { requirePathSafe } from '../../core/http/api/storable-text.ts'
import { isKnownEvent } from '../store/event-store.ts'

/** Throws a 400 that names the position of the id. */
export async function requireCarriedIfNew(
  { db }: { readonly db: Pick<Db, 'query'> },
  eventId: string,
  pointer: string,
): Promise<void> {
  if (!isPathSafe(eventId) && !(await isKnownEvent(db, eventId))) requirePathSafe(eventId, pointer)
}
