/**
 * Names of wallets, resolved. The system's resolver has four threads for the whole process, and a name that nobody answers
 * for holds one for seconds: a few dead partners would keep new connections to all others waiting (C-6). So a name is asked
 * for once at a time, and one that was known a while ago is used at once while it is asked for again.
 */
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { environment } from '../../../runtime/environment.ts'
import { createLru } from '../../../runtime/lru-cache.ts'

/** Milliseconds for which an answer is used without asking again. */
const FRESH_MS = 10_000
/** Milliseconds for which an older one is used while the resolver is asked. */
const STALE_MS = 600_000
/** Names that are kept. */
const MAX_NAMES = 1_000

/** Resolves a name, or fails as the system's resolver does. */
export type ResolveName = (hostname: string) => Promise<LookupAddress[]>

interface CachedAddresses {
  readonly addresses: LookupAddress[]
  readonly since: number
}

/** `now` in milliseconds. */
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
    if (age > FRESH_MS) refreshOnce(hostname).catch(() => {}) // the last answer stays in use until it is too old
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

/** What sockets call; they ask for one address or for all. */
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
