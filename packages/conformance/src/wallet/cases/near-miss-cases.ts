/**
 * Cases: ids and tokens that almost equal others are different. A wallet with a short or
 * case-insensitive database column confuses them.
 */

import { nearMiss } from '../case/near-miss.ts'
import {
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  placeStep,
  profileStep,
  rollbackStep,
  settleStep,
} from '../case/step-builders.ts'
import type { StepCase } from '../case/wallet-case.ts'

export const NEAR_MISS_CASES: readonly StepCase[] = [
  {
    id: 'alike-01',
    clause: 'Resources, transactionId',
    level: 'MUST',
    sentence: 'two bets whose ids differ only in the last character are two bets',
    loses: 'a bet is accepted and never debited, or the result of one bet is paid for the other, and one side pays',
    covers: ['I7'],
    steps: [
      ...[placeStep(), placeStep({ bet: "X'", amount: '50' })],
      ...[settleStep('won', '120', { bet: "X'" }, allowAccepted('pay')), rollbackStep()],
    ],
  },
  {
    id: 'alike-02',
    clause: 'Resources, requestId',
    level: 'MUST',
    sentence: 'two requests whose requestIds differ only in the last character are two requests',
    loses: 'the wallet treats the second request as a repeat of the first, and one side pays',
    covers: ['I7'],
    steps: [
      ...[placeStep({ requestId: 'r' }), placeStep({ bet: 'Y', requestId: "r'", amount: '50' })],
      ...[settleStep('won', '120', { requestId: 's' }), settleStep('won', '120', { bet: 'Y', requestId: "s'" })],
    ],
  },
  {
    id: 'alike-03',
    clause: 'Place bet, partner action 3; User data, partner actions',
    level: 'MUST',
    sentence: 'a call whose token only begins like an issued token is no success',
    loses: 'whoever knows a part of a token can bet with the money of its player',
    covers: ['I7'],
    steps: (['cut short', 'longer', 'other end'] as const).flatMap((how) => [
      placeStep({ members: { token: nearMiss(how) } }, allowAnyFailure()),
      profileStep({ members: { token: nearMiss(how) } }, allowAnyFailure()),
    ]),
  },
  {
    id: 'alike-04',
    clause: 'P-1',
    level: 'SHOULD',
    sentence: 'a token in a different case is another token, and is refused',
    loses: 'no money is lost yet, but a token is easier to guess when case is ignored',
    covers: ['I7'],
    steps: [
      placeStep({ members: { token: nearMiss('other case') } }, allowRefused()),
      profileStep({ members: { token: nearMiss('other case') } }, allowRefused()),
    ],
  },
  {
    // The partner decides whether a userId in another case is the same player.
    id: 'alike-05',
    clause: 'Place bet, partner action 3; Resources, userId',
    level: 'MUST',
    sentence: 'with the token of one player, a bet is refused if its userId only begins like the userId of that player',
    loses: 'a player bets with the money of another player',
    covers: ['I7'],
    steps: [
      placeStep({ members: { userId: nearMiss('longer') } }, allowAnyFailure()),
      placeStep({ members: { userId: nearMiss('cut short') } }, allowAnyFailure()),
    ],
  },
  {
    // UUIDs that differ only in case are equal, and the interface calls these ids UUIDs.
    id: 'alike-06',
    clause: 'I-7',
    level: 'SHOULD',
    sentence: 'two bets whose ids differ in case only are two bets',
    loses: 'no money is lost as long as ids are uuids; otherwise a bet is accepted and never debited',
    covers: ['I7'],
    steps: [
      ...[placeStep(), placeStep({ bet: 'X in capitals', amount: '50' })],
      ...[settleStep('won', '120', { bet: 'X in capitals' }, allowAccepted('pay')), rollbackStep()],
    ],
  },
]
