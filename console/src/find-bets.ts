/** Bets by a part of their id, newest first: the server finds by the beginning alone, in the order of ids, and ten of them. */
import { pathPart } from '../../src/protocol/path-part.ts'
import { part, read } from './api.ts'
import type { On } from './bet-on.tsx'

export interface Match extends On {
  readonly kind: string
  readonly id: string
  readonly userId: string
}

export interface WalletsBet {
  readonly userId: string
  readonly transactionId: string
}

export interface PlatformsBet {
  readonly betId: string
}

export const betLink = (bet: WalletsBet | PlatformsBet) =>
  'betId' in bet ? `/bets/${pathPart(bet.betId)}` : `/bets/${pathPart(bet.userId)}/${pathPart(bet.transactionId)}`

export interface NewestBet extends On {
  readonly id: string
  readonly userId: string
  readonly at: string
  readonly status: string
  readonly stake?: string | undefined
  readonly currency?: string | undefined
  readonly resultType?: string | undefined
  readonly refusalCode?: number | undefined
  readonly reason?: string | undefined
  readonly askedStake?: { readonly amount: string; readonly currency: string } | undefined
}

/** What a list of either side has of a bet. */
type Listed = On & { readonly userId: string; readonly status: string } & Partial<{
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
    askedStake: { readonly amount: string; readonly currency: string }
  }>

/** How an id begins and ends. */
export interface Parts {
  readonly first: string
  readonly last: string
}

/** As lists show an id, and as somebody types it: its beginning, dots, and its end, or one of them. */
const SHORTENED = /^(?:(.{4,}?)(?:…|\.\.\.?)(.{4,})?|(?:…|\.\.\.?)(.{4,}))$/u

/** Undefined of an id that is not shortened. */
export function partsOf(text: string): Parts | undefined {
  const found = SHORTENED.exec(text)
  if (found === null) return undefined
  const [, first = '', last = '', end = ''] = found
  return { first, last: last || end }
}

/** What the sandbox's terminal calls a bet: the end of its id, as those of one time begin alike. */
const AN_END = /^[\w-]{6,35}$/

export function endOf(text: string): Parts | undefined {
  return AN_END.test(text) ? { first: '', last: text } : undefined
}

export function fits(id: string, { first, last }: Parts): boolean {
  const small = id.toLowerCase()
  return small.startsWith(first.toLowerCase()) && small.endsWith(last.toLowerCase())
}

/** Rows of a page, and pages: no index has ids by time, so no more than these are looked through. */
const PAGE = 500
const PAGES = 4

export const LOOKED_AT = PAGE * PAGES

/** `isAll`: there are no others, as every bet was looked at. */
export interface NewestBets {
  readonly bets: readonly NewestBet[]
  readonly isAll: boolean
}

/** Of the newest bets in a list those that are called so. */
export async function newestBets(list: string, parts: Parts, signal: AbortSignal): Promise<NewestBets> {
  const bets: NewestBet[] = []
  let after: string | null = null
  for (let i = 0; i < PAGES; i++) {
    const from: string = after === null ? '' : `&after=${part(after)}`
    const page: { data: Listed[]; next: string | null } = await read(
      `${list}?limit=${PAGE}&selections=true${from}`,
      signal,
    )
    bets.push(...page.data.map(toNewest).filter(({ id }) => fits(id, parts)))
    after = page.next
    if (after === null) break
  }
  return { bets, isAll: after === null }
}

function toNewest({ transactionId, betId, firstSeenAt, placedAt, stake, amount, ...bet }: Listed): NewestBet {
  return { ...bet, id: transactionId ?? betId ?? '', at: firstSeenAt ?? placedAt ?? '', stake: stake ?? amount }
}
