/** Part C, K7 and K9: a stake is debited once, or not at all. */
import type { PlayedCase } from '../case.ts'
import { accept, place, refuse, rollback, whole } from '../words.ts'

export const PLACE_CASES: readonly PlayedCase[] = [
  {
    id: 'place-01',
    clause: 'Place bet, partner action 5',
    level: 'MUST',
    sentence: 'a bet debits its stake',
    loses: 'bets cost nothing: the operator pays every win',
    covers: ['C27', 'B26'],
    steps: [place(), place({ bet: 'Y', amount: '0.1' })],
  },
  {
    id: 'place-02',
    clause: 'Place bet, partner action 4',
    level: 'MUST',
    sentence: 'a bet of the whole balance is accepted',
    loses: 'bets that the player has the money for: the operator loses them',
    covers: ['C28'],
    steps: [place({ amount: whole() }), rollback()],
  },
  {
    id: 'place-03',
    clause: 'Place bet, Insufficient funds',
    level: 'MUST',
    sentence: 'a bet of one minor unit more than the balance is refused with 7',
    loses: 'players bet money that they do not have: the operator pays',
    covers: ['C29', 'K7'],
    steps: [place({ amount: whole(1) }, refuse(7))],
  },
  {
    id: 'place-04',
    clause: 'I-2',
    level: 'MUST',
    sentence: 'a bet that is sent again under a new requestId debits once',
    loses: 'the player pays twice for one bet, whenever an answer is lost',
    covers: ['C37', 'C39', 'K9'],
    steps: [place(), place({}, [accept('debit'), refuse()]), rollback()],
  },
  {
    id: 'place-05',
    clause: 'I-6',
    level: 'MUST',
    sentence: 'two bets under one requestId are two bets',
    loses: 'the second bet is accepted and never debited: the operator pays its win',
    covers: ['C40'],
    steps: [place({ requestId: 'r' }), place({ bet: 'Y', requestId: 'r', amount: '50' })],
  },
]
