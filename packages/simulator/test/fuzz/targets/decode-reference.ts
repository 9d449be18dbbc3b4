/**
 * The reference for decoding: it computes the expected result for the bytes of a call, from
 * interface.md and decisions.md.
 *
 * The decisions are, M-1 to M-3, I-1, I-4, I-7, S-5, W-3 and W-21.
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import {
  exactOf,
  isHeld,
  type JsonNode,
  type JsonObjectNode,
  lastOf,
  readJsonNode,
  unitsOf,
  withoutMark,
  withoutTrailingZeros,
} from '../lossless.ts'

export type ExpectedFields = Readonly<Record<string, string | number | bigint | boolean | undefined>>

export interface RequestKind {
  readonly method: string
  readonly endpoint: 'bet' | 'profile' | 'balance' | 'check'
  readonly isAggregator: boolean
}

/** A refusal with code 5. */
class No extends Error {}

function must(holds: boolean): asserts holds {
  if (!holds) throw new No()
}

/** Undefined for a refusal. */
export function expectedOf(
  asked: RequestKind,
  body: Buffer,
  scales: ReadonlyMap<string, number>,
): ExpectedFields | undefined {
  try {
    must(isUtf8(body))
    const tree = readJsonNode(withoutMark(body.toString('utf8')))
    must(tree?.kind === 'object')
    const of = (name: string) => lastOf(tree, name)
    return asked.endpoint === 'bet' ? ofBet(asked, tree, scales) : ofQuestion(asked.endpoint, of)
  } catch (error) {
    if (error instanceof No) return undefined
    throw error
  }
}

const NONE = [0, 0] as const

type Of = (name: string) => JsonNode | undefined

function ofQuestion(endpoint: 'profile' | 'balance' | 'check', of: Of): ExpectedFields {
  must(of('type') === undefined) // a body with a `type` is a bet call (S-5)
  const operatorUser = operatorUserOf(of)
  const lengths: Readonly<Record<string, readonly [number, number]>> = {
    token: [10, 64],
    requestId: [10, 64],
    userId: [1, 64],
    transactionId: [10, 36],
  }
  const names = {
    profile: ['token', 'requestId'],
    balance: ['token', 'requestId', 'userId'],
    check: ['transactionId', 'userId'],
  } as const
  const read = names[endpoint].map((name) => [name, idOf(of(name), ...(lengths[name] ?? NONE))])
  if (endpoint === 'balance') {
    const currency = of('currency')
    must(currency?.kind === 'string' && [...currency.value].length >= 3 && [...currency.value].length <= 5)
  }
  return { ...Object.fromEntries(read), operatorUser }
}

const TYPES: Readonly<Record<string, string>> = {
  'POST 1': 'place',
  'PUT 1': 'unsettle',
  'PUT 2': 'settle',
  'PUT 3': 'rollback',
}

function ofBet(
  { method, isAggregator }: RequestKind,
  tree: JsonObjectNode,
  scales: ReadonlyMap<string, number>,
): ExpectedFields {
  const of = (name: string) => lastOf(tree, name)
  const type = of('type')
  must(type?.kind === 'number' && isHeld(type.written))
  const kind = TYPES[`${method} ${Number(type.written)}`]
  must(kind !== undefined)
  const operatorUser = operatorUserOf(of)
  const identity = {
    kind,
    platform: '',
    requestId: idOf(of('requestId'), 10, 64),
    betId: idOf(of('transactionId'), 10, 36),
    player: [idOf(of('userId'), 1, 64)].map((own) => (isAggregator && operatorUser) || own)[0],
  }
  switch (kind) {
    case 'place':
      return { ...identity, ...ofPlace(of, scales) }
    case 'settle':
      return { ...identity, ...ofSettle(of, scales) }
    default:
      return { ...identity, ...ofCorrection(kind, of, scales) }
  }
}

