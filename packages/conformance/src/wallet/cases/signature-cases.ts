/** Cases: only calls that the service has signed move money, and every such call is understood. */

import { rawJson } from '../case/json-spelling.ts'
import {
  allowAccepted,
  allowAnyFailure,
  balanceStep,
  checkStep,
  placeStep,
  profileStep,
  rollbackStep,
  settleStep,
  unsettleStep,
} from '../case/step-builders.ts'
import type { CaseStep, SignatureVariant, StepCase } from '../case/wallet-case.ts'

const FORGED: readonly SignatureVariant[] = ['absent', 'garbage', 'wrong secret', 'two parts', 'of another body']

const ANYONE = 'whoever knows the address of the wallet can move money, and the operator pays'

function forgedCalls(call: (signature: SignatureVariant) => CaseStep): CaseStep[] {
  return FORGED.map(call)
}

function wronglySignedStep(signature: SignatureVariant): CaseStep {
  return placeStep({ bet: signature, signature }, allowAnyFailure())
}

export const SIGNATURE_CASES: readonly StepCase[] = [
  {
    id: 'signature-01',
    clause: 'Place bet, partner action 2',
    level: 'MUST',
    sentence: 'a Place bet that the service has not signed is refused and debits nothing',
    loses: 'whoever knows a token can bet with the money of its player',
    covers: ['A2', 'A3', 'A4', 'K1'],
    steps: forgedCalls((signature) => placeStep({ bet: signature, signature }, allowAnyFailure())),
  },
  {
    id: 'signature-02',
    clause: 'Settle, partner action 2',
    level: 'MUST',
    sentence: 'a Settle that the service has not signed is refused and pays nothing',
    loses: ANYONE,
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: [
      placeStep(),
      ...forgedCalls((signature) => settleStep('won', '200', { signature }, allowAnyFailure())),
      settleStep('won', '200'),
    ],
  },
  {
    id: 'signature-03',
    clause: 'Authentication, 1',
    level: 'MUST',
    sentence: 'an Unsettle that the service has not signed is refused and takes nothing back',
    loses: 'whoever knows the data of a bet can take the payout from its player',
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: [
      ...[placeStep(), settleStep('won', '200')],
      ...forgedCalls((signature) => unsettleStep('200', { signature }, allowAnyFailure())),
    ],
  },
  {
    id: 'signature-04',
    clause: 'Rollback, partner action 2',
    level: 'MUST',
    sentence: 'a Rollback that the service has not signed is refused and refunds nothing',
    loses: 'a player who loses a bet takes the stake back: the operator pays',
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: [placeStep(), ...forgedCalls((signature) => rollbackStep({ signature }, allowAnyFailure())), rollbackStep()],
  },
  {
    id: 'signature-05',
    clause: 'User data, partner actions',
    level: 'MUST',
    sentence: 'User data answers only calls that the service has signed',
    loses: 'no money is lost, but whoever knows a token can read the personal data of its player',
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: forgedCalls((signature) => profileStep({ signature }, allowAnyFailure())),
  },
  {
    id: 'signature-06',
    clause: 'Authentication, 1; S-2',
    level: 'MUST',
    sentence:
      'a signature whose header names the algorithm "none" is refused, because anyone can make it without the secret',
    loses: ANYONE,
    covers: ['A6', 'K3'],
    steps: [wronglySignedStep('alg none, unsigned')],
  },
  {
    id: 'signature-07',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'a header that names another algorithm is refused',
    loses: 'no money is lost yet, but the wallet ignores the algorithm in the header, which makes forgeries easier',
    covers: ['A6', 'K3'],
    // Two headers have the hash of the secret. A wallet that ignores the header accepts them, but
    // no attacker can forge them.
    steps: [wronglySignedStep('alg HS512'), wronglySignedStep('alg RS256'), wronglySignedStep('alg none')],
  },
  {
    id: 'signature-08',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'a signature that contains its own payload is refused',
    loses: 'a wallet that checks this payload instead of the body accepts any body, and the operator pays',
    covers: ['A7', 'K3'],
    steps: [wronglySignedStep('payload inside')],
  },
  {
    id: 'signature-09',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'a Place bet whose members are in another order is verified as it was sent, and accepted',
    loses: 'the wallet refuses bets that the service has signed, and the operator loses them',
    covers: ['A1', 'A5', 'K1'],
    steps: [placeStep({ spelling: 'reordered' })],
  },
  {
    id: 'signature-10',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'white space in a body belongs to the signed bytes',
    loses: 'the wallet refuses calls that the service has signed, also Rollbacks, and players lose their stakes',
    covers: ['A5', 'K2'],
    steps: [placeStep({ spelling: 'spaced' }), rollbackStep({ spelling: 'spaced' })],
  },
  {
    id: 'signature-11',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'amounts written 10.0 and 1e2 are verified as they are written, and mean 10 and 100',
    loses: 'bets of round amounts are refused, or booked wrongly',
    covers: ['A5', 'K1'],
    steps: [
      placeStep({ amount: '10.0' }),
      placeStep({ bet: 'Y', amount: '1e2' }),
      settleStep('won', '20.00', { amount: '20.00' }),
    ],
  },
  {
    id: 'signature-12',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'text beyond ASCII and escaped slashes are verified as they are written',
    loses: 'bets on a team such as Bodø are refused, because its name is not ASCII',
    covers: ['A5', 'C46', 'K1'],
    steps: [
      placeStep(),
      placeStep({ bet: 'Y', spelling: 'escaped' }),
      settleStep('won', '200', { spelling: 'escaped' }),
    ],
  },
  {
    id: 'signature-13',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'the header of the signature is verified as received, because platforms write it in two ways',
    loses: 'the operator loses every bet of a platform that writes this header in the other way',
    covers: ['A1', 'A5'],
    steps: [placeStep({ signature: 'other spelling' }), settleStep('won', '200', { signature: 'other spelling' })],
  },
  {
    id: 'signature-14',
    clause: 'Settle, resettle action 1; Resources, transactionId; S-4',
    level: 'MUST',
    sentence: 'the same bytes have no second effect when they are sent again',
    loses: 'a recorded Settle is paid as often as it is sent, and the operator pays',
    covers: ['A9', 'K9', 'K12'],
    steps: [
      placeStep({ named: 'bet' }),
      placeStep({ bytesOf: 'bet' }, [allowAccepted('debit'), ...allowAnyFailure()]),
      settleStep('won', '200', { named: 'result' }),
      settleStep('won', '200', { bytesOf: 'result' }),
    ],
  },
  {
    id: 'signature-15',
    clause: 'R-7',
    level: 'SHOULD',
    sentence: 'unknown members are accepted and ignored',
    loses: 'the operator loses every bet when the service adds a member',
    covers: ['A8', 'K27'],
    steps: [
      placeStep({ members: { addedLater: { deep: [1, null] }, amount2: rawJson('1e5') } }),
      settleStep('won', '200', { members: { addedLater: 'x' } }),
    ],
  },
  {
    id: 'signature-16',
    clause: 'Authentication, 1; P-3',
    level: 'MUST',
    sentence: 'Balance answers only calls that the service has signed',
    loses: 'no money is lost, but whoever knows one token can read the balance of every player',
    covers: ['A2', 'A3', 'A4', 'K2'],
    needs: ['/user/balance'],
    steps: forgedCalls((signature) => balanceStep({ signature }, allowAnyFailure())),
  },
  {
    id: 'signature-17',
    clause: 'Authentication, 1',
    level: 'MUST',
    sentence: 'a truncated or empty signature is refused',
    loses:
      'an attacker needs at most 4096 attempts to guess two characters, and one for an empty signature: the operator pays',
    covers: ['A3', 'K1'],
    steps: [wronglySignedStep('cut short'), wronglySignedStep('empty')],
  },
  {
    id: 'signature-18',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'a header that demands an extension (crit) is refused',
    loses: 'no money is lost yet, but the wallet ignores a demand in the header, which makes forgeries easier',
    covers: ['A6', 'K3'],
    steps: [wronglySignedStep('crit')],
  },
  {
    id: 'signature-19',
    clause: 'Authentication, 1; P-4',
    level: 'MUST',
    sentence: 'Check answers only calls that the service has signed',
    loses: 'no money is lost, but whoever knows the id of a bet can read its stake and its win',
    covers: ['I8', 'K2'],
    needs: ['/payment/check'],
    steps: [placeStep(), ...forgedCalls((signature) => checkStep({ signature }, allowAnyFailure()))],
  },
]
