/** The wallet's bets, read through its operator API: newest first, so that they must be sorted here. */

import { getFrom, type OwnApi } from '../http/own-api.ts'
import { pathPart } from '../protocol/path-part.ts'
import { Unreachable } from '../runtime/wrong-use.ts'
import { type BetView, idsAtWallet, type Platforms, severalPlatforms, toWalletSide, type WalletSide } from './sides.ts'
import type { BetKey } from './wallet-database.ts'

/** Rows of a page: the most that the API gives. */
const PAGE = 500
/** Single bets that are asked for at once. */
const AT_ONCE = 8

/** Every bet that the wallet had when the reading began, page by page, in the API's order. */
export async function* readPages(api: OwnApi, platforms: Platforms): AsyncGenerator<WalletSide[]> {
  let after: string | null = null
  do {
    const query: string = after === null ? '' : `&after=${encodeURIComponent(after)}`
    const page: { data: BetView[]; next: string | null } | undefined = await getFrom(
      api,
      `/operator/bets?limit=${PAGE}${query}`,
    )
    if (page === undefined) throw new Unreachable(`${api.url} has no operator API`)
    if (platforms === undefined && page.data.some(({ platform }) => platform !== undefined)) throw severalPlatforms()
    yield page.data.filter(isOf(platforms)).map(toWalletSide)
    after = page.next
  } while (after !== null)
}

const isOf = (platforms: Platforms) => (view: BetView) => platforms?.includes(view.platform ?? '') ?? true

/** Some bets as they are now. */
export async function readBets(api: OwnApi, keys: readonly BetKey[], platforms: Platforms): Promise<WalletSide[]> {
  const paths = keys.flatMap(({ player, betId }) =>
    idsAtWallet(betId, platforms).map((id) => `/operator/players/${pathPart(player)}/bets/${pathPart(id)}`),
  )
  const found: BetView[] = []
  for (let first = 0; first < paths.length; first += AT_ONCE) {
    const views = paths.slice(first, first + AT_ONCE).map((path) => getFrom<BetView>(api, path))
    found.push(...(await Promise.all(views)).filter((view) => view !== undefined))
  }
  return found.filter(isOf(platforms)).map(toWalletSide)
}
