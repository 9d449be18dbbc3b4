/**
 * From bytes to a typed call. Whatever is wrong with the bytes, the JSON, the shape, the method or an amount is code 5,
 * with one sentence on the first fault (R-6, R-7, M-1 to M-3).
 */
import { Compile } from 'typebox/compile'
import {
  type PlaceBetRequest,
  type RollbackRequest,
  SelectionSchema,
  type SettleRequest,
  type UnsettleRequest,
} from '../../protocol/bet-request.ts'
import { Malformed, readBody, saidIn } from '../../protocol/body.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../../protocol/ids.ts'
import { isStorable, SELECTION_ID, siteOf } from '../../protocol/ids.ts'
import { isTooDeep, parseJson } from '../../protocol/json.ts'
import { LIMITS } from '../../protocol/limits.ts'
import { isCurrency, type Money, parseWireAmount, type Scales, scaleOf } from '../../protocol/money.ts'
import { type BetOperation, betOperationOf, isBetCall } from '../../protocol/operation.ts'
import { VALIDATORS } from '../../protocol/validators.ts'
import type { BetCall } from '../store/bet.ts'
import { hashToken } from '../store/session.ts'

export interface DecodeSettings {
  readonly scales: Scales
  /** I-1: the wallet sits behind an aggregator, whose `operatorUser` names the player. */
  readonly behindAggregator: boolean
}

/** With the platform whose secret signed the call. */
export interface CallSettings extends DecodeSettings {
  readonly platform: string
}

const SELECTION = Compile(SelectionSchema)

/** A call to /payment/bet; throws Malformed. */
export function decodeBetCall(method: string, body: Buffer, settings: CallSettings): BetCall {
  const request = decodeObject(body)
  const operation = betOperationOf(method, request.type)
  if (operation === undefined) throw new Malformed(`${method} has no such type`)
  return BUILDERS[operation](request, settings)
}

const BUILDERS: Record<BetOperation, (request: Record<string, unknown>, settings: CallSettings) => BetCall> = {
  place: (request, settings) => toPlaceCall(conform(VALIDATORS.place, request), settings),
  settle: (request, settings) => {
    const ids = request.resultType === 'cashout' ? IDS : IDS_BUT_TOKEN
    return toSettleCall(conform(VALIDATORS.settle, request, ids), settings)
  },
  unsettle: (request, settings) => ({
    kind: 'unsettle',
    ...toCorrection(conform(VALIDATORS.unsettle, request, IDS_BUT_TOKEN), settings),
  }),
  rollback: (request, settings) => {
    const rollback = conform(VALIDATORS.rollback, request, IDS_BUT_TOKEN)
    return { kind: 'rollback', ...toCorrection(rollback, settings), reason: rollback.errorCode }
  },
}

/** The calls to the other endpoints; they throw Malformed. */
export const decodeUserCall = {
  profile: (body: Buffer) => conform(VALIDATORS.profile, decodeQuestion(body), ['token', 'requestId']),
  balance: (body: Buffer) => conform(VALIDATORS.balance, decodeQuestion(body), ['token', 'userId', 'requestId']),
  check: (body: Buffer) => conform(VALIDATORS.check, decodeQuestion(body), ['userId', 'transactionId']),
}

/** The player that a request is about (I-1). */
export function playerOf(
  request: { userId: string; operatorUser?: string },
  { behindAggregator }: DecodeSettings,
): PlayerId {
  return ((behindAggregator && request.operatorUser) || request.userId) as PlayerId
}

/** What a malformed call is about, as far as it says so. */
export function namesIn(body: Buffer, settings: DecodeSettings) {
  const { userId = '', operatorUser = '', transactionId, requestId } = saidIn(body)
  const player = playerOf({ userId, operatorUser }, settings)
  return {
    ...(player !== '' && { player }),
    ...(transactionId !== undefined && { betId: transactionId as BetId }),
    ...(requestId !== undefined && { requestId: requestId as RequestId }),
  }
}

function decodeQuestion(body: Buffer): Record<string, unknown> {
  const request = decodeObject(body)
  if (isBetCall(request)) throw new Malformed('a body with a type is a bet call') // S-5
  return request
}

function decodeObject(body: Buffer): Record<string, unknown> {
  return readBody(body, parseJson).members
}

interface Fault {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
}

interface Validator<T> {
  Check(value: unknown): value is T
  Errors(value: unknown): Fault[]
}

/** Members of the bet calls that are stored or compared as text. Their length is counted in UTF-16 units too, so that they fit an index. */
const IDS_BUT_TOKEN = ['transactionId', 'requestId', 'userId'] as const
const IDS = [...IDS_BUT_TOKEN, 'token'] as const

function conform<T extends object>(
  validator: Validator<T>,
  request: object,
  ids: readonly (typeof IDS)[number][] = IDS,
): T {
  if (!validator.Check(request)) {
    throw new Malformed(faultIn(validator, request))
  }
  for (const member of ids) {
    const id = (request as Record<string, unknown>)[member]
    if (typeof id === 'string' && (id.length > LIMITS[member].maxLength || !isStorable(id)))
      throw new Malformed(`${member} cannot be stored as it is`)
  }
  return request
}

