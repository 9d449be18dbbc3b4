/** Part E 97 to 99, K11 and K13: a cashout is what the player asks for, so it needs the player's token. */
import type { Need, PlayedCase, TokenChoice } from '../case/case.ts'
import { accept, deny, place, rollback, settle } from '../case/words.ts'
import { pair, RESULTS } from './resettle.ts'

const CASHOUT = ['cashout', '150'] as const

function needsToken(id: string, token: TokenChoice, sentence: string, ...needs: Need[]): PlayedCase {
  return {
    ...{ id, sentence, needs, covers: ['E98', 'K11'], level: 'MUST' },
    clause: 'Settle, partner action 3; Authentication, 2; L-4',
    loses: 'a bet that somebody else ends below its worth: the player pays',
    steps: [place(), settle('cashout', '150', { token }, deny()), settle('won', '200', {}, accept('pay'))],
  }
}

export const CASHOUT_CASES: readonly PlayedCase[] = [
  {
    id: 'cashout-01',
    clause: 'Settle, partner action 3; Settle, partner action 5',
    level: 'MUST',
    sentence: 'a cashout with the token of the player is paid once, and ends the bet',
    loses: 'the cashout, or the stake that comes back beside it',
    covers: ['E97', 'K11', 'K13', 'K21'],
    steps: [
      ...[place(), settle('cashout', '150', {}, accept('pay')), settle('cashout', '150', {}, accept('pay'))],
      rollback(),
    ],
  },
  needsToken('cashout-02', 'unknown', 'a cashout with a token that was never given out is refused'),
  needsToken('cashout-03', 'none', 'a cashout without a token is refused'),
  needsToken('cashout-04', 'of B', 'a cashout with the token of another player is refused', 'B'),
  needsToken('cashout-05', 'dead', 'a cashout with a token that is no longer valid is refused', 'dead token'),
  {
    id: 'cashout-06',
    clause: 'Settle, resettle action 1; Settle, resettle action 2; Settle, resettle action 3',
    level: 'MUST',
    sentence: 'a result before or after a cashout does not add up with it: the bet has paid the last of them',
    loses: 'cashout and win together: the operator pays the cashout',
    covers: ['E99', 'K13', 'K14'],
    steps: RESULTS.flatMap((result) => [...pair(CASHOUT, result), ...pair(result, CASHOUT)]),
  },
]
