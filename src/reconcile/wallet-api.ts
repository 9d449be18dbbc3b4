/** The wallet's bets, read through its operator API: newest first, so that they must be sorted here. */

import { Unreachable, WrongUse } from '../runtime/wrong-use.ts'
import type { WalletSide } from './sides.ts'
import type { BetKey } from './wallet-database.ts'

export interface OperatorApi {
  readonly url: string
  readonly key: string
}

/** Milliseconds for one page. */
const TIMEOUT_MS = 30_000
/** Rows of a page: the most that the API gives. */
const PAGE = 500
/** Single bets that are asked for at once. */
const AT_ONCE = 8

interface BetView {
  readonly userId: string
  readonly transactionId: string
  readonly status: WalletSide['status']
  readonly currency?: string
  readonly stake?: string
  readonly payout?: string
  readonly resultType?: string
}

/** Every bet that the wallet had when the reading began, page by page, in the API's order. */
export async function* readPages(api: OperatorApi): AsyncGenerator<WalletSide[]> {
  let after: string | null = null
  do {
    const query: string = after === null ? '' : `&after=${encodeURIComponent(after)}`
    const page: { data: BetView[]; next: string | null } | undefined = await get(
      api,
      `/operator/bets?limit=${PAGE}${query}`,
    )
    if (page === undefined) throw new Unreachable(`${api.url} has no operator API`)
    yield page.data.map(toSide)
    after = page.next
  } while (after !== null)
}

/** Some bets as they are now. */
export async function readBets(api: OperatorApi, keys: readonly BetKey[]): Promise<WalletSide[]> {
  const found: WalletSide[] = []
  for (let first = 0; first < keys.length; first += AT_ONCE) {
    const views = keys.slice(first, first + AT_ONCE).map(({ player, betId }) => {
      const path = `/operator/players/${encodeURIComponent(player)}/bets/${encodeURIComponent(betId)}`
      return get<BetView>(api, path)
    })
    found.push(...(await Promise.all(views)).flatMap((view) => (view === undefined ? [] : [toSide(view)])))
  }
  return found
}

/** Undefined when it is not there. */
async function get<T>({ url, key }: OperatorApi, path: string): Promise<T | undefined> {
  const headers = { authorization: `Bearer ${key}` }
  const target = url.replace(/\/$/, '') + path
  const response = await fetch(target, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
    throw new Unreachable(`${url} cannot be reached: ${describe(error)}`)
  })
  if (response.status === 404) return undefined
  if (response.status === 401) throw new WrongUse(`${url} does not take this operator key`)
  if (!response.ok) throw new Unreachable(`${target} answered ${response.status}`)
  return (await response.json()) as T
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error && error.cause.message !== '' ? error.cause.message : error.message
}

function toSide(view: BetView): WalletSide {
  const { userId, transactionId, status, currency, stake, payout, resultType } = view
  return {
    betId: transactionId,
    player: userId,
    status,
    currency: currency ?? null,
    stake: stake ?? null,
    payout: payout ?? null,
    resultType: resultType ?? null,
  }
}
