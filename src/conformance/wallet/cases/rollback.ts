/** Part D, K18 to K21: the stake comes back once, whatever the order of the calls. */
import { ROLLBACK_REASON } from '../../../protocol/codes.ts'
import type { PlayedCase } from '../case/case.ts'
import { ALREADY_DONE, accept, deny, MOMENT, place, refuse, rollback, settle, times, whole } from '../case/words.ts'

/** The Rollback is done, in one of the two forms that the service understands. */
const GIVEN_BACK = [accept('cancel'), ALREADY_DONE]
/** 400/8, which is as good, has no time. */
const TIMED = [accept('cancel', ['says the time of the first answer']), ALREADY_DONE]
const UNMOVED = [accept('nothing'), refuse('already_processed')]
/** A bet of a player who has none by that id: refused, or taken for one that is not known. */
const NOTHING = [accept('nothing'), refuse()]

/** All that interface.md lists. */
const ERROR_CODES = Object.values(ROLLBACK_REASON)

export const ROLLBACK_CASES: readonly PlayedCase[] = [
  {
    id: 'rollback-01',
    clause: 'Rollback, partner action 4',
    level: 'MUST',
    sentence: 'a Rollback gives the stake back',
    loses: 'the stake of a bet that never was: the player pays',
    covers: ['D55'],
    steps: [place(), rollback()],
  },
  {
    id: 'rollback-02',
    clause: 'Rollback, never twice',
    level: 'MUST',
    sentence: 'ten Rollbacks, each with a new requestId, refund once',
    loses: 'nine stakes: the operator pays',
    covers: ['D56', 'D65', 'K18'],
    steps: [place(), ...times(10, () => rollback())],
  },
  {
    id: 'rollback-03',
    clause: 'Rollback, race',
    level: 'MUST',
    sentence: 'a bet that arrives after its Rollback debits nothing',
    loses: 'the stake of a bet that the service has given up: the player pays',
    covers: ['D57', 'D58', 'K19'],
    steps: [rollback(), place({}, [accept('nothing'), ...deny()])],
  },
  {
    id: 'rollback-04',
    clause: 'What the service does, 3; Rollback, partner action 4; I-4',
    level: 'MUST',
    sentence: 'what comes back is the stake that was debited, whatever the Rollback says',
    loses: 'a Rollback of 500 for a stake of 100: the operator pays 400',
    covers: ['D60', 'K18'],
    steps: [place(), rollback({ amount: '500' }, [accept('cancel'), ALREADY_DONE, ...deny()]), rollback()],
  },
  {
    id: 'rollback-05',
    clause: 'Rollback, answer 200',
    level: 'MUST',
    sentence: 'the Rollback of a bet that was refused for want of money refunds nothing',
    loses: 'money that the player never paid: the operator pays',
    covers: ['D61'],
    steps: [place({ amount: whole(1) }, refuse('not_enough_money')), rollback()],
  },
  {
    id: 'rollback-06',
    clause: 'Rollback, partner action 4',
    level: 'MUST',
    sentence: 'a bet that was paid is not refunded beside it',
    loses: 'stake and win together: the operator pays the stake',
    covers: ['D62', 'K21'],
    steps: [place(), settle('won', '200'), rollback()],
  },
  {
    id: 'rollback-07',
    clause: 'Settle, partner action 4; Rollback, partner action 4',
    level: 'MUST',
    sentence: 'a Settle after the Rollback pays nothing',
    loses: 'the win of a bet whose stake is back: the operator pays',
    covers: ['E82', 'K21'],
    steps: [place(), rollback(), settle('won', '200', {}, deny()), settle('cashout', '150', {}, deny())],
  },
  {
    id: 'rollback-08',
    clause: 'L-4',
    level: 'SHOULD',
    sentence: 'a Rollback without a token gives the stake back',
    loses: 'the stake of everyone whose session has ended: the player pays',
    covers: ['D63', 'K18'],
    steps: [place(), rollback({ token: 'none' })],
  },
  {
    id: 'rollback-09',
    clause: 'Rollback, token',
    level: 'MUST',
    sentence:
      'a Rollback with a token that was never given out, or of another player, gives the stake to the player whose bet it is',
    loses: 'the stake, which goes to whoever the token belongs to: the player pays',
    covers: ['D63', 'K18'],
    needs: ['B'],
    steps: [place(), rollback({ token: 'of B' }), place({ bet: 'Y' }), rollback({ bet: 'Y', token: 'unknown' })],
  },
  {
    id: 'rollback-10',
    clause: 'I-4',
    level: 'SHOULD',
    sentence: 'a Rollback with another amount than the stake, or without one, is carried out all the same',
    loses: 'the stake: the service does not ask again after a 400, and the player pays',
    covers: ['D60', 'K18'],
    steps: [
      ...[place(), rollback({ amount: '500' }, GIVEN_BACK)],
      ...[place({ bet: 'Y' }), rollback({ bet: 'Y', members: { amount: undefined } }, GIVEN_BACK)],
    ],
  },
  {
    id: 'rollback-11',
    clause: 'Rollback, partner action 4; Errors, rollback errorCode',
    level: 'MUST',
    sentence: 'a Rollback is carried out whatever of the listed reasons its errorCode is',
    loses: 'the stakes of all bets that are cancelled for a reason the wallet does not know: the player pays',
    covers: ['D64'],
    steps: ERROR_CODES.flatMap((errorCode) => {
      const bet = `X${errorCode}`
      return [place({ bet, amount: '10' }), rollback({ bet, members: { errorCode } })]
    }),
  },
  {
    id: 'rollback-12',
    clause: 'I-1',
    level: 'SHOULD',
    sentence: 'a Rollback that names another player leaves the bet as it is, and gives nobody money',
    loses: 'a stake that is given back while its bet goes on, or given to somebody else: the operator pays',
    covers: ['K22'],
    needs: ['B'],
    steps: [place(), rollback({ who: 'B' }, NOTHING), settle('won', '200', {}, accept('pay'))],
  },
  {
    id: 'rollback-13',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'a Rollback after the result moves nothing: a lost stake does not come back',
    loses: 'the stake of a lost bet: the operator pays',
    covers: ['D62', 'E72', 'K21'],
    steps: [place(), settle('lost', '0', {}, accept('pay')), rollback({}, UNMOVED)],
  },
  {
    id: 'rollback-14',
    clause: 'R-2',
    level: 'SHOULD',
    sentence: 'the repeat of a Rollback is answered with the time of the first',
    loses: 'nothing: the books of both sides disagree about when it was',
    covers: ['D56', 'I9'],
    steps: [...[place(), rollback({}, TIMED), MOMENT], rollback({}, TIMED)],
  },
  {
    id: 'rollback-15',
    clause: 'W-8',
    level: 'SHOULD',
    sentence: 'a Rollback for a reason that is not on the list is carried out',
    loses: 'the stakes of all bets that are cancelled for a reason the wallet does not know: the player pays',
    covers: ['D64'],
    steps: [place(), rollback({ members: { errorCode: 999 } })],
  },
]
