/**
 * The normalized path of a wire call.
 *
 * A base URL that ends with a slash results in `//payment/bet`, so repeated slashes count as one
 * (D-4). Paths of our own APIs are not normalized, because an empty part could be a player's id.
 */
import { OPERATIONS } from '@purser/protocol/operation'

const WIRE_PATHS = new Set<string>(Object.values(OPERATIONS).map(({ path }) => path))

/** Undefined if the URL is not of the wire. The query is ignored. */
export function toWirePath(url = ''): string | undefined {
  if (WIRE_PATHS.has(url)) return url
  const path = url.split('?', 1)[0]?.replaceAll(/\/{2,}/g, '/') ?? ''
  return WIRE_PATHS.has(path) ? path : undefined
}
