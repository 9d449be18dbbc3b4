/** Picture of a failed case's calls, drawn like the console's timeline of a bet, with balances. */
import { OPERATIONS, parseBetOperation } from '@purser/protocol/operation'
import { sumDecimals } from '@purser/protocol/values/decimal'
import { parseJson, parseJsonObject } from '@purser/protocol/values/exact-json'
import { readTimelineStylesheet } from '@purser/timeline/drawing/stylesheet'
import { toMarkup } from '@purser/timeline/drawing/svg'
import { drawTimeline } from '@purser/timeline/drawing/timeline-drawing'
import {
  type BetHistory,
  type CallEnding,
  compareMoments,
  type TimelineCall,
} from '@purser/timeline/drawing/timeline-moments'
import type { Exchange } from '../http-exchange.ts'

/** The account of a balance. A case may read several accounts. */
interface KnownBalance {
  readonly name: string
  readonly currency: string
  readonly amount: string
}

export function buildTimelineStyle(): string {
  return `${readTimelineStylesheet()}.picture { margin: .75rem 0; padding: .5rem 0;
  --muted: var(--soft); --wait: var(--warn); --accent: var(--ink); --surface: var(--card); }
.picture .tl-moment { cursor: auto; }
`
}

/** Empty if the case made no call. */
export function renderFailureTimeline(exchanges: readonly Exchange[]): string[] {
  const history = buildCaseHistory(exchanges)
  const { length } = history.moments
  if (length === 0) return []
  const selected = `call-${exchanges.findLastIndex(isCaseCall)}`
  const label = `${length === 1 ? 'The call' : `The ${length} calls`} of the case, as described below`
  const picture = toMarkup(drawTimeline(history, { scale: 'compact', isStill: true, selected, label }))
  return [`<div class="picture tl-scroll" tabindex="0" role="group" aria-label="Picture of the calls">${picture}</div>`]
}

/**
 * The kit's own balance queries are no calls of the case. They show the money that the calls moved.
 */
export function buildCaseHistory(exchanges: readonly Exchange[]): BetHistory {
  const calls: TimelineCall[] = []
  let latest: KnownBalance | undefined
  let since = 0
  for (const [i, exchange] of exchanges.entries()) {
    if (isCaseCall(exchange)) since = calls.push(toTimelineCall(exchange, i)) && since + 1
    const found = parseKnownBalance(exchange)
    if (found === undefined || (latest !== undefined && !isSameAccount(latest, found))) continue
    const last = calls.at(-1)
    if (latest !== undefined && last !== undefined && since > 0)
      calls.splice(-1, 1, withTransfer(last, latest, found, since))
    latest = found
    since = 0
  }
  const currency = latest?.currency ?? ''
  return { betId: '', player: '', currency, moments: calls.sort(compareMoments), hasBalances: latest !== undefined }
}

function isCaseCall({ isLook }: Exchange): boolean {
  return isLook !== true
}

function isSameAccount(a: KnownBalance, b: KnownBalance): boolean {
  return a.name === b.name && a.currency === b.currency
}

/** A balance is read after one call, or after several concurrent calls. */
function withTransfer(
  call: TimelineCall,
  before: KnownBalance,
  { amount, currency }: KnownBalance,
  since: number,
): TimelineCall {
  const earlier = before.amount.startsWith('-') ? before.amount.slice(1) : `-${before.amount}`
  const change = sumDecimals([amount, earlier])
  if (/^-?[0.]+$/.test(change)) return { ...call, movedNothing: true }
  const kind = since === 1 ? 'moved' : `moved by ${since} calls`
  return { ...call, transfers: [{ transferId: '', kind, amount: change, balance: amount, currency, at: '' }] }
}

function toTimelineCall({ what, request, answer, startedAt, durationMs }: Exchange, i: number): TimelineCall {
  const { type } = parseJsonObject(request.body) ?? {}
  const isBet = request.url.endsWith(OPERATIONS.place.path)
  const code = answer.kind === 'some' ? parseJsonObject(answer.body)?.code : undefined
  const isCode = typeof code === 'number' || typeof code === 'string'
  return {
    ...{ kind: 'call', id: `call-${i}`, at: startedAt.getTime(), durationMs, title: what, requestId: '', attempt: 1 },
    operation: (isBet ? parseBetOperation(request.method, type) : undefined) ?? 'other',
    ending: toEnding(answer),
    answer:
      answer.kind === 'none' ? 'no answer' : `${answer.status}${isCode ? ` code ${code}`.slice(0, MAX_CODE) : ''}`,
    transfers: [],
  }
}

/** Characters. A wallet may answer any text. */
const MAX_CODE = 16

function toEnding(answer: Exchange['answer']): CallEnding {
  if (answer.kind === 'none') return 'unanswered'
  return answer.status === 200 ? 'accepted' : answer.status === 400 ? 'refused' : 'unanswered'
}

const AMOUNT = /^-?\d{1,18}(\.\d{1,8})?$/

function parseKnownBalance({ request, answer }: Exchange): KnownBalance | undefined {
  if (answer.kind === 'none' || answer.status !== 200 || !request.url.endsWith(OPERATIONS.balance.path))
    return undefined
  const { token, userId } = parseJsonObject(request.body) ?? {}
  const { amount, currency } = parseJsonObject(answer.body, parseJson) ?? {}
  if (!AMOUNT.test(String(amount)) || typeof currency !== 'string') return undefined
  return { name: String(token ?? userId), currency: currency.slice(0, 8), amount: String(amount) }
}
