/**
 * Sends early requests for the data that every page needs. This small script runs while the browser
 * still loads the main script (vite.config.mjs).
 */
import { isDevPath, prefetch } from './prefetch.ts'

if (!isDevPath(location.pathname)) {
  prefetch('/console/api/setup')
  prefetch('/console/api/session')
}
// A platform, or a wallet before the sign-in, answers these addresses with an error. Then the page
// requests the data itself.
const [, user, bet] = /^\/console\/bets\/(?:([^/]+)\/)?([^/]+)$/.exec(location.pathname) ?? []
if (user !== undefined && bet !== undefined) prefetch(`/operator/players/${user}/bets/${bet}`)
else if (bet !== undefined) prefetch(`/operator/bets?transactionId=${bet}`) // finds the bet's owner
