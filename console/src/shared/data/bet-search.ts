/** Bets by a part of their id, newest first: the server finds by the beginning alone, in the order of ids, and ten of them. */
import { encodePathSegment } from '../../../../src/protocol/values/path-segment.ts'
import { encodeQueryPart, getJson } from '../../app/console-api.ts'
import type { BetSelections } from '../controls/selection-summary.tsx'

export interface SearchMatch extends BetSelections {
  readonly kind: string
  readonly id: string
  readonly userId: string
}

export interface WalletBetKey {
  readonly userId: string
  readonly transactionId: string
}

export interface PlatformBetKey {
  readonly betId: string
}

export const betLink = (bet: WalletBetKey | PlatformBetKey) =>
  'betId' in bet
    ? `/bets/${encodePathSegment(bet.betId)}`
    : `/bets/${encodePathSegment(bet.userId)}/${encodePathSegment(bet.transactionId)}`

export interface NewestBet extends BetSelections {
  readonly id: string
  readonly userId: string
  readonly at: string
  readonly status: string
  readonly stake?: string | undefined
  readonly currency?: string | undefined
  readonly resultType?: string | undefined
  readonly refusalCode?: number | undefined
  readonly reason?: string | undefined
  readonly requestedStake?: { readonly amount: string; readonly currency: string } | undefined
}

/** What a list of either side has of a bet. */
type BetListRow = BetSelections & { readonly userId: string; readonly status: string } & Partial<{
    transactionId: string
    betId: string
    firstSeenAt: string
    placedAt: string
    stake: string
    amount: string
    currency: string
    resultType: string
    refusalCode: number
    reason: string
    requestedStake: { readonly amount: string; readonly currency: string }
  }>

/** How an id begins and ends. */
export interface IdParts {
  readonly first: string
  readonly last: string
}

/** As lists show an id, and as somebody types it: its beginning, dots, and its end, or one of them. */
const SHORTENED = /^(?:(.{4,}?)(?:…|\.\.\.?)(.{4,})?|(?:…|\.\.\.?)(.{4,}))$/u

/** Undefined of an id that is not shortened. */
export function parseShortenedId(text: string): IdParts | undefined {
  const found = SHORTENED.exec(text)
  if (found === null) return undefined
  const [, first = '', last = '', end = ''] = found
  return { first, last: last || end }
}

/** What the sandbox's terminal calls a bet: the end of its id, as those of one time begin alike. */
const ID_ENDING = /^[\w-]{6,35}$/

export function parseIdEnding(text: string): IdParts | undefined {
  return ID_ENDING.test(text) ? { first: '', last: text } : undefined
}

export function matchesIdParts(id: string, { first, last }: IdParts): boolean {
  const small = id.toLowerCase()
  return small.startsWith(first.toLowerCase()) && small.endsWith(last.toLowerCase())
}

/** Rows of a page, and pages: no index has ids by time, so no more than these are looked through. */
const PAGE_ROWS = 500
const MAX_PAGES = 4

export const MAX_SCANNED_BETS = PAGE_ROWS * MAX_PAGES

/** `isAll`: there are no others, as every bet was looked at. */
export interface NewestBets {
  readonly bets: readonly NewestBet[]
  readonly isAll: boolean
}

/** Of the newest bets in a list those that are called so. */
export async function searchNewestBets(list: string, parts: IdParts, signal: AbortSignal): Promise<NewestBets> {
  const bets: NewestBet[] = []
  let after: string | null = null
  for (let i = 0; i < MAX_PAGES; i++) {
    const from: string = after === null ? '' : `&after=${encodeQueryPart(after)}`
    const page: { data: BetListRow[]; next: string | null } = await getJson(
      `${list}?limit=${PAGE_ROWS}&selections=true${from}`,
      signal,
    )
    bets.push(...page.data.map(toNewestBet).filter(({ id }) => matchesIdParts(id, parts)))
    after = page.next
    if (after === null) break
  }
  return { bets, isAll: after === null }
}

function toNewestBet({ transactionId, betId, firstSeenAt, placedAt, stake, amount, ...bet }: BetListRow): NewestBet {
  return { ...bet, id: transactionId ?? betId ?? '', at: firstSeenAt ?? placedAt ?? '', stake: stake ?? amount }
}
