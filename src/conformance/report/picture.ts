/** The calls of a failed case as the picture that the console has of a bet, with what the balance said after each. */
import { readFileSync } from 'node:fs'
import { sumOf } from '../../protocol/decimal.ts'
import { objectIn, parseJson } from '../../protocol/json.ts'
import { betOperationOf, OPERATIONS } from '../../protocol/operation.ts'
import { drawTimeline } from '../../timeline/draw.ts'
import { type Call, type Ending, type History, inOrder } from '../../timeline/moments.ts'
import { toMarkup } from '../../timeline/svg.ts'
import type { Exchange } from '../exchange.ts'

/** Whose balance it is: a case may look at several. */
interface Purse {
  readonly name: string
  readonly currency: string
  readonly amount: string
}

/** Of the picture, in the colours of the page. */
export function pictureStyle(): string {
  const css = readFileSync(new URL('../../timeline/timeline.css', import.meta.url), 'utf8')
  return `${css}.picture { margin: .75rem 0; padding: .5rem 0;
  --muted: var(--soft); --wait: var(--warn); --accent: var(--ink); --surface: var(--card); }
.picture .tl-moment { cursor: auto; }
`
}

/** Nothing where no call was made. */
export function pictureHtml(exchanges: readonly Exchange[]): string[] {
  const history = historyOfCase(exchanges)
  const { length } = history.moments
  if (length === 0) return []
  const selected = `call-${exchanges.findLastIndex(isOfCase)}`
  const label = `${length === 1 ? 'The call' : `The ${length} calls`} of the case, as told below`
  const picture = toMarkup(drawTimeline(history, { scale: 'compact', isStill: true, selected, label }))
  return [`<div class="picture tl-scroll" tabindex="0" role="group" aria-label="Picture of the calls">${picture}</div>`]
}

/** The kit is the platform: its own looks are no calls of the case, they say what the calls have moved. */
export function historyOfCase(exchanges: readonly Exchange[]): History {
  const calls: Call[] = []
  let purse: Purse | undefined
  let since = 0
  for (const [i, exchange] of exchanges.entries()) {
    if (isOfCase(exchange)) since = calls.push(callOf(exchange, i)) && since + 1
    const seen = purseIn(exchange)
    if (seen === undefined || (purse !== undefined && !isSame(purse, seen))) continue
    const last = calls.at(-1)
    if (purse !== undefined && last !== undefined && since > 0) calls.splice(-1, 1, moved(last, purse, seen, since))
    purse = seen
    since = 0
  }
  const currency = purse?.currency ?? ''
  return { betId: '', player: '', currency, moments: calls.sort(inOrder), seesMoney: purse !== undefined }
}

function isOfCase({ isLook }: Exchange): boolean {
  return isLook !== true
}

function isSame(a: Purse, b: Purse): boolean {
  return a.name === b.name && a.currency === b.currency
}

/** A balance is looked at after a call, or after several that were sent together. */
function moved(call: Call, before: Purse, { amount, currency }: Purse, since: number): Call {
  const earlier = before.amount.startsWith('-') ? before.amount.slice(1) : `-${before.amount}`
  const change = sumOf([amount, earlier])
  if (/^-?[0.]+$/.test(change)) return { ...call, movedNothing: true }
  const kind = since === 1 ? 'moved' : `moved by ${since} calls`
  return { ...call, transfers: [{ transferId: '', kind, amount: change, balance: amount, currency, at: '' }] }
}

function callOf({ what, request, answer, startedAt, durationMs }: Exchange, i: number): Call {
  const { type } = objectIn(request.body) ?? {}
  const isBet = request.url.endsWith(OPERATIONS.place.path)
  const code = answer.kind === 'some' ? objectIn(answer.body)?.code : undefined
  const isCode = typeof code === 'number' || typeof code === 'string'
  return {
    ...{ kind: 'call', id: `call-${i}`, at: startedAt.getTime(), durationMs, title: what, requestId: '', attempt: 1 },
    operation: (isBet ? betOperationOf(request.method, type) : undefined) ?? 'other',
    ending: endingOf(answer),
    answer:
      answer.kind === 'none' ? 'no answer' : `${answer.status}${isCode ? ` code ${code}`.slice(0, MAX_CODE) : ''}`,
    transfers: [],
  }
}

/** Characters of a code and the word before it: a wallet may answer anything. */
const MAX_CODE = 16

function endingOf(answer: Exchange['answer']): Ending {
  if (answer.kind === 'none') return 'unanswered'
  return answer.status === 200 ? 'accepted' : answer.status === 400 ? 'refused' : 'unanswered'
}

const AMOUNT = /^-?\d{1,18}(\.\d{1,8})?$/

function purseIn({ request, answer }: Exchange): Purse | undefined {
  if (answer.kind === 'none' || answer.status !== 200 || !request.url.endsWith(OPERATIONS.balance.path))
    return undefined
  const { token, userId } = objectIn(request.body) ?? {}
  const { amount, currency } = objectIn(answer.body, parseJson) ?? {}
  if (!AMOUNT.test(String(amount)) || typeof currency !== 'string') return undefined
  return { name: String(token ?? userId), currency: currency.slice(0, 8), amount: String(amount) }
}
