/** The id of an event in a request: a new event needs one that the path of a URL can carry. */
import type { Db } from '../../db/db.ts'
import { requirePathSafe } from '../../http/storable-text.ts'
import { isPathSafe } from '../../protocol/path-segment.ts'
import { isKnownEvent } from '../store/event-store.ts'

/** Throws a 400 that names the place of the id. */
export async function requireCarriedIfNew(
  { db }: { readonly db: Pick<Db, 'query'> },
  eventId: string,
  pointer: string,
): Promise<void> {
  if (!isPathSafe(eventId) && !(await isKnownEvent(db, eventId))) requirePathSafe(eventId, pointer)
}
