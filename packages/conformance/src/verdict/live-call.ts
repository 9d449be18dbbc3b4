/**
 * Reads a sent request as a call of the interface: operation, bet, token and signature, and the
 * amount in minor units.
 */
import { VALIDATORS } from '@purser/protocol/call-validators'
import { OPERATIONS, type Operation, parseBetOperation } from '@purser/protocol/operation'
import { SIGNATURE_HEADER, verifySignature } from '@purser/protocol/signature'
import { getWrittenNumber } from '@purser/protocol/values/exact-json'
import {
  isWireAmount,
  MAX_SCALE,
  parseWireAmount,
  parseWirePayout,
  STANDARD_SCALES,
} from '@purser/protocol/values/money'
import type { SentRequest } from '../http-exchange.ts'
import { parseObject } from '../wallet/play/answer-meaning.ts'
import type { CallMarks, LivePlayer } from './live-verdict.ts'

/**
 * - exact: an amount of the currency.
 * - finer: more decimals than the currency has; the two nearest amounts in minor units.
 * - long: more digits than an amount may have (M-2).
 * - none: no amount.
 */
export type LiveAmount =
  | { readonly kind: 'exact'; readonly units: bigint }
  | { readonly kind: 'finer'; readonly below: bigint; readonly above: bigint }
  | { readonly kind: 'long' }
  | { readonly kind: 'none' }

/** unknown: the judge does not know the token, so any answer is right. */
export type CallToken = 'live' | 'dead' | 'foreign' | 'unknown' | 'none'

export interface CallToWallet {
  readonly number: number
  readonly request: SentRequest
  readonly beganAt: Date
  /** Undefined for a pair of method and type, or a path, that the interface does not have. */
  readonly operation: Operation | undefined
  readonly isSigned: boolean
  /** The members that decide have the form of the interface. */
  readonly isValid: boolean
  readonly userId: string | undefined
  readonly betId: string | undefined
  readonly requestId: string | undefined
  readonly currency: string | undefined
  /** The currency of the player's account, if known. */
  readonly accountCurrency: string | undefined
  readonly scale: number
  readonly token: CallToken
  readonly amount: LiveAmount
  readonly resultType: string | undefined
  readonly hasBonus: boolean
  /** Calls with the same content are copies of each other. */
  readonly content: string
}

/** The players that the judge knows. */
export interface KnownPlayers {
  find(userId: string | undefined): LivePlayer | undefined
  /** The player of the live token. */
  findByToken(token: string): LivePlayer | undefined
}

export interface CallOrigin {
  readonly number: number
  readonly beganAt: Date
  readonly secret: string
  readonly marks: CallMarks
}

export function readCallToWallet(request: SentRequest, players: KnownPlayers, origin: CallOrigin): CallToWallet {
  const { number, beganAt, secret, marks } = origin
  const body = parseObject(request.body) ?? {}
  const operation = findOperation(request, body.type)
  const userId = readText(body.userId) ?? findTokenOwner(players, body.token)?.userId
  const currency = readText(body.currency)
  const scale = findScale(players.find(userId), currency)
  const resultType = readText(body.resultType)
  const amount = readAmount(body.amount, scale, operation)
  return {
    ...{ number, request, beganAt, operation, userId, currency, scale, resultType, amount },
    isSigned: isRequestSigned(request, secret),
    isValid: operation !== undefined && VALIDATORS[operation].Check(body),
    betId: readText(body.transactionId),
    requestId: readText(body.requestId),
    accountCurrency: players.find(userId)?.currency,
    token: readToken(body.token, userId, players, marks),
    hasBonus: typeof body.bonusId === 'number' && body.bonusId > 0,
    content: JSON.stringify([operation, body.requestId, String(body.amount), currency, resultType]),
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Reads the end of the path, because a wallet may have a path prefix. */
function findOperation({ method, url }: SentRequest, type: unknown): Operation | undefined {
  const path = url.replace(/[?#].*$/, '').replaceAll(/\/{2,}/g, '/')
  if (path.endsWith(OPERATIONS.place.path)) return parseBetOperation(method, type)
  const names = ['profile', 'balance', 'check'] as const
  return names.find((name) => path.endsWith(OPERATIONS[name].path) && OPERATIONS[name].method === method)
}

function findTokenOwner(players: KnownPlayers, token: unknown): LivePlayer | undefined {
  return typeof token === 'string' ? players.findByToken(token) : undefined
}

/** An unknown currency is read with two decimals; a wallet must reject it (currency-01). */
function findScale(player: LivePlayer | undefined, currency: string | undefined): number {
  if (player !== undefined && (currency === undefined || player.currency === currency)) return player.scale
  return STANDARD_SCALES.get(currency ?? '') ?? 2
}

export function isRequestSigned({ headers, body }: SentRequest, secret: string): boolean {
  const [, header] = Object.entries(headers).find(([name]) => name.toLowerCase() === SIGNATURE_HEADER) ?? []
  return verifySignature(header, Buffer.from(body), [secret])
}

function readToken(
  token: unknown,
  userId: string | undefined,
  players: KnownPlayers,
  { deadToken }: CallMarks,
): CallToken {
  if (typeof token !== 'string') return 'none'
  if (deadToken) return 'dead'
  const owner = players.findByToken(token)
  if (owner === undefined) return 'unknown'
  return owner.userId === userId ? 'live' : 'foreign'
}

function readAmount(value: unknown, scale: number, operation: Operation | undefined): LiveAmount {
  if (getWrittenNumber(value) !== undefined) return { kind: 'long' }
  if (typeof value !== 'number') return { kind: 'none' }
  const units = operation === 'settle' ? parseWirePayout(value, scale) : parseWireAmount(value, scale)
  if (units !== undefined) return { kind: 'exact', units }
  const precise = isWireAmount(value) ? parseWireAmount(value, MAX_SCALE) : undefined
  if (precise === undefined) return { kind: 'none' }
  const below = precise / 10n ** BigInt(MAX_SCALE - scale)
  return { kind: 'finer', below, above: below + 1n }
}

/** Minor units of an exact amount. */
export function getUnits({ amount }: CallToWallet): bigint | undefined {
  return amount.kind === 'exact' ? amount.units : undefined
}
