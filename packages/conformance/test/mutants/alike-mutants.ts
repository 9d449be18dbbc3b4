/** Mutants that compare ids and tokens only in part, or without case (I-7, P-1). */
import { type Mutant, seenOnWire } from './mutant.ts'

export const ALIKE_MUTANTS = {
  'bet-id-in-part': seenOnWire('Only the first 35 characters of a bet’s id are compared', 'I7'),
  'bet-id-in-any-case': seenOnWire('Ids of bets are compared without case', 'I7'),
  'request-id-in-part': seenOnWire('A bet whose requestId begins like that of another is taken for its repeat', 'I7'),
  'token-in-part': seenOnWire('Only the first 40 characters of a token are compared', 'I7'),
  'token-in-any-case': seenOnWire('Tokens are compared without case', 'I7'),
  'user-id-in-part': seenOnWire('A userId that begins like that of the player is the player', 'I7'),
} as const satisfies Record<string, Mutant>
