/** The id of an event in a request: a new event needs one that the path of a URL can carry. */
import type { Db } from '../../db/db.ts'
import { requireCarried } from '../../http/storable.ts'
import { isCarried } from '../../protocol/path-part.ts'
import { isKnownEvent } from '../bets/event.ts'

/** Throws a 400 that names the place of the id. */
export async function requireCarriedIfNew(
  { db }: { readonly db: Pick<Db, 'query'> },
  eventId: string,
  pointer: string,
): Promise<void> {
  if (!isCarried(eventId) && !(await isKnownEvent(db, eventId))) requireCarried(eventId, pointer)
}
