/** Verdict on the answer to User data, Balance or Check, which move no money. */
import { replyCodes } from '@purser/protocol/reply-codes'
import type { AnswerMeaning } from '../wallet/play/answer-meaning.ts'
import { type BodyRule, findBodyProblem } from '../wallet/play/body-rules.ts'
import { nameForbiddenSuccess } from './faults/answer-fault.ts'
import type { FaultName } from './faults/live-fault.ts'
import { findSignatureFault } from './faults/refusal-fault.ts'
import { type FormContext, judgeForm } from './form-verdict.ts'
import type { CallToWallet } from './live-call.ts'
import type { LivePlayer, Verdict } from './live-verdict.ts'
import { buildFaultVerdict, buildVerdict, formatAnswer, formatCallTitle } from './verdict-text.ts'

export interface ReadingAnswer extends FormContext {
  readonly answer: AnswerMeaning
  readonly player: LivePlayer | undefined
  readonly wasSignedAccepted: boolean
}

const OPTIONAL: readonly CallToWallet['operation'][] = ['balance', 'check']
const TOKEN_CODES = replyCodes('invalid_token', 'expired_token')

export function judgeReading(given: ReadingAnswer): Verdict {
  const { call, answer, exchange } = given
  const title = `${formatCallTitle(call)}: ${formatAnswer(answer)}`
  if (mustRefuse(call))
    return answer.kind === 'accepted' ? blameSuccess(call, title) : buildVerdict(call, 'right', title)
  const isMissing = answer.kind === 'refused' && OPTIONAL.includes(call.operation) && isNotServed(given)
  if (isMissing) return buildVerdict(call, 'right', `${title}. This call is optional`)
  if (exchange.answer.kind === 'none') return buildVerdict(call, 'undecided', title)
  return (
    judgeRefusal(given, title) ??
    judgeForm(given, call.token === 'live') ??
    judgeBody(given) ??
    buildPlain(call, answer, title)
  )
}

function buildPlain(call: CallToWallet, answer: AnswerMeaning, title: string): Verdict {
  return buildVerdict(call, answer.kind === 'lost' ? 'undecided' : 'right', title)
}

function mustRefuse({ operation, isSigned, token }: CallToWallet): boolean {
  return operation === undefined || !isSigned || (token === 'dead' && operation !== 'check')
}

function blameSuccess(call: CallToWallet, title: string): Verdict {
  return buildFaultVerdict(nameForbiddenSuccess(call), { call, sentence: `${title}; it had to be refused` })
}

function isNotServed({ exchange: { answer } }: ReadingAnswer): boolean {
  return answer.kind === 'some' && (answer.status === 404 || answer.status === 405)
}

function judgeRefusal({ call, answer, wasSignedAccepted }: ReadingAnswer, title: string): Verdict | undefined {
  if (answer.kind !== 'refused') return undefined
  const fault = findSignatureFault(call, answer.code, wasSignedAccepted)
  if (fault !== undefined) return buildFaultVerdict(fault.cause, { call, sentence: `${title}, but ${fault.hint}` })
  if (call.token !== 'live' || answer.status !== 400 || call.operation === 'check') return undefined
  const isForToken = answer.code !== undefined && TOKEN_CODES.includes(answer.code)
  const hint = 'if the session of the player has ended, start again with a new token'
  const kind = isForToken || call.operation === 'balance' ? ('undecided' as const) : undefined
  return buildFaultVerdict('live token refused', { call, sentence: `${title}; ${hint}`, ...(kind && { kind }) })
}

const BODY_RULES_OF: Readonly<Partial<Record<NonNullable<CallToWallet['operation']>, readonly BodyRule[]>>> = {
  profile: ['fits the profile', 'names the player', 'names the currency'],
  balance: ['fits the balance', 'names the player', 'names the currency'],
  check: ['fits the check', 'names the bet'],
}
const FORM_FAULTS: Readonly<Partial<Record<NonNullable<CallToWallet['operation']>, FaultName>>> = {
  profile: 'User data of another form',
  balance: 'Balance of another form',
  check: 'Check of another form',
}

function judgeBody({ call, answer, player }: ReadingAnswer): Verdict | undefined {
  const { operation } = call
  const cause = operation && FORM_FAULTS[operation]
  if (answer.kind !== 'accepted' || player === undefined || cause === undefined || operation === undefined)
    return undefined
  if (call.token !== 'live' && operation !== 'check') return undefined
  const { userId, currency, scale } = player
  const account = { currency, scale }
  const about = {
    player: { userId, token: '', first: account },
    account,
    betId: call.betId ?? '',
    amount: undefined,
    first: answer.body,
  }
  const problem = findBodyProblem(BODY_RULES_OF[operation] ?? [], answer.body, about)
  return problem === undefined
    ? undefined
    : buildFaultVerdict(cause, { call, sentence: `${formatCallTitle(call)}: ${problem}` })
}
