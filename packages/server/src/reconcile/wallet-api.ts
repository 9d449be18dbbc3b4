/** Reads the wallet's bets through its operator API. */

import { type ApiEndpoint, getFromApi } from '@purser/protocol/client/api-client'
import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { UnavailableError } from '@purser/runtime/errors/cli-errors'
import {
  type Platforms,
  toPlatformRequiredError,
  toWalletIds,
  toWalletSide,
  type WalletBetView,
  type WalletSide,
} from './bet-sides.ts'
import type { BetKey } from './wallet-database.ts'

/** Rows per page: the limit of the API. */
const PAGE = 500
/** Concurrent requests for single bets. */
const AT_ONCE = 8

/**
 * All bets of the wallet in the order of its own ids. The ids that platforms sent have the same
 * order if they have the same length, as the ids of our platform do (`toQualifiedBetId`).
 */
export async function* readWalletPages(api: ApiEndpoint, platforms: Platforms): AsyncGenerator<WalletSide[]> {
  let after: string | null = null
  do {
    const query: string = after === null ? '' : `&after=${encodeURIComponent(after)}`
    const page: { data: WalletBetView[]; next: string | null } | undefined = await getFromApi(
      api,
      `/operator/bets?order=id&limit=${PAGE}${query}`,
    )
    if (page === undefined) throw new UnavailableError(`${api.url} has no operator API`)
    if (platforms === undefined && page.data.some(({ platform }) => platform !== undefined))
      throw toPlatformRequiredError()
    yield page.data.filter(isOfPlatforms(platforms)).map(toWalletSide)
    after = page.next
  } while (after !== null)
}

const isOfPlatforms = (platforms: Platforms) => (view: WalletBetView) =>
  platforms?.includes(view.platform ?? '') ?? true

/** Current state of some bets. */
export async function readWalletBets(
  api: ApiEndpoint,
  keys: readonly BetKey[],
  platforms: Platforms,
): Promise<WalletSide[]> {
  const paths = keys.flatMap(({ player, betId }) =>
    toWalletIds(betId, platforms).map(
      (id) => `/operator/players/${encodePathSegment(player)}/bets/${encodePathSegment(id)}`,
    ),
  )
  const found: WalletBetView[] = []
  for (let first = 0; first < paths.length; first += AT_ONCE) {
    const views = paths.slice(first, first + AT_ONCE).map((path) => getFromApi<WalletBetView>(api, path))
    found.push(...(await Promise.all(views)).filter((view) => view !== undefined))
  }
  return found.filter(isOfPlatforms(platforms)).map(toWalletSide)
}
