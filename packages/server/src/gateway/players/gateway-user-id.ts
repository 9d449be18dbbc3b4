/**
 * Player ids that the gateway creates: random UUIDs. By this form the gateway recognises an id of
 * its own that is missing from the database (G-3).
 */
import { environment } from '@purser/runtime/environment'

const OWN_USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Unique among all operators and processes. */
export function createUserId(): string {
  return environment.uuid()
}

/**
 * True if the gateway may have created the id. The platform gets this form from no other source.
 */
export function isOwnUserId(userId: string): boolean {
  return OWN_USER_ID.test(userId)
}
