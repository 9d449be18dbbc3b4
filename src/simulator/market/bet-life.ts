/**
 * What may become of a bet by a call about it: written from decisions.md (the bet's life, I-2, I-3, I-5, L-1 to L-4, P-1, P-4, R-6) and from
 * nothing else. Each answer that the decisions allow is one possibility. Pure.
 */

import { OPERATIONS } from '../../protocol/operation.ts'
import { type ReplyCode, replyCode, replyCodes } from '../../protocol/reply-codes.ts'
import { parseCents } from './oracle/market-money.ts'
import type { TokenState } from './oracle/token-oracle.ts'
import type { MoneyRules } from './scenario.ts'

export interface ObservedCall {
  readonly kind: 'place' | 'settle' | 'unsettle' | 'rollback'
  readonly requestId: string
  /** As on the wire; '' where it does not count. */
  readonly amount: string
  readonly resultType: string
  readonly token?: string
  /** A Place bet's, above 0 (D-1). */
  readonly hasBonus?: boolean
}

/** 200, or the code of a refusal. */
export type CallVerdict = number

export interface BetLife {
  readonly status: 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'
  /** Empty of a bet that was never placed. */
  readonly stake: string
  /** Promotions pay its stake (M-4). */
  readonly isFunded: boolean
  readonly payout: string
  readonly resultType: string
  readonly refusal: number
  /** The call that took effect last. */
  readonly by: string
  /** Results answered 200. */
  readonly acknowledged: readonly string[]
  /** Results refused with 20 or 21 since when no other one was acknowledged, and those that another one has passed (I-2), each with its code. */
  readonly refused: readonly string[]
  readonly passed: readonly string[]
}

export const NEW_BET_LIFE: BetLife = {
  ...{ status: 'nothing', stake: '', isFunded: false, payout: '0', resultType: '', refusal: 0, by: '' },
  ...{ acknowledged: [], refused: [], passed: [] },
}

/** A call that may still take effect, and what it must meet. */
export interface PendingCall extends ObservedCall {
  tokenIs: TokenState
  /** Its bet was locked before it came, and is. */
  isLocked: boolean
  /** Its player is blocked: surely, since before it came; or at some time since. */
  block: 'no' | 'maybe' | 'surely'
  readonly isLimited: boolean
  readonly rules: MoneyRules
}

export type NextLife = readonly [life: BetLife, verdict: CallVerdict]

const BLOCKED = replyCode('recalculation_blocked')
const SHORT = replyCode('recalculation_negative')

/** What a token may be answered, and whether it must be one of these. */
const TOKEN_ANSWERS: Readonly<Record<TokenState, { readonly codes: readonly number[]; readonly isOver: boolean }>> = {
  live: { codes: [], isOver: false },
  'may have ended': { codes: replyCodes('expired_token'), isOver: false },
  ended: { codes: replyCodes('expired_token'), isOver: true },
  unknown: { codes: replyCodes('invalid_token'), isOver: true },
  absent: { codes: replyCodes('invalid_request'), isOver: true },
  'not heard of': { codes: replyCodes('invalid_token', 'expired_token'), isOver: false },
}

/** The answers of a call that looks at nothing but its token: User data (P-1). */
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

/** In the order of R-6: what is wrong with the token, with the player, with the money. */
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

/** What a result would have brought the player in all: undefined where it takes nothing back. */
export function computeLoweredResult(life: BetLife, call: ObservedCall): bigint | undefined {
  if (life.status !== 'settled') return undefined
  const nextLife = computeMoved({ ...life, ...toResult(life, call) })
  return nextLife < computeMoved(life) ? nextLife : undefined
}

/** It stays refused as it was first. */
function withRefusal(life: BetLife, name: string, code: number): BetLife {
  return findCode(life.refused, name) === undefined
    ? { ...life, refused: withName(life.refused, `${name} ${code}`) }
    : life
}

function findCode(refused: readonly string[], name: string): number | undefined {
  const found = refused.find((one) => one.startsWith(`${name} `))
  return found === undefined ? undefined : Number.parseInt(found.slice(name.length), 10)
}

/** What was refused so far has been passed. */
function withPassedRefusals(life: BetLife, name: string): BetLife {
  const passed = life.refused.filter((one) => !one.startsWith(`${name} `)).reduce(withName, life.passed)
  return { ...life, acknowledged: withName(life.acknowledged, name), passed, refused: [] }
}

/** L-1: one with the same changes nothing. */
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

/** What it has brought its player: promotions pay the stake of a bet that they fund, and get what is refunded (M-4). */
export function computeMoved({ status, stake, payout, isFunded, resultType }: BetLife): bigint {
  if (status !== 'open' && status !== 'settled') return 0n
  const staked = isFunded ? 0n : parseCents(stake)
  const isRefunded = isFunded && resultType === 'refund'
  return (status === 'settled' && !isRefunded ? parseCents(payout) : 0n) - staked
}

/** P-4: what Check says of it, and the call whose time it tells; undefined: it is not known (W-7). */
export function toCheckAnswer({ status, stake, payout, by }: BetLife) {
  const isTombstone = status === 'cancelled' && stake === ''
  if (status === 'nothing' || status === 'refused' || isTombstone) return undefined
  const type = { open: OPERATIONS.place.type, settled: OPERATIONS.settle.type, cancelled: OPERATIONS.rollback.type }
  return { type: type[status], cents: parseCents(status === 'settled' ? payout : stake), by }
}