/** The one list of these schemas is left out at first: to describe one wrong item the validator would look at all of them again. */
function faultIn(validator: Validator<object>, request: { metadata?: unknown }): string {
  const { metadata } = request
  const isList = Array.isArray(metadata)
  const [fault] = validator.Errors(isList ? { ...request, metadata: [] } : request)
  if (fault !== undefined || !isList) return fault === undefined ? 'the body is malformed' : sentenceOf(fault)
  const wrong = metadata.findIndex((item) => !SELECTION.Check(item))
  const [inside] = SELECTION.Errors(metadata[wrong])
  return `metadata/${wrong}${inside?.instancePath ?? ''} ${inside?.message ?? 'is malformed'}`
}

const NO_CASHOUT_TOKEN = 'token is required for a cashout' // L-4

/** The one condition in these schemas is that of a cashout. */
function sentenceOf({ keyword, instancePath, message }: Fault): string {
  return keyword === 'if' ? NO_CASHOUT_TOKEN : `${instancePath.slice(1) || 'the body'} ${message}`
}

function identityOf(
  request: Pick<PlaceBetRequest, 'requestId' | 'transactionId' | 'userId' | 'operatorUser'>,
  settings: CallSettings,
) {
  return {
    platform: settings.platform,
    requestId: request.requestId as RequestId,
    betId: request.transactionId as BetId,
    player: playerOf(request, settings),
  }
}

function toPlaceCall(request: PlaceBetRequest, settings: CallSettings): BetCall {
  const currency = toCurrency(request.currency, settings)
  const stake = toMoney(request.amount, currency, settings)
  const hasBonus = typeof request.bonusId === 'number'
  if (stake === 0n && !hasBonus) throw new Malformed('amount must not be 0 without a bonusId') // M-3
  const token = hashToken(request.token)
  return {
    kind: 'place',
    ...identityOf(request, settings),
    token,
    currency,
    stake,
    hasBonus,
    site: siteOf(request.subPartnerId),
    details: detailsOf(request),
    events: eventsOf(request),
  }
}

function toSettleCall(request: SettleRequest, settings: CallSettings): BetCall {
  const currency = toCurrency(request.currency, settings)
  const { resultType, token } = request
  const call = {
    kind: 'settle',
    ...identityOf(request, settings),
    currency,
    payout: toMoney(request.amount, currency, settings),
    resultType,
  } as const
  if (resultType !== 'cashout') return call
  if (typeof token !== 'string') throw new Malformed(NO_CASHOUT_TOKEN)
  return { ...call, token: hashToken(token) }
}

/**
 * Unsettle and rollback: the currency is compared with the bet's (I-4). The amount is not used (W-21); one that makes sense is
 * kept for the record, and tells the copies of an unsettle apart (I-2).
 */
function toCorrection({ amount, ...request }: UnsettleRequest | RollbackRequest, settings: CallSettings) {
  const identity = identityOf(request, settings)
  if (request.currency === undefined) return identity
  const currency = toCurrency(request.currency, settings)
  const units = typeof amount === 'number' ? parseWireAmount(amount, scaleOf(settings.scales, currency)) : undefined
  return units === undefined ? { ...identity, currency } : { ...identity, currency, amount: units }
}

function toCurrency(code: string, { scales }: DecodeSettings): Currency {
  if (!isCurrency(scales, code)) throw new Malformed('currency is not known here')
  return code
}

function toMoney(amount: number, currency: Currency, { scales }: DecodeSettings): Money {
  const parsed = parseWireAmount(amount, scaleOf(scales, currency))
  if (parsed === undefined) throw new Malformed(`amount is too large, negative or has more decimals than ${currency}`)
  return parsed
}

/** What only describes the bet, for the record; neither money nor secret, and no member that we do not know. */
function detailsOf(request: PlaceBetRequest): string {
  if (isTooDeep(request.metadata)) throw new Malformed('metadata is nested too deeply')
  return JSON.stringify({
    coefficient: request.coefficient,
    gameType: request.gameType,
    ticketType: request.ticketType,
    boosterCoefficient: request.boosterCoefficient,
    bonusId: request.bonusId,
    bonusTemplateId: request.bonusTemplateId,
    bonusAmount: request.bonusAmount,
    ip: request.ip,
    info: request.info,
    subPartnerId: request.subPartnerId,
    metadata: request.metadata,
  })
}

/** Of one bet; a ticket has a few. */
const MAX_EVENTS = 50

/** Each event of the selections once. An id that nobody would type is not looked for (W-44). */
function eventsOf({ metadata }: PlaceBetRequest): string[] {
  if (!metadata) return []
  const ids = metadata.map(({ eventId }) => String(eventId ?? '')).filter((id) => SELECTION_ID.test(id))
  return ids.length < 2 ? ids : [...new Set(ids)].slice(0, MAX_EVENTS)
}
