/** Two ids that are nearly the same, for both sides. */

/**
 * A uuid with another last digit. Case is no difference here: interface.md calls these ids uuids, and two that differ in
 * case are the same uuid (RFC 9562, section 4), so that no platform sends both.
 */
export function toNearMissId(uuid: string): string {
  return `${uuid.slice(0, -1)}${uuid.endsWith('0') ? '1' : '0'}`
}
