/**
 * From bytes to a typed call. Whatever is wrong with the bytes, the JSON, the shape, the method or an amount is code 5,
 * with one sentence on the first fault (R-6, R-7, M-1 to M-3).
 */
import { idIn, selectionsIn } from '../../protocol/bet-description.ts'
import type { PlaceBetRequest, RollbackRequest, SettleRequest, UnsettleRequest } from '../../protocol/bet-request.ts'
import { Malformed, readBody, saidIn } from '../../protocol/body.ts'
import { timesRoundedDown, toDecimal } from '../../protocol/decimal.ts'
import { faultOf, faultOfAmount, faultOfType, requireShape, type Validator } from '../../protocol/fault.ts'
import type { BetId, Currency, PlayerId, RequestId } from '../../protocol/ids.ts'
import { isStorable, SELECTION_ID, siteOf } from '../../protocol/ids.ts'
import { isTooDeep, parseJson } from '../../protocol/json.ts'
import { LIMITS } from '../../protocol/limits.ts'
import {
  isCurrency,
  type Money,
  money,
  parseWireAmount,
  parseWirePayout,
  type Scales,
  scaleOf,
} from '../../protocol/money.ts'
import { type BetOperation, betOperationOf, isBetCall, TYPE_OF_BET_CALL } from '../../protocol/operation.ts'
import { VALIDATORS } from '../../protocol/validators.ts'
import { oddsPayoutOf } from '../decide/odds-payout.ts'
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

/** A call to /payment/bet; throws Malformed. */
export function decodeBetCall(method: string, body: Buffer, settings: CallSettings): BetCall {
  const request = decodeObject(body)
  const operation = betOperationOf(method, request.type)
  if (operation === undefined) throw new Malformed(faultOfType(method, request))
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
  if (isBetCall(request)) throw new Malformed(TYPE_OF_BET_CALL)
  return request
}

function decodeObject(body: Buffer): Record<string, unknown> {
  return readBody(body, parseJson).members
}

/** Members of the bet calls that are stored or compared as text. Their length is counted in UTF-16 units too, so that they fit an index. */
const IDS_BUT_TOKEN = ['transactionId', 'requestId', 'userId'] as const
const IDS = [...IDS_BUT_TOKEN, 'token'] as const

function conform<T extends object>(
  validator: Validator<T>,
  request: object,
  ids: readonly (typeof IDS)[number][] = IDS,
): T {
  requireShape(validator, request)
  for (const member of ids) {
    const id = (request as Record<string, unknown>)[member]
    if (typeof id === 'string' && (id.length > LIMITS[member].maxLength || !isStorable(id)))
      throw new Malformed(`${member} ${CANNOT_BE_STORED}`)
  }
  return request
}

const CANNOT_BE_STORED =
  'has a NUL, half of a surrogate pair or too many UTF-16 units; it must be text as it can be stored'

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
  const stake = toMoney(request.amount, currency, settings, parseWireAmount)
  const hasBonus = isBonus(request.bonusId)
  if (stake === 0n && !hasBonus) throw new Malformed('amount is 0; without a bonusId above 0 it must be more') // M-3
  const token = hashToken(request.token)
  const bonusAmount = toBonus(request.bonusAmount, scaleOf(settings.scales, currency))
  return {
    kind: 'place',
    ...identityOf(request, settings),
    token,
    currency,
    stake,
    hasBonus,
    bonusAmount,
    oddsPayout: oddsPayoutOf(stake === 0n ? (bonusAmount ?? stake) : stake, request),
    site: siteOf(shallow(request.subPartnerId)),
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
    payout: toMoney(request.amount, currency, settings, parseWirePayout),
    resultType,
  } as const
  if (resultType !== 'cashout') return call
  if (typeof token !== 'string') throw new Malformed(faultOf('token', request, ' of a cashout'))
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
  const units = typeof amount === 'number' ? parseWirePayout(amount, scaleOf(settings.scales, currency)) : undefined
  return units === undefined ? { ...identity, currency } : { ...identity, currency, amount: units }
}

function toCurrency(code: string, { scales }: DecodeSettings): Currency {
  if (!isCurrency(scales, code))
    throw new Malformed(
      'currency is not known to this wallet; it must be a code of ISO 4217, or one that is configured',
    )
  return code
}

function toMoney(amount: number, currency: Currency, { scales }: DecodeSettings, parse: typeof parseWireAmount): Money {
  const scale = scaleOf(scales, currency)
  const parsed = parse(amount, scale)
  if (parsed === undefined) throw new Malformed(faultOfAmount(amount, currency, scale))
  return parsed
}

/** Many programs write 0 for no bonus (D-1). */
function isBonus(bonusId: PlaceBetRequest['bonusId']): boolean {
  return typeof bonusId === 'number' && bonusId > 0
}

/** In minor units, rounded down: it is only compared with the stake (W-49). Null for what is no amount. */
function toBonus(amount: unknown, scale: number): Money | null {
  const bonus = toDecimal(amount)
  return bonus === undefined ? null : money(timesRoundedDown(1n, [bonus, { digits: 1n, exponent: scale }]))
}

/** What only describes the bet, for the record: as it came (W-3). No member that we do not know, no money and no secret. */
function detailsOf(request: PlaceBetRequest): string {
  return JSON.stringify({
    coefficient: shallow(request.coefficient),
    gameType: shallow(request.gameType),
    ticketType: shallow(request.ticketType),
    boosterCoefficient: shallow(request.boosterCoefficient),
    bonusId: request.bonusId,
    bonusTemplateId: shallow(request.bonusTemplateId),
    bonusAmount: shallow(request.bonusAmount),
    ip: shallow(request.ip),
    info: shallow(request.info),
    subPartnerId: shallow(request.subPartnerId),
    metadata: shallow(request.metadata),
  })
}

/** A value that is nested so deeply describes nothing, and would exhaust the stack of whoever renders it. */
function shallow(value: unknown): unknown {
  return isTooDeep(value) ? TOO_DEEP : value
}

const TOO_DEEP = '(nested too deeply: not kept)'

/** Of one bet; a ticket has a few. */
const MAX_EVENTS = 50

/** Each event of the selections once. An id that nobody would type is not looked for (W-44). */
function eventsOf({ metadata }: PlaceBetRequest): string[] {
  const ids = selectionsIn(metadata).flatMap(({ eventId }) => idIn(eventId) ?? [])
  const found = ids.filter((id) => SELECTION_ID.test(id))
  return found.length < 2 ? found : [...new Set(found)].slice(0, MAX_EVENTS)
}
