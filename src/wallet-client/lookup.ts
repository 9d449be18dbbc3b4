/**
 * Names of wallets, resolved. The system's resolver has four threads for the whole process, and a name that nobody answers
 * for holds one for seconds: a few dead partners would keep new connections to all others waiting (C-6). So a name is asked
 * for once at a time, and one that was known a while ago is used at once while it is asked for again.
 */
import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { createLru } from '../runtime/lru.ts'
import { world } from '../runtime/world.ts'

/** Milliseconds for which an answer is used without asking again. */
const FRESH_MS = 10_000
/** Milliseconds for which an older one is used while the resolver is asked. */
const STALE_MS = 600_000
/** Names that are kept. */
const MAX_NAMES = 1_000

/** Resolves a name, or fails as the system's resolver does. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

interface Known {
  readonly addresses: LookupAddress[]
  readonly since: number
}

/** `now` in milliseconds. */
export function createResolver(ask: Resolve, now: () => number = () => world.elapsed()): Resolve {
  const known = createLru<Known>(MAX_NAMES)
  const asked = new Map<string, Promise<LookupAddress[]>>()
  const learn = async (hostname: string) => {
    try {
      const addresses = await ask(hostname)
      known.set(hostname, { addresses, since: now() })
      return addresses
    } finally {
      asked.delete(hostname)
    }
  }
  const askOnce = (hostname: string) => {
    const answer = asked.get(hostname) ?? learn(hostname)
    asked.set(hostname, answer)
    return answer
  }
  return async (hostname) => {
    const last = known.get(hostname)
    const age = last === undefined ? Number.POSITIVE_INFINITY : now() - last.since
    if (last === undefined || age > STALE_MS) return askOnce(hostname)
    if (age > FRESH_MS) askOnce(hostname).catch(() => {}) // the last answer stays in use until it is too old
    return last.addresses
  }
}

const resolve = createResolver(
  (hostname) =>
    new Promise((done, fail) => {
      const options: LookupAllOptions = { all: true }
      systemLookup(hostname, options, (error, addresses) => (error === null ? done(addresses) : fail(error)))
    }),
)

/** What sockets call; they ask for one address or for all. */
export const lookup: LookupFunction = (hostname, { all, family }, callback) => {
  const isWanted = (address: LookupAddress) => !family || `${family}`.endsWith(String(address.family))
  resolve(hostname).then(
    (found) => {
      const addresses = found.filter(isWanted)
      const [first] = addresses
      if (all) callback(null, addresses)
      else if (first === undefined) callback(notFound(hostname), '')
      else callback(null, first.address, first.family)
    },
    (error: NodeJS.ErrnoException) => callback(error, ''),
  )
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname} has no address of this kind`), { code: 'ENOTFOUND' })
}