function ofPlace(of: Of, scales: ReadonlyMap<string, number>): ExpectedFields {
  const token = hashed(idOf(of('token'), 10, 64))
  const { currency, units } = moneyOf(of, scales)
  const bonusId = of('bonusId')
  must(isAbsentOrNull(bonusId) || isSafeInteger(bonusId))
  // An id of 0 or below is no bonus (D-1).
  const hasBonus = bonusId?.kind === 'number' && !bonusId.written.startsWith('-') && Number(bonusId.written) !== 0
  must(units !== 0n || hasBonus) // only a bet with a bonus may have a stake of 0 (M-3)
  const sub = of('subPartnerId')
  const text = sub?.kind === 'string' ? sub.value : isAbsentOrNull(sub) ? '' : undefined
  const site = text === undefined ? {} : { site: [...text.slice(0, 64)].map(storedAs).join('') }
  return { token, currency, stake: units, hasBonus, ...site }
}

/** Postgres does not store these characters in a text. */
const storedAs = (character: string) => (character === '\u0000' || /^\p{Cs}$/u.test(character) ? '\ufffd' : character)

function ofSettle(of: Of, scales: ReadonlyMap<string, number>): ExpectedFields {
  const result = of('resultType')
  must(result?.kind === 'string' && ['won', 'lost', 'refund', 'cashout'].includes(result.value))
  // Only a cashout checks its token (L-4).
  const token = result.value === 'cashout' ? hashed(idOf(of('token'), 10, 64)) : undefined
  const { currency, units } = moneyOf(of, scales, isPayout)
  return { currency, payout: units, resultType: result.value, token }
}

function ofCorrection(kind: string, of: Of, scales: ReadonlyMap<string, number>): ExpectedFields {
  const [code, currency, amount] = [of('errorCode'), of('currency'), of('amount')]
  const reason = kind === 'rollback' ? int32Of(code) : undefined
  if (currency === undefined) return { reason }
  must(currency.kind === 'string')
  const scale = scales.get(currency.value)
  must(scale !== undefined)
  const isExact = amount?.kind === 'number' && isPayout(amount.written)
  return { reason, currency: currency.value, amount: isExact ? unitsOf(unsigned(amount.written), scale) : undefined }
}

function moneyOf(of: Of, scales: ReadonlyMap<string, number>, isGood = isAmount) {
  const [amount, currency] = [of('amount'), of('currency')]
  must(currency?.kind === 'string' && amount?.kind === 'number' && isGood(amount.written))
  const scale = scales.get(currency.value)
  must(scale !== undefined)
  const units = unitsOf(unsigned(amount.written), scale)
  must(units !== undefined)
  return { currency: currency.value, units }
}

function hashed(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/**
 * JSON Schema counts characters. A stored id is measured in UTF-16 too, without NUL and half pairs
 * (I-7).
 */
function idOf(node: JsonNode | undefined, least: number, most: number): string {
  must(node?.kind === 'string')
  const { value } = node
  must([...value].length >= least && value.length <= most && !value.includes('\u0000') && value.isWellFormed())
  return value
}

function operatorUserOf(of: Of): string | undefined {
  const node = of('operatorUser')
  if (node === undefined) return undefined
  must(node.kind === 'string' && /^[A-Za-z0-9._~-]{1,64}$/.test(node.value))
  return node.value
}

const isAbsentOrNull = (node: JsonNode | undefined) =>
  node === undefined || (node.kind === 'word' && node.value === null)

const isInteger = (written: string) => isHeld(written) && exactOf(written).exponent >= 0n

function isSafeInteger(node: JsonNode | undefined): boolean {
  return node?.kind === 'number' && isInteger(node.written) && Number.isSafeInteger(Number(node.written))
}

function int32Of(node: JsonNode | undefined): number {
  must(node?.kind === 'number' && isInteger(node.written))
  const value = Number(node.written)
  must(value >= -(2 ** 31) && value <= 2 ** 31 - 1)
  return value
}

/** No sign (M-1), and at most 15 digits as written, without outer zeros (M-2). */
export function isAmount(written: string): boolean {
  const [mantissa = '', power = '0'] = written.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + withoutTrailingZeros(fraction)).replace(/^0+/, '')
  return !written.startsWith('-') && digits.length <= 15 && Math.abs(Number(power)) < 100 && isHeld(written)
}

/** A payout of -0 is 0 (D-3). */
function isPayout(written: string): boolean {
  return isAmount(/^-0(\.0*)?(e.*)?$/i.test(written) ? unsigned(written) : written)
}

const unsigned = (written: string) => written.replace(/^-/, '')
