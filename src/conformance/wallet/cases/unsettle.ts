/** Part E 91 to 96, K16 and K17: a result that is taken back leaves the bet open. */
import type { PlayedCase } from '../case.ts'
import { accept, place, refuse, settle, unsettle } from '../words.ts'

/** Where nothing was paid, nothing moves, whether it is refused or not. */
const NOTHING = [accept('nothing'), refuse()]

export const UNSETTLE_CASES: readonly PlayedCase[] = [
  {
    id: 'unsettle-01',
    clause: 'Unsettle',
    level: 'MUST',
    sentence: 'PUT of type 1 is never a bet',
    loses: 'a second stake for a bet that is open already: the player pays',
    covers: ['A11', 'E94', 'K6'],
    steps: [
      ...[unsettle('100', { token: 'live' }, NOTHING), place()],
      ...[unsettle('100', { token: 'live' }, NOTHING), unsettle('50', { bet: 'Y', token: 'live' }, NOTHING)],
    ],
  },
  {
    id: 'unsettle-02',
    clause: 'Unsettle',
    level: 'MUST',
    sentence: 'an Unsettle takes the payout back once, and the same result may come again',
    loses: 'a payout that is taken twice, or never paid again: the player pays',
    covers: ['E91', 'E93', 'E95', 'K16'],
    steps: [
      ...[place(), settle('won', '200'), unsettle('200'), unsettle('200')],
      ...[settle('won', '200', {}, accept('pay')), settle('won', '200', {}, accept('pay'))],
    ],
  },
]
