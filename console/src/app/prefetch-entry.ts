/**
 * What a page needs before it can show anything is asked for here, in a script of its own that is there at once: the answers come while the
 * browser still reads the rest (vite.config.mjs).
 */
import { prefetch } from './prefetch.ts'

prefetch('/console/api/setup')
prefetch('/console/api/session')
// A platform has no such addresses, and says so. Whoever has not signed in is told no, and asks again behind the door.
const [, user, bet] = /^\/console\/bets\/(?:([^/]+)\/)?([^/]+)$/.exec(location.pathname) ?? []
if (user !== undefined && bet !== undefined) prefetch(`/operator/players/${user}/bets/${bet}`)
else if (bet !== undefined) prefetch(`/operator/bets?transactionId=${bet}`) // whose it is: its own page asks for the bet then
