/**
 * Rules path for the calls that the fast path has not accepted. One transaction decides a batch:
 * lock → read → decide → write → commit.
 *
 * Invariant: a batch of N calls has the same effect as N single calls in order. Nothing is written
 * until everything is decided, and no call is answered before the commit.
 */

import type { ReplyCode } from '@purser/protocol/reply-codes'
import type { BetId, Currency, PlayerId } from '@purser/protocol/wire-ids'
import type { Clock } from '@purser/runtime/clock'
import { environment } from '@purser/runtime/environment'
import type { Db } from '../../core/database/db.ts'
import { accountKey } from '../ledger/account.ts'
import type { Transfer } from '../ledger/transfer.ts'
import { computeTurnover } from '../rules/betting-eligibility.ts'
import { type Anomaly, type Decision, type Facts, OUTCOME_BY_DECISION, type Rules } from '../rules/decision.ts'
import { contentOf, isNewResult, toRecordedEffect } from '../rules/replay-detection.ts'
import { decideCall } from '../rules/rule-dispatch.ts'
import type { Bet, BetCall } from '../store/bet.ts'
import type { CallRecord } from '../store/bet-call-store.ts'
import type { BetRecord } from '../store/bet-store.ts'
import { betItem } from '../store/wallet-changes.ts'
import { betKey, type CallBatch, loadBatch, saveBatch } from './call-batch.ts'
import { scopeToPlatform } from './platform-scoped-bet-id.ts'

/** Outcome of a call; wallet-reply.ts maps it to status, code and body. */
export type BetCallOutcome =
  | { readonly kind: 'accepted'; readonly betId: BetId; readonly at: Date }
  | { readonly kind: 'refused'; readonly code: ReplyCode; readonly detail?: string }
  /** The wallet itself failed, or the call could not start in time. */
  | { readonly kind: 'failed' }

export interface WaitingCall {
  readonly call: BetCall
  readonly bucket: number
  /** Time of `environment.monotonicNow()` after which the call must not start. */
  readonly startBefore: number
}

export interface RulesPathDeps {
  readonly transaction: Db['transaction']
  readonly clock: Clock
  readonly rules: Rules
  /** Called for each anomaly after the commit. */
  onAnomaly(anomaly: Anomaly): void
}

export async function runRulesPath(
  deps: RulesPathDeps,
  bucket: number,
  waiting: readonly WaitingCall[],
): Promise<BetCallOutcome[]> {
  const { transaction, clock, rules, onAnomaly } = deps
  const calls = waiting.map(({ call }) => call)
  const { outcomes, records } = await transaction(async (tx) => {
    const batch = await loadBatch(tx, bucket, calls, clock.now, rules.sharedBets)
    const now = environment.monotonicNow()
    const outcomes = waiting.map((waited) => (isTooLate(waited, now) ? FAILED : applyCall(batch, waited.call, rules)))
    await saveBatch(tx, batch)
    return { outcomes, records: batch.calls }
  })
  for (const { anomaly } of records) if (anomaly !== undefined) onAnomaly(anomaly)
  return outcomes
}

export const FAILED: BetCallOutcome = { kind: 'failed' }

export function isTooLate({ startBefore }: WaitingCall, now = environment.monotonicNow()): boolean {
  return now > startBefore
}

/** Decides one call on the state after earlier calls, and applies the effect for the next call. */
export function applyCall(batch: CallBatch, sent: BetCall, rules: Rules): BetCallOutcome {
  const call = scopeToPlatform(sent, batch.bets.get(betKey(sent)), rules.sharedBets)
  const key = betKey(call)
  const record = batch.bets.get(key) ?? newRecord(call, batch.now)
  const decision = decideCall(call, collectFacts(batch, call, key, record, rules))
  recordDecision(batch, call, key, record, decision)
  switch (decision.kind) {
    case 'apply':
      return { kind: 'accepted', betId: sent.betId, at: effectTime(decision.bet, batch.now) }
    case 'repeat':
      return { kind: 'accepted', betId: sent.betId, at: decision.at }
    case 'refuse':
      return { kind: 'refused', code: decision.code, ...(decision.detail && { detail: decision.detail }) }
    default:
      return decision satisfies never
  }
}

function newRecord({ player, betId, platform }: BetCall, now: Date): BetRecord {
  return {
    player,
    betId,
    platform,
    bet: { kind: 'unknown' },
    calls: 0,
    locked: false,
    firstSeenAt: now,
    stakeVersion: null,
    placeRequestId: null,
    lastResult: 0,
  }
}

