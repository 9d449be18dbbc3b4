/**
 * Bodies of the calls to partners (interface.md). The JSON text is composed here, so that amounts
 * keep their digits (M-1).
 */
import { formatMoney, type Money, requireScale, type Scales } from '@purser/protocol/values/money'
import { formatOdds } from '../store/odds.ts'
import type { BetIdentity, BetResult, PlatformBet, Selection } from '../store/platform-bet.ts'

/** `json` is a decimal number, or any JSON value. */
type Member = readonly [name: string, json: string | undefined]

const json = (value: unknown): string => JSON.stringify(value)

function formatMembers(members: readonly Member[]): string {
  let text = ''
  for (const [name, value] of members)
    if (value !== undefined) text += `${text === '' ? '' : ','}${json(name)}:${value}`
  return `{${text}}`
}

export interface MessageContext {
  readonly scales: Scales
  readonly requestId: string
}

function commonMembers(
  bet: PlatformBet,
  type: 1 | 2 | 3,
  amount: Money,
  { scales, requestId }: MessageContext,
): Member[] {
  return [
    ['requestId', json(requestId)],
    ['type', String(type)],
    ['transactionId', json(bet.betId)],
    ...userMembers(bet),
    ['amount', formatMoney(amount, requireScale(scales, bet.currency))],
    ['currency', json(bet.currency)],
    ['coefficient', formatOdds(bet.odds)],
    ['gameType', json('sportsbook')],
    ['bonusId', json(bet.bonusId)],
    ['bonusTemplateId', json(bet.bonusTemplateId)],
    ['ticketType', json(bet.ticketType)],
    ['boosterCoefficient', bet.booster === null ? undefined : formatOdds(bet.booster)],
  ]
}

function userMembers({ userId, operatorUser }: BetIdentity): Member[] {
  return [
    ['userId', json(userId)],
    ['operatorUser', operatorUser === null ? undefined : json(operatorUser)],
  ]
}

export interface PlaceExtras {
  readonly ip?: string
  readonly info?: string
  readonly subPartnerId: string | null
  /** Decimal text. */
  readonly bonusAmount: string | null
}

export function formatPlaceMessage(
  bet: PlatformBet,
  selections: readonly Selection[],
  extras: PlaceExtras,
  context: MessageContext,
): string {
  return formatMembers([
    ...commonMembers(bet, 1, bet.stake, context),
    ['token', json(bet.token)],
    ['ip', extras.ip === undefined ? undefined : json(extras.ip)],
    ['info', extras.info === undefined ? undefined : json(extras.info)],
    ['subPartnerId', json(extras.subPartnerId)],
    ['bonusAmount', extras.bonusAmount ?? 'null'],
    ['metadata', `[${selections.map(formatSelection).join(',')}]`],
  ])
}

function formatSelection({ eventId, outcomeId, odds, details }: Selection): string {
  const others = Object.entries(details).map(([name, value]): Member => [name, json(value)])
  return formatMembers([
    ...others,
    ['eventId', json(eventId)],
    ['outcomeId', json(outcomeId)],
    ['coefficient', formatOdds(odds)],
  ])
}

/** Only a cashout contains the `token` (L-4). */
export function formatSettleMessage(
  bet: PlatformBet,
  { resultType, payout }: BetResult,
  token: string | undefined,
  context: MessageContext,
): string {
  return formatMembers([
    ...commonMembers(bet, 2, payout, context),
    ['resultType', json(resultType)],
    ['token', resultType === 'cashout' && token !== undefined ? json(tokenOrPlaceholder(token)) : undefined],
  ])
}

/**
 * Has the required length. A Rollback's token is not checked, and a cashout with it is rejected
 * (L-4).
 */
const TOKEN_PLACEHOLDER = 'token-is-not-kept'

/**
 * The token is empty if the bet had ended, was reopened, and its frame session has expired (O-6).
 */
function tokenOrPlaceholder(token: string): string {
  return token === '' ? TOKEN_PLACEHOLDER : token
}

const TOKEN = /"token":"(?:[^"\\]|\\.)+"/

/** The form of a body that is never sent again. */
export function redactBodyToken(body: string): string {
  return body.replace(TOKEN, '"token":""')
}

/** The amount is the withdrawn payout. */
export function formatUnsettleMessage(
  bet: PlatformBet,
  { payout }: Pick<BetResult, 'payout'>,
  context: MessageContext,
): string {
  return formatMembers(commonMembers(bet, 1, payout, context))
}

export function formatRollbackMessage(bet: PlatformBet, errorCode: number, context: MessageContext): string {
  return formatMembers([
    ...commonMembers(bet, 3, bet.stake, context),
    ['token', json(tokenOrPlaceholder(bet.token))],
    ['errorCode', String(errorCode)],
  ])
}

export function formatProfileMessage(token: string, requestId: string): string {
  return formatMembers([
    ['token', json(token)],
    ['requestId', json(requestId)],
  ])
}
