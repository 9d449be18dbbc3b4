/**
 * The path of a call of the wire, as its route has it.
 *
 * A base URL that ends with a slash makes `//payment/bet`, so repeated slashes are one (D-4). The
 * paths of our own API stay exact: there an empty part could stand for the id of a player.
 */
import { OPERATIONS } from '../../../protocol/operation.ts'

const WIRE_PATHS = new Set<string>(Object.values(OPERATIONS).map(({ path }) => path))

/** Undefined: the URL, whose query is not looked at, is none of the wire. */
export function toWirePath(url = ''): string | undefined {
  if (WIRE_PATHS.has(url)) return url
  const path = url.split('?', 1)[0]?.replaceAll(/\/{2,}/g, '/') ?? ''
  return WIRE_PATHS.has(path) ? path : undefined
}
