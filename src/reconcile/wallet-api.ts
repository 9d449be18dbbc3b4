/** The wallet's bets, read through its operator API: newest first, so that they must be sorted here. */

import { getFrom, type OwnApi } from '../http/own-api.ts'
import { sentIdOf } from '../protocol/second-id.ts'
import { Unreachable } from '../runtime/wrong-use.ts'
import { idsAtWallet, type Platforms, severalPlatforms, type WalletSide } from './sides.ts'
import type { BetKey } from './wallet-database.ts'

/** Rows of a page: the most that the API gives. */
const PAGE = 500
/** Single bets that are asked for at once. */
const AT_ONCE = 8

interface BetView {
  readonly userId: string
  readonly transactionId: string
  readonly platform?: string
  readonly status: WalletSide['status']
  readonly currency?: string
  readonly stake?: string
  readonly payout?: string
  readonly resultType?: string
}

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
    yield page.data.filter(isOf(platforms)).map(toSide)
    after = page.next
  } while (after !== null)
}

const isOf = (platforms: Platforms) => (view: BetView) => platforms?.includes(view.platform ?? '') ?? true

/** Some bets as they are now. */
export async function readBets(api: OwnApi, keys: readonly BetKey[], platforms: Platforms): Promise<WalletSide[]> {
  const paths = keys.flatMap(({ player, betId }) =>
    idsAtWallet(betId, platforms).map(
      (id) => `/operator/players/${encodeURIComponent(player)}/bets/${encodeURIComponent(id)}`,
    ),
  )
  const found: BetView[] = []
  for (let first = 0; first < paths.length; first += AT_ONCE) {
    const views = paths.slice(first, first + AT_ONCE).map((path) => getFrom<BetView>(api, path))
    found.push(...(await Promise.all(views)).filter((view) => view !== undefined))
  }
  return found.filter(isOf(platforms)).map(toSide)
}

function toSide(view: BetView): WalletSide {
  const { userId, transactionId, status, currency, stake, payout, resultType } = view
  return {
    betId: sentIdOf(transactionId),
    ownId: transactionId,
    player: userId,
    status,
    currency: currency ?? null,
    stake: stake ?? null,
    payout: payout ?? null,
    resultType: resultType ?? null,
  }
}
