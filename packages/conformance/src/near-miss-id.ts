/** Near-miss ids for both conformance kits: each one almost equals another id. */

/**
 * Changes the last digit. Ids that differ only in case are the same UUID (RFC 9562, section 4), so
 * no platform sends both.
 */
export function toNearMissId(uuid: string): string {
  return `${uuid.slice(0, -1)}${uuid.endsWith('0') ? '1' : '0'}`
}
