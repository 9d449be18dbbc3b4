/** The gateway's own ids of players: their form says who made them. */
import { environment } from '../../../runtime/environment.ts'

const OWN_USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Never made before, for no operator, by no process. */
export function createUserId(): string {
  return environment.uuid()
}

/** True if the gateway may have made it: the platform knows ids of this form from nobody else. */
export function isOwnUserId(userId: string): boolean {
  return OWN_USER_ID.test(userId)
}
