/** Checks the body of a bet call, member by member as in interface.md. */
import { Crash, MalformedRequest } from './crash.ts'
import type { Faults } from './mutants.ts'
import type { BetOperation } from './read-call.ts'

export type Body = Readonly<Record<string, unknown>>

type Test = (value: unknown) => boolean

const text =
  (shortest = 0, longest = Number.POSITIVE_INFINITY): Test =>
  (value) =>
    typeof value === 'string' && value.length >= shortest && value.length <= longest
const number: Test = (value) => typeof value === 'number'
const integer: Test = (value) => Number.isInteger(value) && !Object.is(value, -0)
const oneOf =
  (...allowed: string[]): Test =>
  (value) =>
    allowed.some((one) => one === value)
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value)
const selections: Test = (value) => Array.isArray(value) && value.every((one) => typeof one === 'object')

/** amount.ts checks amounts, because they depend on the currency. */
const AMOUNT: Test = () => true

const NULLABLE = { bonusId: orNull(integer), bonusTemplateId: orNull(integer) }
const NULLABLE_OF_PLACE = { bonusAmount: orNull(number), subPartnerId: orNull(text()) }

const NEEDED = {
  requestId: text(10, 64),
  transactionId: text(10, 36),
  userId: text(1, 64),
}
const MONEY = { amount: AMOUNT, currency: text(3, 5) }
const DESCRIBING = {
  coefficient: number,
  gameType: oneOf('sportsbook', 'turbogames'),
  ticketType: oneOf('single', 'express'),
  boosterCoefficient: number,
  ...NULLABLE,
}
const token = text(10, 64)

interface Shape {
  readonly needed: Readonly<Record<string, Test>>
  readonly optional: Readonly<Record<string, Test>>
}

const SHAPES: Readonly<Record<BetOperation, Shape>> = {
  place: {
    needed: { ...NEEDED, ...MONEY, token },
    optional: { ...DESCRIBING, ...NULLABLE_OF_PLACE, ip: text(), info: text(), metadata: selections },
  },
  settle: {
    needed: { ...NEEDED, ...MONEY, resultType: oneOf('won', 'lost', 'refund', 'cashout') },
    optional: { ...DESCRIBING, token },
  },
  unsettle: { needed: NEEDED, optional: { ...MONEY, ...DESCRIBING, token } },
  rollback: {
    needed: { ...NEEDED, errorCode: integer },
    optional: { ...MONEY, ...DESCRIBING, bonusAmount: orNull(number), token },
  },
}

const OPERATOR_USER = /^[A-Za-z0-9._~-]{1,64}$/

/** Throws Malformed, or the error of a fault. */
export function checkShape(faults: Faults, operation: BetOperation, body: Body): void {
  const { needed, optional } = SHAPES[operation]
  breakOnFaults(faults, operation, body)
  for (const [name, test] of Object.entries(needed))
    if (!test(body[name]) && !isForgiven(faults, name, body[name])) throw new MalformedRequest(`${name} is wrong`)
  for (const [name, test] of Object.entries(optional))
    if (body[name] !== undefined && !test(body[name])) throw new MalformedRequest(`${name} is wrong`)
  checkOperatorUser(faults, body)
  if (faults.has('extra-member-refused'))
    checkNames(body, { ...needed, ...optional, type: AMOUNT, operatorUser: AMOUNT })
}

export function checkOperatorUser(faults: Faults, { operatorUser }: Body): void {
  if (operatorUser === undefined) return
  if (faults.has('operator-user-refused')) throw new MalformedRequest('operatorUser is not taken')
  const isGood = typeof operatorUser === 'string' && OPERATOR_USER.test(operatorUser)
  if (!isGood && !faults.has('operator-user-unchecked')) throw new MalformedRequest('operatorUser is wrong')
}

function checkNames(body: Body, known: object): void {
  const unknown = Object.keys(body).find((name) => !(name in known))
  if (unknown !== undefined) throw new MalformedRequest(`${unknown} is not known`)
}

