/**
 * Cases: an attacker sends a recorded call to the path of another operation, or sends it late.
 *
 * The signature covers neither method, path nor time, and the interface permits both replays. Two
 * rules of this project prevent them: one for the operation (S-5), one for late copies (I-2).
 */

import {
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  balanceStep,
  checkStep,
  placeStep,
  profileStep,
  settleStep,
  unsettleStep,
  wholeBalance,
} from '../case/step-builders.ts'
import type { StepCase } from '../case/wallet-case.ts'

const NOTHING = [allowAccepted('nothing'), ...allowAnyFailure()]

export const REPLAY_CASES: readonly StepCase[] = [
  {
    id: 'replay-01',
    clause: 'S-5',
    level: 'SHOULD',
    sentence:
      'the bytes and the signature of a Place bet take nothing back when they are sent with PUT, as an Unsettle',
    loses: 'a recorded bet is enough to take its payout from the player, as often as it is paid',
    covers: ['I1'],
    steps: [
      ...[placeStep({ named: 'bet' }), settleStep('won', '200', {}, allowAccepted('pay'))],
      // Sent twice, because a wallet may treat the first as the repeat of an Unsettle.
      ...[unsettleStep('100', { bytesOf: 'bet' }, NOTHING), settleStep('won', '200', {}, allowAccepted('pay'))],
      unsettleStep('100', { bytesOf: 'bet' }, NOTHING),
    ],
  },
  {
    id: 'replay-02',
    clause: 'S-5',
    level: 'SHOULD',
    sentence: 'the bytes of a Place bet get no profile from User data',
    loses: 'no money is lost, but a recorded bet is enough to read the name, e-mail and birthday of a player',
    covers: ['I2'],
    steps: [placeStep({ named: 'bet' }), profileStep({ bytesOf: 'bet' }, allowRefused())],
  },
  {
    id: 'replay-03',
    clause: 'S-5',
    level: 'SHOULD',
    sentence: 'the bytes of a Place bet get no balance from Balance',
    loses: 'no money is lost, but a recorded bet is enough to read the balance of a player',
    covers: ['I2'],
    needs: ['/user/balance'],
    steps: [placeStep({ named: 'bet' }), balanceStep({ bytesOf: 'bet' }, allowRefused())],
  },
  {
    id: 'replay-04',
    clause: 'S-5',
    level: 'SHOULD',
    sentence: 'the bytes of a Place bet get no data from Check',
    loses: 'no money is lost, but a recorded bet is enough to read its outcome',
    covers: ['I2'],
    needs: ['/payment/check'],
    steps: [placeStep({ named: 'bet' }), checkStep({ bytesOf: 'bet' }, allowRefused())],
  },
  {
    id: 'replay-05',
    clause: 'I-2',
    level: 'SHOULD',
    sentence: 'a result that was refused with 20 or 21 does not replace a newer one when a late copy of it arrives',
    loses: 'an abandoned result replaces the one that the service relies on, and one side pays',
    covers: ['I3'],
    // The lower result is rejected while the open bet Y holds the win (L-2). When the late copy
    // arrives, the player has the money.
    steps: [
      ...[
        placeStep(),
        settleStep('won', '200', {}, allowAccepted('pay')),
        placeStep({ bet: 'Y', amount: wholeBalance() }),
      ],
      settleStep('won', '50', { named: 'refused' }),
      settleStep('won', '210'),
      settleStep('refund', '300', { bet: 'Y' }, allowAccepted('pay')),
      settleStep('won', '50', { bytesOf: 'refused' }, NOTHING),
    ],
  },
  {
    id: 'replay-06',
    clause: 'I-2; L-2',
    level: 'SHOULD',
    sentence: 'a result that was refused with 21 is applied when it is sent again and the player has the money',
    loses: 'a possible correction is never made, and the operator pays the difference',
    covers: ['I4'],
    steps: [
      ...[
        placeStep(),
        settleStep('won', '200', {}, allowAccepted('pay')),
        placeStep({ bet: 'Y', amount: wholeBalance() }),
      ],
      settleStep('won', '50', { named: 'refused' }),
      settleStep('refund', '300', { bet: 'Y' }, allowAccepted('pay')),
      settleStep('won', '50', { bytesOf: 'refused' }, [allowAccepted('pay'), allowRefused('recalculation_blocked')]),
    ],
  },
]
