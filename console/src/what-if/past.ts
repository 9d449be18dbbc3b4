/** What the wallet knew when a call came: the calls before it, put through the wallet's own rules. Pure. */
import { REPLY_CODES, type ReplyCode } from '../../../src/protocol/codes.ts'
import type { Currency } from '../../../src/protocol/ids.ts'
import { money, ZERO } from '../../../src/protocol/money.ts'
import type { WalletBet, WalletCall } from '../../../src/timeline/sources.ts'
import { decide } from '../../../src/wallet/decide/decide.ts'
import { type Decision, type Facts, OUTCOMES } from '../../../src/wallet/decide/decision.ts'
import { becameOf, contentOf, isNewResult } from '../../../src/wallet/decide/seen.ts'
import type { BetCall } from '../../../src/wallet/store/bet.ts'
import { callOf } from './read.ts'

/** What is known of the bet beside the call. */
export type Past = Pick<Facts, 'bet' | 'placeRequestId' | 'lastResult' | 'seen'>

export const NO_PAST: Past = { bet: { kind: 'unknown' }, placeRequestId: null, lastResult: 0, seen: [] }

export interface Judged {
  readonly call: BetCall
  readonly decision: Decision
}

/** A call of the record, judged on a past, with what its own answer says about the player. */
export function judge(bet: WalletBet, told: WalletCall, past: Past): Judged {
  const call = callOf(bet, told)
  const names = Object.keys(REPLY_CODES) as ReplyCode[]
  const answer = told.outcome === 'refused' ? names.find((name) => REPLY_CODES[name].code === told.code) : undefined
  return { call, decision: decide(call, factsFor(past, call, new Date(told.at), answer)) }
}

export function isAsRecorded({ decision }: Judged, { outcome, code }: WalletCall): boolean {
  if (OUTCOMES[decision.kind] !== outcome) return false
  return decision.kind !== 'refuse' || REPLY_CODES[decision.code].code === code
}

/** As the wallet keeps it (wallet/apply/judge.ts): what the next call finds. This one was number `seq` of its bet. */
export function pastAfter(past: Past, { call, decision }: Judged, seq: number, at: Date): Past {
  const bet = decision.kind === 'repeat' ? past.bet : (decision.bet ?? past.bet)
  const isPlaced = call.kind === 'place' && bet !== past.bet
  const became = isPlaced && decision.kind === 'apply' ? undefined : becameOf(call, seq, decision, at)
  return {
    bet,
    placeRequestId: isPlaced ? call.requestId : past.placeRequestId,
    lastResult: isNewResult(call, decision) ? seq : past.lastResult,
    seen: became === undefined ? past.seen : [...past.seen, { ...contentOf(call), became }],
  }
}

/** Minor units: for every bet. */
const ENOUGH = money(10n ** 17n)
const DAY_MS = 86_400_000
/** Years. */
const MINIMUM_AGE = 18

/**
 * What the rules look at beside the bet. The record does not keep it, but the answer says it: who was refused as blocked was blocked. Without
 * an answer it is a player who may bet, with a live token and enough money, and a result that nobody has locked.
 */
export function factsFor(past: Past, call: BetCall, now: Date, answer?: ReplyCode): Facts {
  const currency = ('currency' in call ? call.currency : undefined) ?? ('' as Currency)
  const isPoor = answer === 'not_enough_money' || answer === 'recalculation_negative'
  const little = call.kind === 'place' && call.stake > 0n ? money(call.stake - 1n) : ZERO
  const account = { player: call.player, currency, version: 0n, day: '', openingVersion: 0n }
  return {
    ...past,
    ...{ now, locked: answer === 'recalculation_blocked', player: playerFor(call, now, answer) },
    rules: {
      ...{ scales: new Map([[currency, 0]]), clawback: 'refuse', sharedBets: true, minimumAge: MINIMUM_AGE },
      ...{ freebetStake: 'promotions', resettleWindowMs: null },
    },
    session: () => sessionFor(call, currency, now, answer),
    account: () => ({ ...account, balance: isPoor ? little : ENOUGH }),
    turnover: () => ({ stakes: 0n, payouts: 0n, bets: 0 }),
  }
}

function sessionFor({ player }: BetCall, currency: Currency, now: Date, answer: ReplyCode | undefined) {
  if (answer === 'invalid_token') return undefined
  const expiresAt = new Date(now.getTime() + (answer === 'expired_token' ? -DAY_MS : DAY_MS))
  const bound = answer === 'invalid_request' ? ('another' as Currency) : currency
  return { player, currency: bound, expiresAt, endedAt: null }
}

function playerFor({ player }: BetCall, now: Date, answer: ReplyCode | undefined): Facts['player'] {
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
