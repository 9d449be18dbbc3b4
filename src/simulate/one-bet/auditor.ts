/**
 * Says what a wallet must answer to each call about one bet, and what the player must have afterwards. Written from decisions.md
 * (the bet's life, I-2, I-3, I-5, L-1 to L-4, S-5) and from nothing else: it shares no line with the rules that it judges. Pure;
 * a moment is the number of the step that took effect.
 */
import type { ReplyCode } from '../../protocol/codes.ts'
import { CALLS, type CallName } from './letters.ts'

export type Verdict =
  | { readonly status: 200; readonly moment: number }
  | { readonly status: 400; readonly code: ReplyCode }

export type Status = 'nothing' | 'open' | 'settled' | 'cancelled' | 'refused'

/** What the auditor keeps in mind of the bet. */
export interface Mind {
  readonly status: Status
  readonly stake: bigint
  readonly placed: number
  /** The moment of the last operation that took effect. */
  readonly since: number
  readonly payout: bigint
  readonly resultType: string
  readonly refusal: ReplyCode | undefined
  readonly results: number
  /** Settles and unsettles that were answered 200: their request and the moment they were told. */
  readonly acknowledged: ReadonlyMap<number, number>
  /** Those refused with 20 or 21: the code, and how many results had been acknowledged by then. */
  readonly refused: ReadonlyMap<number, readonly [code: ReplyCode, results: number]>
  readonly balance: bigint
  readonly locked: boolean
  /** The token, by the wallet's clock; `spent`: a call was refused because it had expired, so that it stays so (P-1). */
  readonly live: boolean
  readonly spent: boolean
}

export function newMind(balance: bigint): Mind {
  const life = {
    status: 'nothing',
    stake: 0n,
    placed: 0,
    since: 0,
    payout: 0n,
    resultType: '',
    refusal: undefined,
    results: 0,
  } as const
  return { ...life, acknowledged: new Map(), refused: new Map(), balance, locked: false, live: true, spent: false }
}

export interface Judged {
  readonly verdict: Verdict
  readonly mind: Mind
}

export interface Heard {
  readonly name: CallName
  readonly request: number
  /** The number of this step. */
  readonly moment: number
  /** L-2. */
  readonly mayGoBelowZero: boolean
}

export function audit(mind: Mind, heard: Heard): Judged {
  switch (CALLS[heard.name].kind) {
    case 'place':
      return auditPlace(mind, heard)
    case 'settle':
    case 'unsettle':
      return auditResult(mind, heard)
    case 'rollback':
      return auditRollback(mind, heard)
  }
}

function auditPlace(mind: Mind, { name, moment }: Heard): Judged {
  const stake = CALLS[name].amount
  if (mind.refusal !== undefined) return no(mind, mind.refusal)
  if (mind.status === 'cancelled') return no(mind, 'already_processed')
  if (mind.status !== 'nothing') return mind.stake === stake ? yes(mind, mind.placed) : no(mind, 'already_processed')
  if (!isAlive(mind)) return no({ ...mind, spent: true }, 'expired_token')
  if (mind.balance < stake)
    return no({ ...mind, status: 'refused', refusal: 'not_enough_money', since: moment }, 'not_enough_money')
  const placed = { status: 'open', stake, placed: moment, since: moment, balance: mind.balance - stake } as const
  return yes({ ...mind, ...placed }, moment)
}

function auditRollback(mind: Mind, { moment }: Heard): Judged {
  if (mind.status === 'settled') return no(mind, 'already_processed')
  if (mind.status === 'cancelled' || mind.status === 'refused') return yes(mind, mind.since)
  const back = mind.status === 'open' ? mind.stake : 0n
  return yes({ ...mind, status: 'cancelled', since: moment, balance: mind.balance + back }, moment)
}

function auditResult(mind: Mind, heard: Heard): Judged {
  if (mind.status === 'nothing' || mind.status === 'refused') return no(mind, 'invalid_request')
  const told = mind.acknowledged.get(heard.request)
  if (told !== undefined) return yes(mind, told)
  const [code, results = 0] = mind.refused.get(heard.request) ?? []
  if (code !== undefined && results < mind.results) return no(mind, code)
  const { mind: after, verdict } = mind.status === 'cancelled' ? no(mind, 'recalculation_blocked') : change(mind, heard)
  if (verdict.status === 200)
    return { verdict, mind: { ...after, acknowledged: new Map(after.acknowledged).set(heard.request, verdict.moment) } }
  const isFirst =
    (verdict.code === 'recalculation_blocked' || verdict.code === 'recalculation_negative') && code === undefined
  if (!isFirst) return { verdict, mind: after }
  return {
    verdict,
    mind: { ...after, refused: new Map(after.refused).set(heard.request, [verdict.code, after.results]) },
  }
}

function change(mind: Mind, { name, moment, mayGoBelowZero }: Heard): Judged {
  const call = CALLS[name]
  const isSettle = call.kind === 'settle'
  const resultType = isSettle ? call.resultType : ''
  const payout = isSettle ? call.amount : 0n
  const has = isSettle
    ? mind.status === 'settled' && mind.payout === payout && mind.resultType === resultType
    : mind.status === 'open'
  if (has) return yes({ ...mind, results: mind.results + 1 }, mind.since)
  if (resultType === 'cashout' && !isAlive(mind)) return no({ ...mind, spent: true }, 'expired_token')
  if (mind.status === 'settled' && mind.locked) return no(mind, 'recalculation_blocked')
  const balance = mind.balance + payout - mind.payout
  if (balance < mind.balance && balance < 0n && !mayGoBelowZero) return no(mind, 'recalculation_negative')
  const status = isSettle ? 'settled' : 'open'
  return yes({ ...mind, status, payout, resultType, balance, since: moment, results: mind.results + 1 }, moment)
}

function isAlive({ live, spent }: Mind): boolean {
  return live && !spent
}

function yes(mind: Mind, moment: number): Judged {
  return { verdict: { status: 200, moment }, mind }
}

function no(mind: Mind, code: ReplyCode): Judged {
  return { verdict: { status: 400, code }, mind }
}
