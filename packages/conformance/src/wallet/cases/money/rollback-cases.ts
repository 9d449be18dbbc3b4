/** Cases: a Rollback refunds the stake once, in any order of the calls. */
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import {
  ALLOW_ALREADY_DONE,
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  buildTimes,
  placeStep,
  rollbackStep,
  SHORT_PAUSE,
  settleStep,
  wholeBalance,
} from '../../case/step-builders.ts'
import type { StepCase } from '../../case/wallet-case.ts'

/** The two answers to a Rollback that the service treats as done. */
const GIVEN_BACK = [allowAccepted('cancel'), ALLOW_ALREADY_DONE]
/** 400 with code 8 is an equal success, but has no time. */
const TIMED = [allowAccepted('cancel', ['has the time of the first answer']), ALLOW_ALREADY_DONE]
const UNMOVED = [allowAccepted('nothing'), allowRefused('already_processed')]
/** The player has no bet with this id. The call is rejected, or treated like an unknown bet. */
const NOTHING = [allowAccepted('nothing'), allowRefused()]

/** All codes of interface.md. */
const ERROR_CODES = Object.values(ROLLBACK_REASON)

export const ROLLBACK_CASES: readonly StepCase[] = [
  {
    id: 'rollback-01',
    clause: 'Rollback, partner action 4',
    level: 'MUST',
    sentence: 'a Rollback gives the stake back',
    loses: 'the player pays for a bet that does not exist',
    covers: ['D55'],
    steps: [placeStep(), rollbackStep()],
  },
  {
    id: 'rollback-02',
    clause: 'Rollback, never twice',
    level: 'MUST',
    sentence: 'ten Rollbacks, each with a new requestId, refund once',
    loses: 'the operator refunds nine stakes too many',
    covers: ['D56', 'D65', 'K18'],
    steps: [placeStep(), ...buildTimes(10, () => rollbackStep())],
  },
  {
    id: 'rollback-03',
    clause: 'Rollback, race',
    level: 'MUST',
    sentence: 'a bet that arrives after its Rollback debits nothing',
    loses: 'the player pays for a bet that the service has cancelled',
    covers: ['D57', 'D58', 'K19'],
    steps: [rollbackStep(), placeStep({}, [allowAccepted('nothing'), ...allowAnyFailure()])],
  },
  {
    id: 'rollback-04',
    clause: 'What the service does, 3; Rollback, partner action 4; I-4',
    level: 'MUST',
    sentence: 'a Rollback returns the debited stake, whatever amount it names',
    loses: 'a Rollback of 500 refunds 500 for a stake of 100, and the operator pays 400',
    covers: ['D60', 'K18'],
    steps: [
      placeStep(),
      rollbackStep({ amount: '500' }, [allowAccepted('cancel'), ALLOW_ALREADY_DONE, ...allowAnyFailure()]),
      rollbackStep(),
    ],
  },
  {
    id: 'rollback-05',
    clause: 'Rollback, answer 200',
    level: 'MUST',
    sentence: 'the Rollback of a bet that was refused for insufficient funds refunds nothing',
    loses: 'the operator refunds money that the player never paid',
    covers: ['D61'],
    steps: [placeStep({ amount: wholeBalance(1) }, allowRefused('not_enough_money')), rollbackStep()],
  },
  {
    id: 'rollback-06',
    clause: 'Rollback, partner action 4',
    level: 'MUST',
    sentence: 'a bet that was paid is not refunded in addition',
    loses: 'the operator pays the stake in addition to the win',
    covers: ['D62', 'K21'],
    steps: [placeStep(), settleStep('won', '200'), rollbackStep()],
  },
  {
    id: 'rollback-07',
    clause: 'Settle, partner action 4; Rollback, partner action 4',
    level: 'MUST',
    sentence: 'a Settle after the Rollback pays nothing',
    loses: 'the operator pays the win of a bet whose stake was refunded',
    covers: ['E82', 'K21'],
    steps: [
      placeStep(),
      rollbackStep(),
      settleStep('won', '200', {}, allowAnyFailure()),
      settleStep('cashout', '150', {}, allowAnyFailure()),
    ],
  },
  {
    id: 'rollback-08',
    clause: 'L-4',
    level: 'SHOULD',
    sentence: 'a Rollback without a token gives the stake back',
    loses: 'every player whose session has ended loses the stake',
    covers: ['D63', 'K18'],
    steps: [placeStep(), rollbackStep({ token: 'none' })],
  },
  {
    id: 'rollback-09',
    clause: 'Rollback, token',
    level: 'MUST',
    sentence:
      "a Rollback with a token that was never issued, or with another player's token, returns the stake to the player of the bet",
    loses: 'the stake goes to the player of the token, and the player of the bet pays',
    covers: ['D63', 'K18'],
    needs: ['B'],
    steps: [
      placeStep(),
      rollbackStep({ token: 'of B' }),
      placeStep({ bet: 'Y' }),
      rollbackStep({ bet: 'Y', token: 'unknown' }),
    ],
  },
  {
    id: 'rollback-10',
    clause: 'I-4',
    level: 'SHOULD',
    sentence: 'a Rollback with another amount than the stake, or without an amount, is still carried out',
    loses: 'the service does not retry after a 400, and the player loses the stake',
    covers: ['D60', 'K18'],
    steps: [
      ...[placeStep(), rollbackStep({ amount: '500' }, GIVEN_BACK)],
      ...[placeStep({ bet: 'Y' }), rollbackStep({ bet: 'Y', members: { amount: undefined } }, GIVEN_BACK)],
    ],
  },
  {
    id: 'rollback-11',
    clause: 'Rollback, partner action 4; Errors, rollback errorCode',
    level: 'MUST',
    sentence: 'a Rollback is carried out with every reason that the interface lists for its errorCode',
    loses: 'players lose the stakes of all bets that are cancelled for a reason unknown to the wallet',
    covers: ['D64'],
    steps: ERROR_CODES.flatMap((errorCode) => {
      const bet = `X${errorCode}`
      return [placeStep({ bet, amount: '10' }), rollbackStep({ bet, members: { errorCode } })]
    }),
  },
  {
    id: 'rollback-12',
    clause: 'I-1',
    level: 'SHOULD',
    sentence: 'a Rollback that names another player leaves the bet as it is, and pays no player',
    loses: 'the operator refunds the stake of a bet that continues, or refunds it to another player',
    covers: ['K22'],
    needs: ['B'],
    steps: [placeStep(), rollbackStep({ who: 'B' }, NOTHING), settleStep('won', '200', {}, allowAccepted('pay'))],
  },
  {
    id: 'rollback-13',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'a Rollback after the result moves nothing: a lost stake does not come back',
    loses: 'the operator refunds the stake of a lost bet',
    covers: ['D62', 'E72', 'K21'],
    steps: [placeStep(), settleStep('lost', '0', {}, allowAccepted('pay')), rollbackStep({}, UNMOVED)],
  },
  {
    id: 'rollback-14',
    clause: 'R-2',
    level: 'SHOULD',
    sentence: 'the repeat of a Rollback is answered with the time of the first answer',
    loses: 'no money is lost, but the books of both sides have different times',
    covers: ['D56', 'I9'],
    steps: [...[placeStep(), rollbackStep({}, TIMED), SHORT_PAUSE], rollbackStep({}, TIMED)],
  },
  {
    id: 'rollback-15',
    clause: 'W-8',
    level: 'SHOULD',
    sentence: 'a Rollback for a reason that is not listed is carried out',
    loses: 'players lose the stakes of all bets that are cancelled for a reason unknown to the wallet',
    covers: ['D64'],
    steps: [placeStep(), rollbackStep({ members: { errorCode: 999 } })],
  },
]
