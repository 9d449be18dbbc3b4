/** The words of verdicts: names of calls, amounts, answers, and the verdicts themselves. */
import { REPLY_CODES } from '@purser/protocol/reply-codes'
import { formatUnits } from '../wallet/case/amount-resolution.ts'
import { OPERATION_NAMES } from '../wallet/case/call-name.ts'
import { type AnswerMeaning, describeAnswer } from '../wallet/play/answer-meaning.ts'
import { describeFault, type FaultName, isAdviceCase, LIVE_FAULTS } from './faults/live-fault.ts'
import { type CallToWallet, getUnits } from './live-call.ts'
import type { LivePlayer, Verdict, VerdictKind } from './live-verdict.ts'

/** 'Place bet of 10.00 EUR', 'Settle won 20.00 EUR', 'Rollback with a wrong signature'. */
export function formatCallTitle(call: CallToWallet): string {
  const { isSigned, token } = call
  const flaw = isSigned ? (token === 'dead' ? ' with a dead token' : '') : ' with a wrong signature'
  return nameCall(call) + flaw
}

function nameCall(call: CallToWallet): string {
  const { operation, request, resultType } = call
  if (operation === undefined) return `${request.method} ${readPath(request.url)}`
  const name = OPERATION_NAMES[operation]
  const amount = formatCallAmount(call)
  if (operation === 'place') return amount === undefined ? name : `${name} of ${amount}`
  if (operation !== 'settle') return name
  return [name, resultType, amount].filter((word) => word !== undefined).join(' ')
}

function formatCallAmount(call: CallToWallet): string | undefined {
  const units = getUnits(call)
  return units === undefined ? undefined : `${formatUnits(units, call.scale)} ${call.currency ?? ''}`.trim()
}

export function formatPlayerMoney(units: bigint, { scale, currency }: LivePlayer): string {
  return `${formatUnits(units, scale)} ${currency}`
}

export function readPath(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url
}

/** 'refused with code 7 (Not enough money)' */
export function formatAnswer(answer: AnswerMeaning): string {
  const text = describeAnswer(answer)
  if (answer.kind !== 'refused' || answer.code === undefined) return text
  const known = Object.values(REPLY_CODES).find(({ code }) => code === answer.code)
  return known === undefined ? text : text.replace(`code ${known.code}`, `code ${known.code} (${known.message})`)
}

export interface FaultDetails {
  readonly call: CallToWallet | undefined
  readonly sentence: string
  readonly isOfMoney?: true
  readonly kind?: VerdictKind
  /** Minor units: the wrong balance less the right one. */
  readonly difference?: bigint
}

/** Without `kind`, the level of the case decides. */
export function buildFaultVerdict(cause: FaultName, details: FaultDetails): Verdict {
  const { call, sentence, isOfMoney, difference } = details
  const kind = details.kind ?? (isAdviceCase(LIVE_FAULTS[cause]) ? 'advice' : 'wrong')
  const facts = describeFault(cause, { operation: call?.operation, ...(isOfMoney && { isOfMoney }) })
  const whom = difference === undefined ? facts.whom : difference < 0n ? 'player' : 'operator'
  return { call: call?.number ?? 0, kind, sentence, ...facts, ...(whom !== undefined && { whom }) }
}

export function buildVerdict(call: CallToWallet, kind: VerdictKind, sentence: string): Verdict {
  return { call: call.number, kind, sentence }
}
