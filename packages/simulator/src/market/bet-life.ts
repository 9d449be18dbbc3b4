/**
 * The possible effects of a call on a bet, one for each answer that decisions.md permits.
 *
 * The only sources in decisions.md are "The life of a bet", I-2, I-3, I-5, L-1 to L-4, P-1, P-4 and
 * The functions are pure.
 */

import { OPERATIONS } from '@purser/protocol/operation'
import { type ReplyCode, replyCode, replyCodes } from '@purser/protocol/reply-codes'
import { parseCents } from './oracle/market-money.ts'
import type { TokenState } from './oracle/token-oracle.ts'
import type { MoneyRules } from './scenario.ts'

export interface ObservedCall {
  readonly kind: 'place' | 'settle' | 'unsettle' | 'rollback'
  readonly requestId: string
  /** As on the wire; '' if the operation ignores it. */
  readonly amount: string
  readonly resultType: string
  readonly token?: string
  /** A Place bet with a bonus id above 0 (D-1). */
  readonly hasBonus?: boolean
}

/** 200, or the code of a refusal. */
export type CallVerdict = number

export interface BetLife {
  readonly status: 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'
  /** Empty if the bet was never placed. */
  readonly stake: string
  /** The promotions account pays the stake (M-4). */
  readonly isFunded: boolean
  readonly payout: string
  readonly resultType: string
  readonly refusal: number
  /** The last call that took effect. */
  readonly by: string
  readonly acknowledged: readonly string[]
  /**
   * Results refused with 20 or 21, each with its code. `refused` has those since the last
   * acknowledged result, `passed` the earlier ones, which stay refused (I-2).
   */
  readonly refused: readonly string[]
  readonly passed: readonly string[]
}

export const NEW_BET_LIFE: BetLife = {
  ...{ status: 'nothing', stake: '', isFunded: false, payout: '0', resultType: '', refusal: 0, by: '' },
  ...{ acknowledged: [], refused: [], passed: [] },
}

/** A call without an answer, with the state that applies to it. */
export interface PendingCall extends ObservedCall {
  tokenIs: TokenState
  /** The bet was locked before the call arrived, and still is. */
  isLocked: boolean
  /** `surely`: blocked since before the call arrived. `maybe`: only for a part of the time. */
  block: 'no' | 'maybe' | 'surely'
  readonly isLimited: boolean
  readonly rules: MoneyRules
}

export type NextLife = readonly [life: BetLife, verdict: CallVerdict]

const BLOCKED = replyCode('recalculation_blocked')
const SHORT = replyCode('recalculation_negative')

/** The codes that a token can cause. If `isOver` is true, the answer must be one among these. */
const TOKEN_ANSWERS: Readonly<Record<TokenState, { readonly codes: readonly number[]; readonly isOver: boolean }>> = {
  live: { codes: [], isOver: false },
  'may have ended': { codes: replyCodes('expired_token'), isOver: false },
  ended: { codes: replyCodes('expired_token'), isOver: true },
  unknown: { codes: replyCodes('invalid_token'), isOver: true },
  absent: { codes: replyCodes('invalid_request'), isOver: true },
  'not reported': { codes: replyCodes('invalid_token', 'expired_token'), isOver: false },
}

/** User data checks only its token (P-1). */
export function answersByToken(token: TokenState): readonly CallVerdict[] {
  const { codes, isOver } = TOKEN_ANSWERS[token]
  return isOver ? codes : [200, ...codes]
}

export function formatObservedCallName({ kind, requestId }: Pick<ObservedCall, 'kind' | 'requestId'>): string {
  return `${kind} ${requestId}`
}

export function nextLives(life: BetLife, call: PendingCall): NextLife[] {
  if (call.kind === 'place') return livesAfterPlace(life, call)
  if (call.kind === 'rollback') return livesAfterRollback(life, call)
  return livesAfterResult(life, call)
}

function livesAfterPlace(life: BetLife, call: PendingCall): NextLife[] {
  switch (life.status) {
    case 'nothing':
      return livesAfterFirstPlace(life, call)
    case 'refused':
      return [[life, life.refusal]]
    case 'cancelled':
      return [[life, replyCode('already_processed')]]
    default:
      return [[life, life.stake === call.amount ? 200 : replyCode('already_processed')]]
  }
}

/** The checks have a fixed order: the token, the player, the money. */
function livesAfterFirstPlace(life: BetLife, call: PendingCall): NextLife[] {
  const { amount, tokenIs: token, block, isLimited } = call
  const refusedWith = (name: ReplyCode): NextLife => [
    { ...life, status: 'refused', refusal: replyCode(name) },
    replyCode(name),
  ]
  const ofToken = TOKEN_ANSWERS[token].codes.map((code): NextLife => [life, code])
  if (TOKEN_ANSWERS[token].isOver) return ofToken
  if (block === 'surely') return [...ofToken, refusedWith('player_blocked')]
  const isFunded = call.hasBonus === true && call.rules.freebetStake === 'promotions'
  const limits = isLimited ? (['stake_limit', 'bet_count_limit'] as const).map(refusedWith) : []
  return [
    [{ ...life, status: 'open', stake: amount, isFunded, by: formatObservedCallName(call) }, 200],
    ...(isFunded ? [] : [refusedWith('not_enough_money')]),
    ...ofToken,
    ...limits,
    ...(block === 'maybe' ? [refusedWith('player_blocked')] : []),
  ]
}

