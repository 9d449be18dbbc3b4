/** Moments of a bet in words: for screen readers, tips and tables. */
import { signed } from './amounts.ts'
import { type Call, type Decision, titleOf } from './moments.ts'
import { spanOf } from './spans.ts'

/** For screen readers, and as a tip. */
export function sayMoment(one: Decision | Call): string {
  if (one.kind === 'decision') return `Platform: ${one.title}${one.detail ? `, ${one.says ?? one.detail}` : ''}`
  const moved = one.transfers.map(({ kind, amount }) => `, ${sayKind(kind)} ${signed(amount)}`).join('')
  return `${sayCall(one)}: ${sayEnding(one)}${moved}`
}

export function sayCall(call: Call): string {
  return call.title ?? `${titleOf(call.operation)}, ${sayAttempt(call)}`
}

export function sayAttempt({ isCopy, attempt }: Call): string {
  return isCopy ? 'a copy of it' : `attempt ${attempt}`
}

export function sayEnding({ ending, answer, durationMs }: Call): string {
  if (ending === 'pending' || ending === 'stuck') return answer
  const word = { accepted: 'accepted', repeated: 'known already', refused: 'refused', unanswered: 'no usable answer' }[
    ending
  ]
  const words = ending === 'unanswered' && !/^\d/.test(answer) ? answer : `${word}, ${answer}`
  return `${words}${took(answer, durationMs, ', ')}`
}

/** A connection is lost after a time; an answer comes within one. */
export function took(answer: string, durationMs: number, comma: string): string {
  if (durationMs === 0) return ''
  return `${answer.includes('connection') ? ' after ' : comma}${spanOf(durationMs)}`
}

const KINDS: Readonly<Record<string, string>> = {
  stake: 'stake',
  refund: 'refund',
  payout: 'payout',
  payout_reversal: 'payout taken back',
  stake_closed: 'stake → house',
  stake_reopened: 'house → stake',
}

export function sayKind(kind: string): string {
  return KINDS[kind] ?? kind
}
