/**
 * Searches bets by any part of their id, newest first. The server's own search compares only the
 * beginning of ids, sorts by id, and returns at most ten.
 */
import { encodePathSegment } from '@purser/protocol/values/path-segment'
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

/** A bet in the list of wallet or platform. */
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

/** The beginning and end of an id. */
export interface IdParts {
  readonly first: string
  readonly last: string
}

/** A shortened id in a list or typed by a user: beginning, dots and end, or only one end. */
const SHORTENED = /^(?:(.{4,}?)(?:…|\.\.\.?)(.{4,})?|(?:…|\.\.\.?)(.{4,}))$/u

/** Undefined if the id is not shortened. */
export function parseShortenedId(text: string): IdParts | undefined {
  const found = SHORTENED.exec(text)
  if (found === null) return undefined
  const [, first = '', last = '', end = ''] = found
  return { first, last: last || end }
}

/** The sandbox's terminal names a bet by the end of its id, because ids of one time begin alike. */
const ID_ENDING = /^[\w-]{6,35}$/

export function parseIdEnding(text: string): IdParts | undefined {
  return ID_ENDING.test(text) ? { first: '', last: text } : undefined
}

export function matchesIdParts(id: string, { first, last }: IdParts): boolean {
  const small = id.toLowerCase()
  return small.startsWith(first.toLowerCase()) && small.endsWith(last.toLowerCase())
}

/** Rows per page, and pages. No index has ids by time, so the scan is limited. */
const PAGE_ROWS = 500
const MAX_PAGES = 4

export const MAX_SCANNED_BETS = PAGE_ROWS * MAX_PAGES

/** `isAll`: the scan covered every bet. */
export interface NewestBets {
  readonly bets: readonly NewestBet[]
  readonly isAll: boolean
}

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
