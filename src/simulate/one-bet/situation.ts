/**
 * When two histories have come to the same: what follows is then judged once for both. Three things are left out, because nobody looks
 * at them: how large a moment is (the wallet and the auditor only tell it again), how large the number of a call is (it is only asked
 * whether the last result came later), and requests that are never sent again. A test compares with a search that leaves out nothing.
 */

import type { Bet } from '../../wallet/store/bet.ts'
import type { Mind } from './auditor.ts'
import type { Shown } from './laws.ts'
import { CALL_NAMES, type Sent } from './letters.ts'
import { momentOf, nameOfRequest, type State } from './world.ts'

/** Where a history has come to. */
export interface Place {
  readonly state: State
  readonly mind: Mind
  readonly shown: Shown
  readonly sent: Sent
  /** How many requests were sent. */
  readonly requests: number
}

type Names = (moment: number) => number

/** The same text for two places means that no call can tell them apart. */
export function situationOf(place: Place): string {
  const { state, mind, shown, sent } = place
  const moment = namesInOrder()
  const { record, account, live, isSpent, moved } = state
  const bet = record === undefined ? '' : `${betText(record.bet, moment)},${record.locked}`
  let text = `${bet}|${account.balance},${live},${isSpent},${moved.player},${moved.openStakes}|${mindText(mind, moment)}`
  text += `|${shown.stakes},${shown.isGivenUp}`
  for (const name of CALL_NAMES) {
    const requests = sent[name]
    text += '|'
    if (requests === undefined) continue
    const [first, last] = requests
    text += requestText(place, first, moment)
    if (last !== first) text += `/${requestText(place, last, moment)}`
  }
  return text
}

/** Each number by its place among those that were named so far. */
function namesInOrder(): Names {
  const named: number[] = []
  return (number) => {
    const known = named.indexOf(number)
    return known >= 0 ? known : named.push(number) - 1
  }
}

function betText(bet: Bet, moment: Names): string {
  switch (bet.kind) {
    case 'unknown':
      return bet.kind
    case 'refused':
      return `${bet.kind},${bet.refusal},${moment(momentOf(bet.since))}`
    case 'cancelled':
      return `${bet.kind},${bet.placement?.stake},${moment(momentOf(bet.since))}`
    case 'open':
    case 'settled': {
      const { placement, since } = bet
      const settled = bet.kind === 'settled' ? `${bet.settlement.payout},${bet.settlement.resultType}` : ''
      return `${bet.kind},${placement.stake},${settled},${moment(momentOf(placement.placedAt))},${moment(momentOf(since))}`
    }
    default:
      return bet satisfies never
  }
}

function mindText(mind: Mind, moment: Names): string {
  const { status, stake, payout, resultType, refusal, locked, spent, placed, since } = mind
  return `${spent},${status},${stake},${payout},${resultType},${refusal},${locked},${moment(placed)},${moment(since)}`
}

/** What everybody has in mind of a request: the wallet, the auditor, the laws. */
function requestText({ state: { record, seen }, mind, shown }: Place, request: number, moment: Names): string {
  const name = nameOfRequest(request)
  const lastResult = record?.lastResult ?? 0
  const words = new Set<string>()
  if (record?.placeRequestId === name) words.add('placed')
  for (const { requestId, became } of seen) {
    if (requestId !== name) continue
    if (became.kind === 'acknowledged') words.add(`told ${moment(momentOf(became.at))}`)
    else words.add(became.kind === 'refused' ? `${became.code} ${became.seq < lastResult}` : became.kind)
  }
  const at = mind.acknowledged.get(request)
  const [code, results = 0] = mind.refused.get(request) ?? []
  const audited = `${at === undefined ? '' : moment(at)},${code},${code !== undefined && results < mind.results}`
  const laws = `${shown.done.has(request)},${shown.refused.has(request)},${shown.passed.has(request)}`
  return `${[...words].join('+')},${audited},${laws}`
}
