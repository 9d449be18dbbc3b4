/**
 * Early requests for the data that every page needs. This small script runs while the browser still
 * loads the rest (vite.config.mjs).
 */
import { prefetch } from './prefetch.ts'

prefetch('/console/api/setup')
prefetch('/console/api/session')
// A platform answers these addresses with an error, and so does a wallet before the sign-in. The
// page then requests them itself.
const [, user, bet] = /^\/console\/bets\/(?:([^/]+)\/)?([^/]+)$/.exec(location.pathname) ?? []
if (user !== undefined && bet !== undefined) prefetch(`/operator/players/${user}/bets/${bet}`)
else if (bet !== undefined) prefetch(`/operator/bets?transactionId=${bet}`) // finds the bet's owner
