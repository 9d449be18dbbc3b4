/**
 * Decoder from bytes to a typed call. A fault of the bytes, JSON, shape, method or amount is
 * answered with code 5. The answer has one sentence about the first fault (R-6, R-7, M-1 to M-3).
 */
import { parseDescribedId, parseSelections } from '@purser/protocol/bet-description'
import type { PlaceBetRequest, RollbackRequest, SettleRequest, UnsettleRequest } from '@purser/protocol/bet-request'
import {
  describeAmountFault,
  describeMemberFault,
  describeTypeFault,
  requireShape,
  type Validator,
} from '@purser/protocol/call-fault'
import { VALIDATORS } from '@purser/protocol/call-validators'
import { type BetOperation, isBetCall, parseBetOperation, TYPE_NOT_ALLOWED } from '@purser/protocol/operation'
import { extractCallIds, MalformedCall, parseCallBody } from '@purser/protocol/request-body'
import { multiplyRoundingDown, toDecimal } from '@purser/protocol/values/decimal'
import { isTooDeep, parseJson } from '@purser/protocol/values/exact-json'
import {
  isCurrency,
  type Money,
  money,
  parseWireAmount,
  parseWirePayout,
  requireScale,
  type Scales,
} from '@purser/protocol/values/money'
import type { BetId, Currency, PlayerId, RequestId } from '@purser/protocol/wire-ids'
import { isStorable, SELECTION_ID, toSite } from '@purser/protocol/wire-ids'
import { LIMITS } from '@purser/protocol/wire-limits'
import { computeOddsPayout } from '../rules/odds-payout.ts'
import type { BetCall } from '../store/bet.ts'
import { hashToken } from '../store/session.ts'

export interface DecodeSettings {
  readonly scales: Scales
  /** True behind an aggregator: `operatorUser` then names the player (I-1). */
  readonly behindAggregator: boolean
}

/** Includes the platform whose secret signed the call. */
export interface CallSettings extends DecodeSettings {
  readonly platform: string
}

/** Decodes a call to /payment/bet; throws MalformedCall. */
export function decodeBetCall(method: string, body: Buffer, settings: CallSettings): BetCall {
  const request = decodeObject(body)
  const operation = parseBetOperation(method, request.type)
  if (operation === undefined) throw new MalformedCall(describeTypeFault(method, request))
  return BUILDERS[operation](request, settings)
}

const BUILDERS: Record<BetOperation, (request: Record<string, unknown>, settings: CallSettings) => BetCall> = {
  place: (request, settings) => toPlaceCall(validateRequest(VALIDATORS.place, request), settings),
  settle: (request, settings) => {
    const ids = request.resultType === 'cashout' ? IDS : IDS_BUT_TOKEN
    return toSettleCall(validateRequest(VALIDATORS.settle, request, ids), settings)
  },
  unsettle: (request, settings) => ({
    kind: 'unsettle',
    ...toCorrection(validateRequest(VALIDATORS.unsettle, request, IDS_BUT_TOKEN), settings),
  }),
  rollback: (request, settings) => {
    const rollback = validateRequest(VALIDATORS.rollback, request, IDS_BUT_TOKEN)
    return { kind: 'rollback', ...toCorrection(rollback, settings), reason: rollback.errorCode }
  },
}

/** Decoders of the other endpoints; they throw MalformedCall. */
export const decodeUserCall = {
  profile: (body: Buffer) => validateRequest(VALIDATORS.profile, decodeUserRequest(body), ['token', 'requestId']),
  balance: (body: Buffer) =>
    validateRequest(VALIDATORS.balance, decodeUserRequest(body), ['token', 'userId', 'requestId']),
  check: (body: Buffer) => validateRequest(VALIDATORS.check, decodeUserRequest(body), ['userId', 'transactionId']),
}

export function resolvePlayer(
  request: { userId: string; operatorUser?: string },
  { behindAggregator }: DecodeSettings,
): PlayerId {
  return ((behindAggregator && request.operatorUser) || request.userId) as PlayerId
}

/** Ids of a malformed call, as far as they are readable. */
export function identifyMalformedCall(body: Buffer, settings: DecodeSettings) {
  const { userId = '', operatorUser = '', transactionId, requestId } = extractCallIds(body)
  const player = resolvePlayer({ userId, operatorUser }, settings)
  return {
    ...(player !== '' && { player }),
    ...(transactionId !== undefined && { betId: transactionId as BetId }),
    ...(requestId !== undefined && { requestId: requestId as RequestId }),
  }
}

function decodeUserRequest(body: Buffer): Record<string, unknown> {
  const request = decodeObject(body)
  if (isBetCall(request)) throw new MalformedCall(TYPE_NOT_ALLOWED)
  return request
}

function decodeObject(body: Buffer): Record<string, unknown> {
  return parseCallBody(body, parseJson).members
}

/**
 * Members that are stored or compared as text. Their length is also counted in UTF-16 units, so
 * that they fit an index.
 */
const IDS_BUT_TOKEN = ['transactionId', 'requestId', 'userId'] as const
const IDS = [...IDS_BUT_TOKEN, 'token'] as const

function validateRequest<T extends object>(
  validator: Validator<T>,
  request: object,
  ids: readonly (typeof IDS)[number][] = IDS,
): T {
  requireShape(validator, request)
  for (const member of ids) {
    const id = (request as Record<string, unknown>)[member]
    if (typeof id === 'string' && (id.length > LIMITS[member].maxLength || !isStorable(id)))
      throw new MalformedCall(`${member} ${CANNOT_BE_STORED}`)
  }
  return request
}

