/** Rules for the form of a request, which every request of the run must satisfy. */

import { VALIDATORS } from '@purser/protocol/call-validators'
import { ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import { SIGNATURE_HEADER, verifySignature } from '@purser/protocol/signature'
import { StatedPlaceBetSchema } from '@purser/protocol/stated-place-bet'
import { Compile } from 'typebox/compile'
import type { ReceivedCallKind, RecordedRequest } from './request-log.ts'

export type RequestRule = 'signature' | 'members' | 'place_only' | 'token' | 'reason' | 'identity' | 'stake' | 'ids'

interface RuleCheck {
  /** The run needs a call of each kind to judge the rule. */
  readonly concerns: readonly ReceivedCallKind[]
  /** `others`: all calls of the scene. */
  fault(call: RecordedRequest, others: readonly RecordedRequest[]): string | undefined
}

const ONLY_IN_PLACE = ['ip', 'info', 'subPartnerId', 'metadata', 'bonusAmount']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A platform sends only the stated types of a Place bet, although a wallet accepts more (W-3). */
const STATED = { ...VALIDATORS, place: Compile(StatedPlaceBetSchema) }

const RULES: Readonly<Record<RequestRule, RuleCheck>> = {
  signature: {
    concerns: ['place'],
    fault: ({ headers, bytes, partner }) =>
      verifySignature(headers[SIGNATURE_HEADER], bytes, [partner.secret])
        ? undefined
        : `${SIGNATURE_HEADER} does not sign these bytes with the partner’s secret`,
  },
  members: {
    concerns: ['place', 'rollback', 'settle', 'unsettle'],
    fault({ call, body }) {
      if (call === 'other') return undefined
      const [error] = STATED[call].Errors(body)
      return error && `${error.instancePath || 'the body'} ${error.message}`
    },
  },
  place_only: {
    concerns: ['settle'],
    fault({ call, body }) {
      const foreign = call === 'settle' ? ONLY_IN_PLACE.filter((name) => name in body) : []
      return foreign.length > 0 ? `${foreign.join(', ')} in a Settle` : undefined
    },
  },
  token: {
    concerns: ['settle'],
    fault({ call, body }) {
      if (call !== 'settle' || (body.resultType === 'cashout') === 'token' in body) return undefined
      return 'token' in body ? `a token in a Settle with resultType ${body.resultType}` : 'a cashout without a token'
    },
  },
  reason: {
    concerns: ['rollback'],
    fault({ call, body }) {
      if (call !== 'rollback') return 'errorCode' in body ? `errorCode in a ${call}` : undefined
      return String(body.errorCode) in ROLLBACK_REASONS ? undefined : `errorCode ${body.errorCode} is not listed`
    },
  },
  identity: {
    concerns: ['place', 'rollback', 'settle'],
    fault(call, others) {
      const { body, partner } = call
      const named = partner.players.get(String(body.token))?.userId
      if (call.call === 'place' && named !== body.userId)
        return `userId ${body.userId}, where the profile said ${named}`
      const placed = findPlaceBet(call, others)
      const changed = ['userId', 'operatorUser'].filter((name) => placed && placed.body[name] !== body[name])
      return changed.length > 0 ? `${changed.join(', ')} differs from the Place bet` : undefined
    },
  },
  stake: {
    concerns: ['place', 'rollback'],
    fault(call, others) {
      const stake = call.call === 'rollback' ? findPlaceBet(call, others)?.body.amount : undefined
      return stake === undefined || stake === call.body.amount
        ? undefined
        : `amount ${call.body.amount} where the stake was ${stake}`
    },
  },
  ids: {
    concerns: ['place', 'rollback', 'settle'],
    fault({ call, body, bytes }, others) {
      if (call === 'profile' || call === 'other') return undefined
      const bad = ['requestId', 'transactionId'].filter((name) => !UUID.test(String(body[name])))
      if (bad.length > 0) return `${bad.join(', ')}: no uuid`
      const isShared = others.some((other) => other.body.requestId === body.requestId && !other.bytes.equals(bytes))
      return isShared ? `requestId ${body.requestId} names two different requests` : undefined
    },
  },
}

function findPlaceBet({ body }: RecordedRequest, others: readonly RecordedRequest[]): RecordedRequest | undefined {
  return others.find((other) => other.call === 'place' && other.body.transactionId === body.transactionId)
}

export interface RequestFault {
  readonly rule: RequestRule
  readonly fault: string
}

/** The rules that one request breaks. `calls` are those so far. */
export function findRequestFaults(call: RecordedRequest, calls: readonly RecordedRequest[]): RequestFault[] {
  return (Object.keys(RULES) as RequestRule[]).flatMap((rule) => {
    const fault = RULES[rule].fault(call, calls)
    return fault === undefined ? [] : [{ rule, fault }]
  })
}

export interface RequestRuleViolation {
  readonly call: RecordedRequest
  readonly fault: string
}

/** Undefined if the run lacks a kind of call that the rule needs. */
export function findRequestRuleViolations(
  name: RequestRule,
  scenes: readonly (readonly RecordedRequest[])[],
): RequestRuleViolation[] | undefined {
  const rule = RULES[name]
  const callKinds = new Set(scenes.flatMap((calls) => calls.map(({ call }) => call)))
  if (rule.concerns.some((call) => !callKinds.has(call))) return undefined
  return scenes.flatMap((calls) =>
    calls.flatMap((call) => {
      const fault = rule.fault(call, calls)
      return fault === undefined ? [] : [{ call, fault }]
    }),
  )
}
