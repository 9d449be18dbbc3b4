/** Part A and K1 to K3: only what the service has signed may move money, and all that it has signed must be understood. */
import type { PlayedCase, Signature, Step } from '../case/case.ts'
import { written } from '../case/json-text.ts'
import { accept, balance, check, deny, place, profile, rollback, settle, unsettle } from '../case/words.ts'

const FORGED: readonly Signature[] = ['absent', 'garbage', 'wrong secret', 'two parts', 'of another body']

const ANYONE = 'anyone who finds the address moves money: the operator pays'

/** One call, forged in every way. */
function forgeries(call: (signature: Signature) => Step): Step[] {
  return FORGED.map(call)
}

/** One more way to sign wrongly, on a bet. */
function wronglySigned(signature: Signature): Step {
  return place({ bet: signature, signature }, deny())
}

export const SIGNATURE_CASES: readonly PlayedCase[] = [
  {
    id: 'signature-01',
    clause: 'Place bet, partner action 2',
    level: 'MUST',
    sentence: 'a Place bet that the service has not signed is refused and debits nothing',
    loses: 'anyone who knows a token bets with the money of its player',
    covers: ['A2', 'A3', 'A4', 'K1'],
    steps: forgeries((signature) => place({ bet: signature, signature }, deny())),
  },
  {
    id: 'signature-02',
    clause: 'Settle, partner action 2',
    level: 'MUST',
    sentence: 'a Settle that the service has not signed is refused and pays nothing',
    loses: ANYONE,
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: [place(), ...forgeries((signature) => settle('won', '200', { signature }, deny())), settle('won', '200')],
  },
  {
    id: 'signature-03',
    clause: 'Authentication, 1',
    level: 'MUST',
    sentence: 'an Unsettle that the service has not signed is refused and takes nothing back',
    loses: 'anyone who knows a bet takes the payout from its player',
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: [...[place(), settle('won', '200')], ...forgeries((signature) => unsettle('200', { signature }, deny()))],
  },
  {
    id: 'signature-04',
    clause: 'Rollback, partner action 2',
    level: 'MUST',
    sentence: 'a Rollback that the service has not signed is refused and refunds nothing',
    loses: 'a player who loses a bet takes the stake back: the operator pays',
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: [place(), ...forgeries((signature) => rollback({ signature }, deny())), rollback()],
  },
  {
    id: 'signature-05',
    clause: 'User data, partner actions',
    level: 'MUST',
    sentence: 'User data is told only to the service',
    loses: 'no money: the personal data of players, to anyone who has a token',
    covers: ['A2', 'A3', 'A4', 'K2'],
    steps: forgeries((signature) => profile({ signature }, deny())),
  },
  {
    id: 'signature-06',
    clause: 'Authentication, 1; S-2',
    level: 'MUST',
    sentence: 'a header that says "none" needs no secret, and is refused',
    loses: ANYONE,
    covers: ['A6', 'K3'],
    steps: [wronglySigned('alg none, unsigned')],
  },
  {
    id: 'signature-07',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'a header that names another algorithm is refused',
    loses: 'nothing yet: what the header names and what is checked have parted, as forgeries begin',
    covers: ['A6', 'K3'],
    // Two of them with the hash of the secret: who never reads the header takes them, and nobody can forge them.
    steps: [wronglySigned('alg HS512'), wronglySigned('alg RS256'), wronglySigned('alg none')],
  },
  {
    id: 'signature-08',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'a signature that brings a payload of its own is refused',
    loses: 'whoever checks that payload instead of the body lets any body through: the operator pays',
    covers: ['A7', 'K3'],
    steps: [wronglySigned('payload inside')],
  },
  {
    id: 'signature-09',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'a Place bet with its members in another order is understood as it was signed',
    loses: 'bets are refused that the service has signed: the operator loses them',
    covers: ['A1', 'A5', 'K1'],
    steps: [place({ spelling: 'reordered' })],
  },
  {
    id: 'signature-10',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'white space in a body is signed like the rest of it',
    loses: 'calls are refused that the service has signed, Rollbacks among them: players lose their stakes',
    covers: ['A5', 'K2'],
    steps: [place({ spelling: 'spaced' }), rollback({ spelling: 'spaced' })],
  },
  {
    id: 'signature-11',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'amounts written 10.0 and 1e2 are verified as they are written, and mean 10 and 100',
    loses: 'bets of even amounts are refused, or booked wrongly',
    covers: ['A5', 'K1'],
    steps: [place({ amount: '10.0' }), place({ bet: 'Y', amount: '1e2' }), settle('won', '20.00', { amount: '20.00' })],
  },
  {
    id: 'signature-12',
    clause: 'Authentication, 1; S-1',
    level: 'MUST',
    sentence: 'text beyond ASCII and escaped slashes are verified as they are written',
    loses: 'bets on Bodø are refused, those on Brann are not',
    covers: ['A5', 'C46', 'K1'],
    steps: [place(), place({ bet: 'Y', spelling: 'escaped' }), settle('won', '200', { spelling: 'escaped' })],
  },
  {
    id: 'signature-13',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'the header of the signature is taken as it came: two spellings of it occur',
    loses: 'every bet of a platform that spells the header differently',
    covers: ['A1', 'A5'],
    steps: [place({ signature: 'other spelling' }), settle('won', '200', { signature: 'other spelling' })],
  },
  {
    id: 'signature-14',
    clause: 'Settle, resettle action 1; Resources, transactionId; S-4',
    level: 'MUST',
    sentence: 'the same bytes once more have no second effect',
    loses: 'whoever records one signed Settle is paid as often as it is sent: the operator pays',
    covers: ['A9', 'K9', 'K12'],
    steps: [
      place({ named: 'bet' }),
      place({ bytesOf: 'bet' }, [accept('debit'), ...deny()]),
      settle('won', '200', { named: 'result' }),
      settle('won', '200', { bytesOf: 'result' }),
    ],
  },
  {
    id: 'signature-15',
    clause: 'R-7',
    level: 'SHOULD',
    sentence: 'members that nobody has heard of are accepted and ignored',
    loses: 'every bet on the day on which the service adds a member',
    covers: ['A8', 'K27'],
    steps: [
      place({ members: { addedLater: { deep: [1, null] }, amount2: written('1e5') } }),
      settle('won', '200', { members: { addedLater: 'x' } }),
    ],
  },
  {
    id: 'signature-16',
    clause: 'Authentication, 1; P-3',
    level: 'MUST',
    sentence: 'Balance is told only to the service',
    loses: 'no money: what every player has, to anyone who has a token',
    covers: ['A2', 'A3', 'A4', 'K2'],
    needs: ['/user/balance'],
    steps: forgeries((signature) => balance({ signature }, deny())),
  },
  {
    id: 'signature-17',
    clause: 'Authentication, 1',
    level: 'MUST',
    sentence: 'a signature of which only the beginning is there is refused',
    loses: 'two characters are guessed in 4096 attempts, and none at all in one: the operator pays',
    covers: ['A3', 'K1'],
    steps: [wronglySigned('cut short'), wronglySigned('empty')],
  },
  {
    id: 'signature-18',
    clause: 'S-2',
    level: 'SHOULD',
    sentence: 'a header that demands an extension (crit) is refused',
    loses: 'nothing yet: what the header demands and what is checked have parted, as forgeries begin',
    covers: ['A6', 'K3'],
    steps: [wronglySigned('crit')],
  },
  {
    id: 'signature-19',
    clause: 'Authentication, 1; P-4',
    level: 'MUST',
    sentence: 'Check is answered only to the service',
    loses: 'no money: what players bet and win, to anyone who has the id of a bet',
    covers: ['I8', 'K2'],
    needs: ['/payment/check'],
    steps: [place(), ...forgeries((signature) => check({ signature }, deny()))],
  },
]
