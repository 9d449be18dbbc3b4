/**
 * Reconstructs the wallet's state before a recorded call: the wallet's own rules decide the earlier
 * calls again. The functions are pure.
 */

import { REPLY_CODES, type ReplyCode } from '@purser/protocol/reply-codes'
import { money, ZERO } from '@purser/protocol/values/money'
import type { Currency } from '@purser/protocol/wire-ids'
import type { WalletBetDetail, WalletCallView } from '@purser/timeline/bet-sources'
import { type Decision, type Facts, OUTCOME_BY_DECISION } from 'purser/wallet/rules/decision'
import { contentOf, isNewResult, toRecordedEffect } from 'purser/wallet/rules/replay-detection'
import { decideCall } from 'purser/wallet/rules/rule-dispatch'
import type { BetCall } from 'purser/wallet/store/bet'
import { parseBetCall } from './bet-record-parser.ts'

/** The facts about the bet. */
export type PriorFacts = Pick<Facts, 'bet' | 'placeRequestId' | 'lastResult' | 'seen'>

export const NO_PRIOR_FACTS: PriorFacts = { bet: { kind: 'unknown' }, placeRequestId: null, lastResult: 0, seen: [] }

export interface EvaluatedCall {
  readonly call: BetCall
  readonly decision: Decision
}

/**
 * Decides a recorded call on given facts; its recorded answer supplies the facts about the player.
 */
export function evaluateCall(bet: WalletBetDetail, recorded: WalletCallView, prior: PriorFacts): EvaluatedCall {
  const call = parseBetCall(bet, recorded)
  const names = Object.keys(REPLY_CODES) as ReplyCode[]
  const answer =
    recorded.outcome === 'refused' ? names.find((name) => REPLY_CODES[name].code === recorded.code) : undefined
  return { call, decision: decideCall(call, assembleFacts(prior, call, new Date(recorded.at), answer)) }
}

export function isAsRecorded({ decision }: EvaluatedCall, { outcome, code }: WalletCallView): boolean {
  if (OUTCOME_BY_DECISION[decision.kind] !== outcome) return false
  return decision.kind !== 'refuse' || REPLY_CODES[decision.code].code === code
}

/**
 * Updates the facts as the wallet does (wallet/queue/rules-path.ts). `seq` is the number of this
 * call in the bet.
 */
export function updatePriorFacts(
  prior: PriorFacts,
  { call, decision }: EvaluatedCall,
  seq: number,
  at: Date,
): PriorFacts {
  const bet = decision.kind === 'repeat' ? prior.bet : (decision.bet ?? prior.bet)
  const isPlaced = call.kind === 'place' && bet !== prior.bet
  const effect = isPlaced && decision.kind === 'apply' ? undefined : toRecordedEffect(call, seq, decision, at)
  return {
    bet,
    placeRequestId: isPlaced ? call.requestId : prior.placeRequestId,
    lastResult: isNewResult(call, decision) ? seq : prior.lastResult,
    seen: effect === undefined ? prior.seen : [...prior.seen, { ...contentOf(call), became: effect }],
  }
}

/** Minor units, enough for every bet. */
const AMPLE_BALANCE = money(10n ** 17n)
const DAY_MS = 86_400_000
/** Years. */
const MINIMUM_AGE = 18

/**
 * The other facts of the rules are not recorded but follow from the answer: a player rejected as
 * blocked was blocked.
 *
 * Without an answer the player may bet, with a live token, enough money and an unlocked result.
 */
export function assembleFacts(prior: PriorFacts, call: BetCall, now: Date, answer?: ReplyCode): Facts {
  const currency = ('currency' in call ? call.currency : undefined) ?? ('' as Currency)
  const isPoor = answer === 'not_enough_money' || answer === 'recalculation_negative'
  const little = call.kind === 'place' && call.stake > 0n ? money(call.stake - 1n) : ZERO
  const account = { player: call.player, currency, version: 0n, day: '', openingVersion: 0n }
  return {
    ...prior,
    ...{ now, locked: answer === 'recalculation_blocked', player: assumePlayer(call, now, answer) },
    rules: {
      ...{ scales: new Map([[currency, 0]]), clawback: 'refuse', sharedBets: true, minimumAge: MINIMUM_AGE },
      ...{ freebetStake: 'promotions', resettleWindowMs: null },
    },
    session: () => assumeSession(call, currency, now, answer),
    account: () => ({ ...account, balance: isPoor ? little : AMPLE_BALANCE }),
    turnover: () => ({ stakes: 0n, payouts: 0n, bets: 0 }),
  }
}

function assumeSession({ player }: BetCall, currency: Currency, now: Date, answer: ReplyCode | undefined) {
  if (answer === 'invalid_token') return undefined
  const expiresAt = new Date(now.getTime() + (answer === 'expired_token' ? -DAY_MS : DAY_MS))
  const bound = answer === 'invalid_request' ? ('another' as Currency) : currency
  return { player, currency: bound, expiresAt, endedAt: null }
}

function assumePlayer({ player }: BetCall, now: Date, answer: ReplyCode | undefined): Facts['player'] {
  return {
    ...{ id: player, status: answer === 'player_blocked' ? 'blocked' : 'active', verified: answer !== 'not_verified' },
    selfExcludedUntil: answer === 'self_excluded' ? new Date(now.getTime() + DAY_MS) : null,
    birthday: answer === 'under_age' ? now.toISOString().slice(0, 10) : null,
    limits: {
      ...(answer === 'stake_limit' && { stake: '0' }),
      ...(answer === 'loss_limit' && { loss: '0' }),
      ...(answer === 'bet_count_limit' && { betCount: 0 }),
    },
  }
}
