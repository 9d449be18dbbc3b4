/**
 * The fingerprint of a history of calls. The search continues histories with equal fingerprints as
 * one.
 *
 * A fingerprint leaves out three things, because no later check depends on them:
 * - the values of moments, which wallet and auditor only repeat;
 * - the values of call numbers, which are only compared with the last result;
 * - requests that are never sent again.
 *
 * A test compares the search with a search that leaves out nothing.
 */

import type { Bet } from 'purser/wallet/store/bet'
import { BET_CALL_NAMES, type SentRequests } from './one-bet-actions.ts'
import type { ExpectedState } from './one-bet-auditor.ts'
import type { HistoryFacts } from './one-bet-invariants.ts'
import { type OneBetState, toMoment, toRequestId } from './one-bet-model.ts'

export interface HistoryPosition {
  readonly state: OneBetState
  readonly expected: ExpectedState
  readonly facts: HistoryFacts
  readonly sent: SentRequests
  readonly requests: number
}

type MomentNumbers = (moment: number) => number

/** Equal texts mean that no later call can distinguish two positions. */
export function fingerprintPosition(position: HistoryPosition): string {
  const { state, expected, facts, sent } = position
  const moment = createMomentNumbers()
  const { record, account, live, isSpent, moved } = state
  const bet = record === undefined ? '' : `${fingerprintBet(record.bet, moment)},${record.locked}`
  let text = `${bet}|${account.balance},${live},${isSpent},${moved.player},${moved.openStakes}|${fingerprintExpected(expected, moment)}`
  text += `|${facts.stakes},${facts.isGivenUp}`
  for (const name of BET_CALL_NAMES) {
    const requests = sent[name]
    text += '|'
    if (requests === undefined) continue
    const [first, last] = requests
    text += fingerprintRequest(position, first, moment)
    if (last !== first) text += `/${fingerprintRequest(position, last, moment)}`
  }
  return text
}

/** Replaces a moment by the order of its first use. */
function createMomentNumbers(): MomentNumbers {
  const named: number[] = []
  return (number) => {
    const known = named.indexOf(number)
    return known >= 0 ? known : named.push(number) - 1
  }
}

function fingerprintBet(bet: Bet, moment: MomentNumbers): string {
  switch (bet.kind) {
    case 'unknown':
      return bet.kind
    case 'refused':
      return `${bet.kind},${bet.refusal},${moment(toMoment(bet.since))}`
    case 'cancelled':
      return `${bet.kind},${bet.placement?.stake},${moment(toMoment(bet.since))}`
    case 'open':
    case 'settled': {
      const { placement, since } = bet
      const settled = bet.kind === 'settled' ? `${bet.settlement.payout},${bet.settlement.resultType}` : ''
      return `${bet.kind},${placement.stake},${settled},${moment(toMoment(placement.placedAt))},${moment(toMoment(since))}`
    }
    default:
      return bet satisfies never
  }
}

function fingerprintExpected(expected: ExpectedState, moment: MomentNumbers): string {
  const { status, stake, payout, resultType, refusal, locked, spent, placed, since } = expected
  return `${spent},${status},${stake},${payout},${resultType},${refusal},${locked},${moment(placed)},${moment(since)}`
}

/** The knowledge of wallet, auditor and invariants about a request. */
function fingerprintRequest(
  { state: { record, seen }, expected, facts }: HistoryPosition,
  request: number,
  moment: MomentNumbers,
): string {
  const name = toRequestId(request)
  const lastResult = record?.lastResult ?? 0
  const words = new Set<string>()
  if (record?.placeRequestId === name) words.add('placed')
  for (const { requestId, became } of seen) {
    if (requestId !== name) continue
    if (became.kind === 'acknowledged') words.add(`acknowledged ${moment(toMoment(became.at))}`)
    else words.add(became.kind === 'refused' ? `${became.code} ${became.seq < lastResult}` : became.kind)
  }
  const at = expected.acknowledged.get(request)
  const [code, results = 0] = expected.refused.get(request) ?? []
  const audited = `${at === undefined ? '' : moment(at)},${code},${code !== undefined && results < expected.results}`
  const laws = `${facts.done.has(request)},${facts.refused.has(request)},${facts.passed.has(request)}`
  return `${[...words].join('+')},${audited},${laws}`
}