function livesAfterRollback(life: BetLife, call: PendingCall): NextLife[] {
  if (life.status === 'settled') return [[life, replyCode('already_processed')]]
  if (life.status === 'refused' || life.status === 'cancelled') return [[life, 200]]
  return [[{ ...life, status: 'cancelled', by: formatObservedCallName(call) }, 200]]
}

function livesAfterResult(life: BetLife, call: PendingCall): NextLife[] {
  const name = `${formatObservedCallName(call)} ${call.amount} ${call.resultType}`
  if (life.status === 'nothing' || life.status === 'refused') return [[life, replyCode('invalid_request')]]
  if (life.acknowledged.includes(name)) return [[life, 200]]
  const passed = findCode(life.passed, name)
  if (passed !== undefined) return [[life, passed]]
  const refusedWith = (code: number): NextLife => [withRefusal(life, name, code), code]
  if (life.status === 'cancelled') return [refusedWith(BLOCKED)]
  const nextLife = { ...withPassedRefusals(life, name), ...toResult(life, call) }
  if (isSameResult(life, call)) return [[nextLife, 200]]
  const { codes, isOver } = TOKEN_ANSWERS[call.resultType === 'cashout' ? call.tokenIs : 'live']
  const ofToken = codes.map((code): NextLife => [life, code])
  if (isOver) return ofToken
  if (life.status !== 'settled') return [[nextLife, 200], ...ofToken]
  const mayLack = call.rules.clawback === 'refuse' && computeMoved(nextLife) < computeMoved(life)
  const judged: NextLife[] = [[nextLife, 200], ...(mayLack ? [refusedWith(SHORT)] : [])]
  return [...(call.isLocked ? [] : judged), ...ofToken, refusedWith(BLOCKED)]
}

/**
 * The player's total from the bet after this result; undefined if the result takes nothing back.
 */
export function computeLoweredResult(life: BetLife, call: ObservedCall): bigint | undefined {
  if (life.status !== 'settled') return undefined
  const nextLife = computeMoved({ ...life, ...toResult(life, call) })
  return nextLife < computeMoved(life) ? nextLife : undefined
}

/** The first refusal of a result stays. */
function withRefusal(life: BetLife, name: string, code: number): BetLife {
  return findCode(life.refused, name) === undefined
    ? { ...life, refused: withName(life.refused, `${name} ${code}`) }
    : life
}

function findCode(refused: readonly string[], name: string): number | undefined {
  const found = refused.find((one) => one.startsWith(`${name} `))
  return found === undefined ? undefined : Number.parseInt(found.slice(name.length), 10)
}

/** A newer acknowledged result makes the earlier refusals permanent. */
function withPassedRefusals(life: BetLife, name: string): BetLife {
  const passed = life.refused.filter((one) => !one.startsWith(`${name} `)).reduce(withName, life.passed)
  return { ...life, acknowledged: withName(life.acknowledged, name), passed, refused: [] }
}

/** A result with the same amount and type changes nothing (L-1). */
function isSameResult(life: BetLife, { kind, amount, resultType }: ObservedCall): boolean {
  if (kind === 'unsettle') return life.status === 'open'
  return life.status === 'settled' && life.payout === amount && life.resultType === resultType
}

function toResult(life: BetLife, call: ObservedCall): Partial<BetLife> {
  const by = isSameResult(life, call) ? life.by : formatObservedCallName(call)
  return call.kind === 'settle'
    ? { status: 'settled', payout: call.amount, resultType: call.resultType, by }
    : { status: 'open', payout: '0', resultType: '', by }
}

function withName(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name].sort()
}

/**
 * The player's total from the bet. Promotions pay the stake of a freebet and get its refund (M-4).
 */
export function computeMoved({ status, stake, payout, isFunded, resultType }: BetLife): bigint {
  if (status !== 'open' && status !== 'settled') return 0n
  const staked = isFunded ? 0n : parseCents(stake)
  const isRefunded = isFunded && resultType === 'refund'
  return (status === 'settled' && !isRefunded ? parseCents(payout) : 0n) - staked
}

/**
 * The answer of Check, and the call whose time it shows (P-4). Undefined for an unknown bet and for
 * a tombstone (W-7).
 */
export function toCheckAnswer({ status, stake, payout, by }: BetLife) {
  const isTombstone = status === 'cancelled' && stake === ''
  if (status === 'nothing' || status === 'refused' || isTombstone) return undefined
  const type = { open: OPERATIONS.place.type, settled: OPERATIONS.settle.type, cancelled: OPERATIONS.rollback.type }
  return { type: type[status], cents: parseCents(status === 'settled' ? payout : stake), by }
}