function collectFacts(batch: CallBatch, call: BetCall, key: string, record: BetRecord, rules: Rules): Facts {
  const { player } = call
  return {
    bet: record.bet,
    locked: record.locked,
    placeRequestId: record.placeRequestId,
    lastResult: record.lastResult,
    rules,
    seen: batch.earlierCalls.get(key) ?? [],
    player: batch.players.get(player),
    now: batch.now,
    session: (token) => batch.sessions.get(token),
    account: (currency) => batch.book.account(player, currency),
    turnover: (currency) => computeTurnover(transfersToday(batch, player, currency)),
  }
}

/** Used only for players with limits; for the others no transfers were read. */
function transfersToday({ earlierToday, book }: CallBatch, player: PlayerId, currency: Currency): Transfer[] {
  return [...(earlierToday.get(accountKey({ player, currency })) ?? []), ...book.transfersOf(player, currency)]
}

function effectTime(bet: Bet, now: Date): Date {
  return 'since' in bet ? bet.since : now
}

function recordDecision(batch: CallBatch, call: BetCall, key: string, record: BetRecord, decision: Decision): void {
  const transfers = postTransfers(batch, call, record, decision)
  const changeItem = betItem(call, record.bet, decision, transfers)
  if (changeItem !== undefined) batch.changes.push(changeItem)
  const bet = decision.kind === 'repeat' ? record.bet : (decision.bet ?? record.bet)
  const placed = call.kind === 'place' && bet !== record.bet
  const seq = record.calls + 1
  batch.bets.set(key, {
    player: record.player,
    betId: record.betId,
    platform: record.platform,
    bet,
    calls: seq,
    locked: record.locked,
    firstSeenAt: record.firstSeenAt,
    stakeVersion: placed ? (transfers[0]?.version ?? null) : record.stakeVersion,
    placeRequestId: placed ? call.requestId : record.placeRequestId,
    lastResult: isNewResult(call, decision) ? seq : record.lastResult,
    details: placed ? call.details : record.details,
    events: placed ? call.events : record.events,
  })
  if (placed && decision.kind === 'apply') {
    recordPlacement(batch, call, seq, decision)
    return
  }
  batch.calls.push(toCallRecord(call, seq, decision, transfers, batch.now))
  if (decision.kind === 'refuse' && decision.code === 'expired_token' && 'token' in call && call.token !== undefined)
    batch.expired.add(call.token)
  recordEffect(batch, call, key, seq, decision)
}

function postTransfers(batch: CallBatch, call: BetCall, { platform }: BetRecord, decision: Decision): Transfer[] {
  if (decision.kind !== 'apply' || decision.postings.length === 0) return []
  const placement = 'placement' in decision.bet ? decision.bet.placement : undefined
  if (placement === undefined) throw new Error('a decision moves money for a bet that was never placed')
  const { player, betId, requestId } = call
  const { currency, site } = placement
  return decision.postings.map(({ kind, debit, credit, amount }) => {
    const posting = { kind, debit, credit, amount, player, currency, betId, requestId, platform, site }
    return batch.book.post(posting, batch.now)
  })
}

/**
 * The bet's row records its Place bet and the transfer; only an anomaly needs a row in the calls.
 */
function recordPlacement(batch: CallBatch, call: BetCall, seq: number, decision: Decision & { kind: 'apply' }): void {
  if (decision.anomaly !== undefined) batch.calls.push(toCallRecord(call, seq, decision, [], batch.now))
}

function toCallRecord(
  call: BetCall,
  seq: number,
  decision: Decision,
  posted: readonly Transfer[],
  now: Date,
): CallRecord {
  const transfers = posted.map(({ version }) => version)
  const base = { call, seq, outcome: OUTCOME_BY_DECISION[decision.kind], transfers }
  if (decision.kind === 'repeat') return { ...base, effectAt: decision.at }
  const anomaly = decision.anomaly && { anomaly: decision.anomaly }
  return decision.kind === 'refuse'
    ? { ...base, refusal: decision.code, ...anomaly }
    : { ...base, effectAt: effectTime(decision.bet, now), ...anomaly }
}

/** Later calls of the same batch must recognise this call (I-2, S-5). */
function recordEffect(batch: CallBatch, call: BetCall, key: string, seq: number, decision: Decision): void {
  const effect = toRecordedEffect(call, seq, decision, batch.now)
  if (effect !== undefined)
    batch.earlierCalls.set(key, [...(batch.earlierCalls.get(key) ?? []), { ...contentOf(call), became: effect }])
}
