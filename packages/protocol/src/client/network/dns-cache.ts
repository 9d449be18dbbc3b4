/**
 * DNS cache for the addresses of wallets.
 *
 * Node resolves names on four threads for the whole process, and a lookup without an answer
 * occupies a thread for seconds. A few names whose DNS server is dead would then delay new
 * connections to all other wallets (C-6). So each name has at most one lookup at a time, and a
 * stale entry is used during the lookup.
 */
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { environment } from '@purser/runtime/environment'
import { createLru } from '@purser/runtime/lru-cache'

/** Milliseconds for which an entry is used without a new lookup. */
const FRESH_MS = 10_000
/** Milliseconds for which an entry is used while a new lookup runs. */
const STALE_MS = 600_000
const MAX_NAMES = 1_000

/** Rejects with the error of the system's resolver. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>

interface CachedAddresses {
  readonly addresses: LookupAddress[]
  readonly since: number
}

/** `now`: monotonic milliseconds. */
export function createCachingResolver(
  resolveUncached: ResolveName,
  now: () => number = () => environment.monotonicNow(),
): ResolveName {
  const cache = createLru<CachedAddresses>(MAX_NAMES)
  const inFlight = new Map<string, Promise<LookupAddress[]>>()
  const refresh = async (hostname: string) => {
    try {
      const addresses = await resolveUncached(hostname)
      cache.set(hostname, { addresses, since: now() })
      return addresses
    } finally {
      inFlight.delete(hostname)
    }
  }
  const refreshOnce = (hostname: string) => {
    const answer = inFlight.get(hostname) ?? refresh(hostname)
    inFlight.set(hostname, answer)
    return answer
  }
  return async (hostname) => {
    const last = cache.get(hostname)
    const age = last === undefined ? Number.POSITIVE_INFINITY : now() - last.since
    if (last === undefined || age > STALE_MS) return refreshOnce(hostname)
    if (age > FRESH_MS) refreshOnce(hostname).catch(() => {}) // the entry stays in use until it is too old
    return last.addresses
  }
}

const resolveName = createCachingResolver(
  (hostname) =>
    new Promise((done, fail) => {
      const options: LookupAllOptions = { all: true }
      systemLookup(hostname, options, (error, addresses) => (error === null ? done(addresses) : fail(error)))
    }),
)

/** Sockets request one address or all addresses. */
export const cachedLookup: LookupFunction = (hostname, { all, family }, callback) => {
  const hasFamily = (address: LookupAddress) => !family || `${family}`.endsWith(String(address.family))
  resolveName(hostname).then(
    (found) => {
      const addresses = found.filter(hasFamily)
      const [first] = addresses
      if (all) callback(null, addresses)
      else if (first === undefined) callback(notFoundError(hostname), '')
      else callback(null, first.address, first.family)
    },
    (error: NodeJS.ErrnoException) => callback(error, ''),
  )
}

function notFoundError(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address of this kind`), { code: 'ENOTFOUND' })
}
