/**
 * Texts that describe the first fault of a call, for a reply with code 5.
 *
 * A text names the member, the cause and the permitted values. A wrong value is described by its
 * type, because a text could be a token or very long. Only digits are repeated.
 */

import { OPERATIONS } from './operation.ts'
import { MalformedCall } from './request-body.ts'
import { getWrittenNumber, isObject } from './values/exact-json.ts'
import { formatMoney, isExactNumber, isNegativeZero, isWireAmount, MAX_AMOUNT, money } from './values/money.ts'
import { LIMITS } from './wire-limits.ts'

const between = ({ minLength, maxLength }: { minLength: number; maxLength: number }) =>
  `a text of ${minLength} to ${maxLength} characters`

/** The permitted values of each deciding member. */
const ALLOWED: Readonly<Record<string, string>> = {
  requestId: between(LIMITS.requestId),
  transactionId: between(LIMITS.transactionId),
  userId: between(LIMITS.userId),
  token: between(LIMITS.token),
  operatorUser: 'a text of 1 to 64 letters, digits and . _ ~ -',
  amount: `a number of 0 or more with at most ${LIMITS.amountDigits} significant digits`,
  currency: 'a currency code of 3 to 5 characters',
  type: '1, 2 or 3',
  bonusId: `an integer within ±${Number.MAX_SAFE_INTEGER}, or null`,
  errorCode: 'an integer of 32 bits',
  resultType: "'won', 'lost', 'refund' or 'cashout'",
}

interface SchemaFault {
  readonly keyword: string
  readonly instancePath: string
  readonly params: object
}

export interface Validator<T> {
  Check(value: unknown): value is T
  Errors(value: unknown): SchemaFault[]
}

/** Throws MalformedCall. */
export function requireShape<T extends object>(validator: Validator<T>, request: object): asserts request is T {
  if (validator.Check(request)) return
  const [fault] = validator.Errors(request)
  throw new MalformedCall(fault === undefined ? 'the body is malformed' : describeSchemaFault(fault, request))
}

/** The only condition in these schemas is the token of a cashout (L-4). */
function describeSchemaFault({ keyword, instancePath, params }: SchemaFault, request: object): string {
  if (keyword === 'if') return describeMemberFault('token', request, ' of a cashout')
  const [missing] = (params as { requiredProperties?: string[] }).requiredProperties ?? []
  return describeMemberFault(missing ?? instancePath.slice(1), request)
}

/**
 * Example: `amount is a text of 3 characters; it must be a number …`. `qualifier` follows the name.
 */
export function describeMemberFault(member: string, request: object, qualifier = ''): string {
  const value = Object.hasOwn(request, member) ? (request as Record<string, unknown>)[member] : undefined
  return `${member}${qualifier} ${describeCause(value)}; it must be ${ALLOWED[member] ?? 'of another type'}`
}

/** Characters of a wrong number that the text repeats. */
const MAX_DIGITS = 40

function describeCause(value: unknown): string {
  const written = typeof value === 'number' ? String(value) : getWrittenNumber(value)
  if (written !== undefined) return describeNumber(written)
  if (value === undefined) return 'is missing'
  if (value === null || typeof value === 'boolean') return `is ${value}`
  if (typeof value === 'string') return `is a text of ${value.length} characters`
  return isObject(value) ? 'is an object' : 'is a list'
}

function describeNumber(written: string): string {
  const shown = written.length > MAX_DIGITS ? `${written.slice(0, MAX_DIGITS)}…` : written
  if (isNegativeZero(written)) return `${shown} is a negative zero`
  if (isExactNumber(written)) return `is ${shown}`
  return `${shown} has ${/e/i.test(written) ? 'too large an exponent or ' : ''}more than ${LIMITS.amountDigits} significant digits`
}

const listTypes = (method: string) => [
  ...new Set(
    Object.values(OPERATIONS).flatMap((operation) =>
      'type' in operation && operation.method === method ? [operation.type] : [],
    ),
  ),
]

/** For a `type` that the method does not have. */
export function describeTypeFault(method: string, request: object): string {
  const types = listTypes(method).sort().join(', ')
  return `${describeMemberFault('type', request).split(';')[0]}; a ${method} must have one of: ${types}`
}

/** For an amount that the currency cannot represent (M-2). `scale`: decimals of the currency. */
export function describeAmountFault(amount: number, currency: string, scale: number): string {
  if (!isWireAmount(amount)) return describeMemberFault('amount', { amount })
  const written = String(amount)
  const [, fraction = ''] = written.split('.')
  if (written.includes('e-') || (!written.includes('e') && fraction.length > scale))
    return `amount ${written} has more decimals than ${currency}; it must have ${scale} at most`
  return `amount ${written} is too large; it must be at most ${formatMoney(money(MAX_AMOUNT), scale)} ${currency}`
}
