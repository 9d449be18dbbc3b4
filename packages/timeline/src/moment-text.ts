/** Describes the moments of a bet in words, for screen readers, tooltips and tables. */
import { formatSigned } from './amount-text.ts'
import { formatDuration } from './drawing/time-format.ts'
import { operationTitle, type PlatformDecision, type TimelineCall } from './drawing/timeline-moments.ts'

export function describeMoment(one: PlatformDecision | TimelineCall): string {
  if (one.kind === 'decision') return `Platform: ${one.title}${one.detail ? `, ${one.longDetail ?? one.detail}` : ''}`
  const moved = one.transfers
    .map(({ kind, amount }) => `, ${formatTransferKind(kind)} ${formatSigned(amount)}`)
    .join('')
  return `${describeCall(one)}: ${describeEnding(one)}${moved}`
}

export function describeCall(call: TimelineCall): string {
  return call.title ?? `${operationTitle(call.operation)}, ${describeAttempt(call)}`
}

export function describeAttempt({ isCopy, attempt }: TimelineCall): string {
  return isCopy ? 'a copy' : `attempt ${attempt}`
}

export function describeEnding({ ending, answer, durationMs }: TimelineCall): string {
  if (ending === 'pending' || ending === 'stuck') return answer
  const word = { accepted: 'accepted', repeated: 'repeated', refused: 'rejected', unanswered: 'no valid response' }[
    ending
  ]
  const words = ending === 'unanswered' && !/^\d/.test(answer) ? answer : `${word}, ${answer}`
  return `${words}${formatCallDuration(answer, durationMs, ', ')}`
}

/** A connection is lost "after" a duration; other answers have the duration after a comma. */
export function formatCallDuration(answer: string, durationMs: number, comma: string): string {
  if (durationMs === 0) return ''
  return `${answer.includes('connection') ? ' after ' : comma}${formatDuration(durationMs)}`
}

const KINDS: Readonly<Record<string, string>> = {
  stake: 'stake',
  refund: 'refund',
  payout: 'payout',
  payout_reversal: 'payout reversal',
  stake_closed: 'stake → house',
  stake_reopened: 'house → stake',
}

export function formatTransferKind(kind: string): string {
  return KINDS[kind] ?? kind
}