const CANNOT_BE_STORED =
  'has a NUL, half of a surrogate pair or too many UTF-16 units; it must be text that can be stored'

function toCallIdentity(
  request: Pick<PlaceBetRequest, 'requestId' | 'transactionId' | 'userId' | 'operatorUser'>,
  settings: CallSettings,
) {
  return {
    platform: settings.platform,
    requestId: request.requestId as RequestId,
    betId: request.transactionId as BetId,
    player: resolvePlayer(request, settings),
  }
}

function toPlaceCall(request: PlaceBetRequest, settings: CallSettings): BetCall {
  const currency = toCurrency(request.currency, settings)
  const stake = toMoney(request.amount, currency, settings, parseWireAmount)
  const hasBonus = isBonus(request.bonusId)
  // a stake of 0 needs a bonus (M-3)
  if (stake === 0n && !hasBonus) throw new MalformedCall('amount is 0; without a bonusId above 0 it must be more')
  const token = hashToken(request.token)
  const bonusAmount = toBonus(request.bonusAmount, requireScale(settings.scales, currency))
  return {
    kind: 'place',
    ...toCallIdentity(request, settings),
    token,
    currency,
    stake,
    hasBonus,
    bonusAmount,
    oddsPayout: computeOddsPayout(stake === 0n ? (bonusAmount ?? stake) : stake, request),
    site: toSite(replaceIfTooDeep(request.subPartnerId)),
    details: serializeDetails(request),
    events: extractEventIds(request),
  }
}

function toSettleCall(request: SettleRequest, settings: CallSettings): BetCall {
  const currency = toCurrency(request.currency, settings)
  const { resultType, token } = request
  const call = {
    kind: 'settle',
    ...toCallIdentity(request, settings),
    currency,
    payout: toMoney(request.amount, currency, settings, parseWirePayout),
    resultType,
  } as const
  if (resultType !== 'cashout') return call
  if (typeof token !== 'string') throw new MalformedCall(describeMemberFault('token', request, ' of a cashout'))
  return { ...call, token: hashToken(token) }
}

/**
 * Unsettle and Rollback: the currency is compared with the bet's (I-4). The amount decides nothing
 * (W-21); a valid one is stored and distinguishes the copies of an Unsettle (I-2).
 */
function toCorrection({ amount, ...request }: UnsettleRequest | RollbackRequest, settings: CallSettings) {
  const identity = toCallIdentity(request, settings)
  if (request.currency === undefined) return identity
  const currency = toCurrency(request.currency, settings)
  const units =
    typeof amount === 'number' ? parseWirePayout(amount, requireScale(settings.scales, currency)) : undefined
  return units === undefined ? { ...identity, currency } : { ...identity, currency, amount: units }
}

function toCurrency(code: string, { scales }: DecodeSettings): Currency {
  if (!isCurrency(scales, code))
    throw new MalformedCall('currency is not known to this wallet; it must be a code of ISO 4217 or a configured code')
  return code
}

function toMoney(amount: number, currency: Currency, { scales }: DecodeSettings, parse: typeof parseWireAmount): Money {
  const scale = requireScale(scales, currency)
  const parsed = parse(amount, scale)
  if (parsed === undefined) throw new MalformedCall(describeAmountFault(amount, currency, scale))
  return parsed
}

/** A `bonusId` of 0 or below means no bonus (D-1). */
function isBonus(bonusId: PlaceBetRequest['bonusId']): boolean {
  return typeof bonusId === 'number' && bonusId > 0
}

/**
 * Minor units, rounded down, only for the comparison with the stake (W-49); null if it is no
 * amount.
 */
function toBonus(amount: unknown, scale: number): Money | null {
  const bonus = toDecimal(amount)
  return bonus === undefined ? null : money(multiplyRoundingDown(1n, [bonus, { digits: 1n, exponent: scale }]))
}

/** Describing members, stored as they came (W-3), without unknown members, money and secrets. */
function serializeDetails(request: PlaceBetRequest): string {
  return JSON.stringify({
    coefficient: replaceIfTooDeep(request.coefficient),
    gameType: replaceIfTooDeep(request.gameType),
    ticketType: replaceIfTooDeep(request.ticketType),
    boosterCoefficient: replaceIfTooDeep(request.boosterCoefficient),
    bonusId: request.bonusId,
    bonusTemplateId: replaceIfTooDeep(request.bonusTemplateId),
    bonusAmount: replaceIfTooDeep(request.bonusAmount),
    ip: replaceIfTooDeep(request.ip),
    info: replaceIfTooDeep(request.info),
    subPartnerId: replaceIfTooDeep(request.subPartnerId),
    metadata: replaceIfTooDeep(request.metadata),
  })
}

/** Deeply nested values would exhaust the stack of a renderer. */
function replaceIfTooDeep(value: unknown): unknown {
  return isTooDeep(value) ? TOO_DEEP : value
}

const TOO_DEEP = '(nested too deeply: not kept)'

/** Per bet; a usual ticket has a few. */
const MAX_EVENTS = 50

/** Each event of the selections once. Ids that are not searchable are left out (W-44). */
function extractEventIds({ metadata }: PlaceBetRequest): string[] {
  const ids = parseSelections(metadata).flatMap(({ eventId }) => parseDescribedId(eventId) ?? [])
  const found = ids.filter((id) => SELECTION_ID.test(id))
  return found.length < 2 ? found : [...new Set(found)].slice(0, MAX_EVENTS)
}
