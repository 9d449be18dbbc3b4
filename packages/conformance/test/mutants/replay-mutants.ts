/**
 * Mutants that apply a replayed call as another operation, or treat a refused result wrongly when
 * it is sent again (S-5, I-2; catalogue rows I1 to I4).
 */
import { type Mutant, seenOnWire } from './mutant.ts'

export const REPLAY_MUTANTS = {
  'place-bytes-unsettle': seenOnWire('The bytes of a bet, sent with PUT, take its payout back', 'I1'),
  'profile-of-a-bet-call': seenOnWire('The bytes of a bet read the profile', 'I2'),
  'balance-of-a-bet-call': seenOnWire('The bytes of a bet read the balance', 'I2'),
  'check-of-a-bet-call': seenOnWire('The bytes of a bet are answered as a Check', 'I2'),
  'refused-result-applied-late': seenOnWire('A late copy of a refused result replaces a newer one', 'I3'),
  'refused-result-final': seenOnWire('A result that was refused for want of money stays refused', 'I4'),
} as const satisfies Record<string, Mutant>
