/** Converts received bytes to a call: first JSON and shape, then method and type. */
import { parse } from 'lossless-json'
import { Digits, decimalsOf, unitsOf } from './amount.ts'
import { Crash, MalformedRequest } from './crash.ts'
import type { Faults } from './mutants.ts'
import { type Body, checkShape } from './shape.ts'
import { findSession, type Wallet } from './state.ts'

export type BetOperation = 'place' | 'settle' | 'unsettle' | 'rollback'

export interface BetCall {
  readonly operation: BetOperation
  readonly requestId: string
  readonly transactionId: string
  readonly userId: string
  readonly token: string | undefined
  /** From the request; a rollback and an unsettlement need none. */
  readonly currency: string | undefined
  /** Minor units: stake, payout, or the unused amount of a rollback or unsettlement (I-4). */
  readonly amount: bigint | undefined
  readonly resultType: string | undefined
  readonly hasBonus: boolean
}

/** Throws Malformed unless the bytes are a JSON object. Amounts keep their digits. */
export function readBody(faults: Faults, bytes: Buffer): Body {
  if (bytes.length === 0 && faults.has('empty-body-crashes')) throw new Crash('there is no body')
  const body = parseJson(faults, bytes.toString('utf8'))
  if (Array.isArray(body) && faults.has('array-body-crashes')) throw new Crash('the body is a list')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new MalformedRequest('the body is no object')
  return body as Body
}

function parseJson(faults: Faults, text: string): unknown {
  try {
    JSON.parse(text) // lossless-json accepts more than JSON
    return parse(text, keepAmounts, (written) => new Digits(written))
  } catch {
    if (text !== '' && faults.has('malformed-json-crashes')) throw new Crash('the body is no JSON')
    throw new MalformedRequest('the body is no JSON')
  }
}

function keepAmounts(name: string, value: unknown): unknown {
  return value instanceof Digits && name !== 'amount' ? Number(value.written) : value
}

/** Undefined for a pair of method and type that the interface does not have. */
export function operationOf(faults: Faults, method: string, type: unknown): BetOperation | undefined {
  const isPost = method === 'POST'
  switch (typeRead(faults, isPost, type)) {
    case 1:
      return isPost || faults.has('put-type-1-places') ? 'place' : 'unsettle'
    case 2:
      return !isPost || faults.has('post-type-2-settles') ? 'settle' : undefined
    case 3:
      return !isPost || faults.has('post-type-3-rolls-back') ? 'rollback' : undefined
    default:
      return undefined
  }
}

function typeRead(faults: Faults, isPost: boolean, type: unknown): unknown {
  if (typeof type === 'string' && faults.has('type-as-text-accepted')) return Number(type)
  if ((type === undefined || type === null) && faults.has('type-absent-accepted')) return isPost ? 1 : 2
  return type
}

export function readBetCall(wallet: Wallet, operation: BetOperation, body: Body): BetCall {
  const { faults } = wallet
  checkShape(faults, operation, body)
  const session = findSession(wallet, textOf(body.token))
  const currency = textOf(body.currency) ?? (operation === 'place' ? session?.currency : undefined)
  const call = {
    operation,
    requestId: textOf(body.requestId) ?? '',
    transactionId: textOf(body.transactionId) ?? '',
    userId: userIdOf(wallet, body) ?? session?.userId ?? '',
    token: textOf(body.token),
    resultType: textOf(body.resultType),
    hasBonus: isBonus(body.bonusId),
  }
  if (call.resultType === 'cashout' && call.token === undefined && !faults.has('cashout-without-token'))
    throw new MalformedRequest('a cashout needs a token') // a missing token of a cashout is code 5 (L-4)
  const amount = amountOf(faults, operation, body, currency)
  if (operation === 'place') checkStake(faults, amount, body.bonusId)
  const isUnknown = currency !== undefined && decimalsFor(faults, currency) === undefined
  return { ...call, amount, currency: isUnknown ? session?.currency : currency }
}

function userIdOf({ faults, players }: Wallet, { userId }: Body): string | undefined {
  const given = textOf(userId)
  if (given === undefined || !faults.has('user-id-in-part')) return given
  return [...players.keys()].find((known) => known.startsWith(given) || given.startsWith(known)) ?? given
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function amountOf(
  faults: Faults,
  operation: BetOperation,
  { amount }: Body,
  currency: string | undefined,
): bigint | undefined {
  if (currency !== undefined && decimalsFor(faults, currency) === undefined && !isTakenForOwn(faults, operation))
    throw new MalformedRequest('the currency is not known')
  if (amount === undefined && (operation === 'rollback' || operation === 'unsettle')) return undefined
  if (amount === undefined && operation === 'settle' && faults.has('amount-absent-is-zero')) return 0n
  const units = unitsOf(faults, operation === 'settle' ? payoutOf(amount) : amount, decimalsFor(faults, currency) ?? 2)
  // an unused amount is never rejected (W-21)
  const isUnused = operation === 'rollback' || operation === 'unsettle'
  if (units === undefined && !isUnused) throw new MalformedRequest('the amount is none of this currency')
  return units
}

/** A payout of -0 is 0 (D-3). */
function payoutOf(amount: unknown): unknown {
  return amount instanceof Digits && /^-0(\.0*)?$/.test(amount.written) ? new Digits('0') : amount
}

function decimalsFor(faults: Faults, currency: string | undefined): number | undefined {
  return currency === undefined ? undefined : decimalsOf(faults, currency)
}

function isTakenForOwn(faults: Faults, operation: BetOperation): boolean {
  return operation === 'place' && faults.has('unknown-currency-accepted')
}

/** A stake of 0 needs a bonus (M-3). */
function checkStake(faults: Faults, stake: bigint | undefined, bonusId: unknown): void {
  if (stake === 0n && !isBonus(bonusId) && !faults.has('zero-stake-accepted'))
    throw new MalformedRequest('the stake is 0')
}

/** An id of 0 or below means no bonus (D-1). */
function isBonus(bonusId: unknown): boolean {
  return typeof bonusId === 'number' && bonusId > 0
}
