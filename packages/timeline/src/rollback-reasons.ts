/** Reasons of a Rollback in words: the interface's `errorCode` (C-2, C-3). */
import type { ROLLBACK_REASONS } from '@purser/protocol/reply-codes'
import { describeReplyCode } from './refusal-reasons.ts'

interface Words {
  /** For the picture, which has little room. */
  readonly short: string
  /** Follows "The bet was cancelled:" or "because". */
  readonly long: string
}

const WORDS: Readonly<Record<keyof typeof ROLLBACK_REASONS, Words>> = {
  8: { short: 'odds changed', long: 'the odds had changed' },
  9: { short: 'event over', long: 'the event was over' },
  10: { short: 'timeout', long: 'the Place bet call got no response in time' },
  32: { short: 'event withdrawn', long: 'the event was withdrawn' },
  50: { short: 'not closed', long: 'the platform could not close the bet' },
  52: { short: 'no valid response', long: 'the Place bet call got no valid response' },
  110: { short: 'stakes of outcome', long: 'the stake limit of the outcome was reached' },
  111: { short: 'payouts of outcome', long: 'the payout limit of the outcome was reached' },
  112: { short: 'bets of event', long: 'the bet limit of the event was reached' },
  113: { short: 'stake limit', long: 'the stake exceeded the limit of the player' },
  114: { short: 'payout limit', long: 'the payout would exceed the limit of the player' },
  115: { short: 'main limit', long: 'the main stake limit was reached' },
}

const isListed = (code: number): code is keyof typeof WORDS => Object.hasOwn(WORDS, code)

/** An unlisted code is "reason 52", because a wallet accepts every code (W-8). */
export function describeRollbackReason(code: number): string {
  return isListed(code) ? `${WORDS[code].long} (reason ${code})` : `reason ${code}`
}

export function shortRollbackReason(code: number): string {
  return isListed(code) ? `${code}: ${WORDS[code].short}` : `reason ${code}`
}

/** The platform's `reason` is "rollback 52", "partner code 7", or a text. */
export function describePlatformReason(reason: string): string {
  const [, from, code = ''] = /^(rollback|partner code) (\d{1,9})$/.exec(reason) ?? []
  if (from === undefined) return reason
  return (from === 'rollback' ? describeRollbackReason : describeReplyCode)(Number.parseInt(code, 10))
}
