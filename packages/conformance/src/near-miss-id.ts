/** Near-miss ids, which almost equal another id, for both conformance kits. */

/**
 * Changes the last digit. Ids that differ only in case are the same UUID (RFC 9562, section 4), so
 * no platform sends both.
 */
export function toNearMissId(uuid: string): string {
  return `${uuid.slice(0, -1)}${uuid.endsWith('0') ? '1' : '0'}`
}