/** Faults that accept a missing or wrong member. */
function isForgiven(faults: Faults, name: string, value: unknown): boolean {
  switch (name) {
    case 'transactionId':
      return typeof value === 'string' && faults.has('bet-id-length-unchecked')
    case 'requestId':
      return faults.has('request-id-not-demanded')
    case 'userId':
      return value === undefined && faults.has('user-id-from-token')
    case 'currency':
      return value === undefined && faults.has('currency-not-demanded')
    case 'resultType':
      return typeof value === 'string' && faults.has('result-type-unchecked')
    default:
      return false
  }
}

const LONG_INFO_CHARS = 1_000
const LONG_EXPRESS = 10
const MAX_COEFFICIENT = 9_999.99
const FOUR_BYTES = /[\u{10000}-\u{10ffff}]/u
/** The codes of the interface, Rollback errorCode values. */
const ROLLBACK_REASONS = [8, 9, 10, 32, 50, 52, 110, 111, 112, 113, 114, 115]

/** Faults in members that a correct wallet does not read. */
function breakOnFaults(faults: Faults, operation: BetOperation, body: Body): void {
  const { info = '', metadata, transactionId, userId, errorCode } = body
  const texts = Object.values(body).filter((value) => typeof value === 'string')
  const nullable = operation === 'place' ? { ...NULLABLE, ...NULLABLE_OF_PLACE } : NULLABLE
  const nullables = Object.keys(nullable).map((name) => body[name])
  const breaks =
    (String(info).length > LONG_INFO_CHARS && faults.has('long-info-crashes')) ||
    (texts.some((one) => /[^ -~]/.test(one)) && faults.has('unicode-crashes')) ||
    (texts.some((one) => one.includes("'")) && faults.has('quotes-crash')) ||
    (transactionId === undefined && faults.has('bet-id-absent-crashes')) ||
    (String(userId).length > 64 && faults.has('user-id-65-crashes')) ||
    (Number(body.coefficient) > MAX_COEFFICIENT && faults.has('coefficient-capped')) ||
    (FOUR_BYTES.test(JSON.stringify(metadata ?? [])) && faults.has('metadata-of-three-bytes'))
  if (breaks) throw new Crash('the store refuses it')
  const isRefused =
    (nullables.includes(null) && faults.has('null-refused')) ||
    (nullables.includes(undefined) && faults.has('nullable-demanded')) ||
    (operation === 'place' && isEmpty(metadata) && faults.has('metadata-demanded')) ||
    (isLongExpress(body) && faults.has('long-express-refused')) ||
    (isOddlyDescribed(body) && faults.has('odd-description-refused')) ||
    (body.gameType === 'turbogames' && faults.has('turbogames-refused')) ||
    (typeof body.bonusId === 'number' && faults.has('freebet-refused')) ||
    (typeof body.subPartnerId === 'string' && faults.has('sub-partner-refused')) ||
    (String(body.ip).includes(':') && faults.has('ip-v6-refused')) ||
    (operation === 'rollback' && isUnlisted(errorCode) && faults.has('error-codes-listed-only')) ||
    (operation === 'rollback' && isLimit(errorCode) && faults.has('rollback-limits-refused'))
  if (isRefused) throw new MalformedRequest('the data is not as expected')
}

export function isLongExpress({ metadata }: Body): boolean {
  return Array.isArray(metadata) && metadata.length > LONG_EXPRESS
}

function isOddlyDescribed({ coefficient, boosterCoefficient, metadata }: Body): boolean {
  return (
    [coefficient, boosterCoefficient].includes(0) || /":(?:null|0[,}]|\{)|\dT\d/.test(JSON.stringify(metadata ?? []))
  )
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0
}

function isLimit(reason: unknown): boolean {
  return typeof reason === 'number' && reason >= 110 && reason <= 115
}

function isUnlisted(reason: unknown): boolean {
  return !ROLLBACK_REASONS.some((one) => one === reason)
}
