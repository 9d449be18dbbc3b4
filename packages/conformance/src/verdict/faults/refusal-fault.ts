/**
 * Judges refusals that the interface permits for some reason, but that this call gives no reason
 * for: a signed call refused for its signature, a right bet refused as invalid.
 */
import { explainSignedBytes } from '@purser/protocol/client/signed-bytes'
import { replyCode, replyCodes } from '@purser/protocol/reply-codes'
import { mustRefuseNewBet } from '../books/allowed-answers.ts'
import type { LiveBet } from '../books/bet-history.ts'
import type { LiveBetState } from '../books/bet-state.ts'
import { type CallToWallet, getUnits } from '../live-call.ts'
import type { FaultName } from './live-fault.ts'

export interface RefusalFault {
  readonly cause: FaultName
  readonly hint: string
  readonly isUndecided?: true
}

/** `wasSignedAccepted`: the wallet has accepted another call with this secret. */
export function findSignatureFault(
  { isSigned, request }: CallToWallet,
  code: number | undefined,
  wasSignedAccepted: boolean,
): RefusalFault | undefined {
  if (!isSigned || code !== replyCode('bad_signature')) return undefined
  const hint = 'the signature is right for these bytes'
  if (!wasSignedAccepted)
    return { cause: 'signed call refused for its signature', hint: `${hint}: compare the secret of the wallet` }
  const mistakes = explainSignedBytes(request.body).mistakes.map(({ how }) => how)
  if (mistakes.includes(REWRITTEN))
    return { cause: 'signature over re-written JSON', hint: `${hint}; it is another one ${REWRITTEN}` }
  const cause = mistakes.length > 0 ? 'signature over another text encoding' : 'signed call refused for its signature'
  return { cause, hint: [hint, ...mistakes.map((how) => `it is another one ${how}`)].join('; ') }
}

/** As in signed-bytes.ts. */
const REWRITTEN = 'over the JSON parsed and written again'

const TOKEN_CODES = replyCodes('invalid_token', 'expired_token')
/** Major units. The operator may refuse so large a bet, with any code. */
const LARGE_STAKE = 100_000_000n

/** The refusal of a new bet with code 5 or 8, or for its token. Other codes may have reasons. */
export function findBetRefusalFault(
  call: CallToWallet,
  code: number | undefined,
  { bet, states, currency }: { bet: LiveBet; states: readonly LiveBetState[]; currency: string },
): RefusalFault | undefined {
  if (!isPlainNewBet(call, bet, states) || call.currency !== currency) return undefined
  if (code !== undefined && TOKEN_CODES.includes(code)) {
    const hint = 'if the session of the player has ended, start again with a new token'
    return call.token === 'live' ? { cause: 'live token refused', hint, isUndecided: true } : undefined
  }
  if (code === replyCode('invalid_request'))
    return { cause: nameOddMember(call), hint: 'its members fit the interface' }
  if (code !== replyCode('already_processed')) return undefined
  return { cause: 'right bet refused', hint: 'no call about this bet was sent before' }
}

function isPlainNewBet(call: CallToWallet, bet: LiveBet, states: readonly LiveBetState[]): boolean {
  const { isSigned, isValid, operation, scale } = call
  const stake = getUnits(call)
  if (operation !== 'place' || !isSigned || !isValid || stake === undefined || stake <= 0n) return false
  if (mustRefuseNewBet(call) || bet.wasDeclined || bet.pending.some((other) => other !== call)) return false
  return states.every(({ phase }) => phase === 'none') && stake < LARGE_STAKE * 10n ** BigInt(scale)
}

function nameOddMember({ request, amount, scale }: CallToWallet): FaultName {
  if (/"amount"\s*:\s*(\d+\.\d*0|[\d.]+[eE][+-]?\d+)\s*[,}]/.test(request.body)) return 'amount 10.0 refused'
  const isThird = scale > 2 && amount.kind === 'exact' && amount.units % 10n ** BigInt(scale - 2) !== 0n
  return isThird ? 'third decimal refused' : 'right bet refused'
}
