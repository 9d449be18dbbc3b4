/** Cases: concurrent calls about the same bet or player move the right money. */

import {
  ALLOW_GIVEN_UP,
  ALLOW_UNKNOWN,
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  balancePercent,
  buildTimes,
  concurrentStep,
  placeStep,
  rollbackStep,
  roundsStep,
  settleStep,
  unsettleStep,
} from '../case/step-builders.ts'
import type { AllowedAnswer, StepCase } from '../case/wallet-case.ts'

/** Rounds of a race: enough for collisions, few enough to be quick. */
const ROUNDS = 10
/** Concurrent bets of the burst at the end of a match. */
const BURST_BETS = 20

/** A bet in a race may fail (Place bet, responses), and then the service rolls it back. */
const ALLOW_IN_RACE = [allowAccepted('debit'), allowRefused(), ALLOW_GIVEN_UP]
const ALLOW_IF_PLACED: readonly AllowedAnswer[] = [
  { ...allowAccepted('pay'), only: 'placed' },
  ...allowAnyFailure().map((one) => ({ ...one, only: 'unplaced' }) as const),
]

export const RACE_CASES: readonly StepCase[] = [
  {
    id: 'race-01',
    clause: 'Place bet, partner action 4; Place bet, partner action 5',
    level: 'MUST',
    sentence: 'at most one of two simultaneous bets is accepted when the balance cannot pay both',
    loses: 'players bet their balance twice: the operator pays',
    covers: ['C54', 'F104', 'K8'],
    steps: [
      roundsStep(
        ROUNDS,
        concurrentStep(
          [0, 1],
          ...['X', 'Y'].map((bet) => placeStep({ bet, amount: balancePercent(80) }, ALLOW_IN_RACE)),
        ),
        ...['X', 'Y'].map((bet) => rollbackStep({ bet })),
      ),
    ],
  },
  {
    id: 'race-02',
    clause: 'Resources, transactionId; I-2',
    level: 'MUST',
    sentence: 'the same bet ten times at once debits once',
    loses: 'the player pays for one bet as often as it is sent',
    covers: ['F102', 'K9'],
    steps: [
      roundsStep(
        ROUNDS,
        concurrentStep([0, 10], ...buildTimes(10, () => placeStep({}, [allowAccepted('debit'), ...ALLOW_UNKNOWN]))),
        rollbackStep(),
      ),
    ],
  },
  {
    id: 'race-03',
    clause: 'Rollback, race',
    level: 'MUST',
    sentence: 'a bet and its Rollback at the same moment leave the balance as it was',
    loses: 'the player pays for a bet that the service has cancelled',
    covers: ['D59', 'K20'],
    steps: [
      roundsStep(
        ROUNDS,
        concurrentStep([0, 2], placeStep({}, [allowAccepted('debit'), ...allowAnyFailure()]), rollbackStep()),
      ),
    ],
  },
  {
    id: 'race-04',
    clause: 'Settle, resettle action 1',
    level: 'MUST',
    sentence: 'the same win several times at once is paid once',
    loses: 'the operator pays again for every repeat that overlaps the first call',
    covers: ['F103', 'K12'],
    steps: [
      roundsStep(
        ROUNDS,
        placeStep(),
        concurrentStep([1, 4], ...buildTimes(4, () => settleStep('won', '200', {}, allowAccepted('pay')))),
      ),
    ],
  },
  {
    id: 'race-05',
    clause: 'Place bet, partner action 5; Settle, partner action 5',
    level: 'MUST',
    sentence: 'a win and the new bets that are accepted at the same moment all count',
    loses: 'one of the two amounts is lost, because the other overwrites it',
    covers: ['K25'],
    // A lost update is visible only if another call commits between the read and the write of a
    // balance.
    steps: [
      roundsStep(
        ROUNDS,
        placeStep(),
        concurrentStep(
          [1, 3],
          placeStep({ bet: 'Y', amount: '10' }, ALLOW_IN_RACE),
          settleStep('won', '120', {}, allowAccepted('pay')),
          placeStep({ bet: 'Z', amount: '10' }, ALLOW_IN_RACE),
        ),
      ),
    ],
  },
  {
    id: 'race-06',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'two Unsettles at once take the payout back once',
    loses: 'the payout is taken back twice, and the player pays',
    covers: ['E93', 'K16'],
    steps: [
      roundsStep(
        ROUNDS,
        placeStep(),
        settleStep('won', '200'),
        concurrentStep([0, 2], unsettleStep('200'), unsettleStep('200')),
        rollbackStep(),
      ),
    ],
  },
  {
    id: 'race-07',
    clause: 'Rollback, never twice',
    level: 'MUST',
    sentence: 'two Rollbacks at once give the stake back once',
    loses: 'the operator refunds the stake again for each simultaneous Rollback',
    covers: ['D56', 'K18'],
    steps: [roundsStep(ROUNDS, placeStep(), concurrentStep([0, 2], rollbackStep(), rollbackStep()))],
  },
  {
    id: 'race-08',
    clause: 'Place bet, partner action 5; Settle, partner action 5',
    level: 'MUST',
    sentence:
      'when one player places twenty bets at once, each accepted bet is debited, and their simultaneous results are all paid',
    loses: 'bets and wins that are overwritten at the end of a match are lost',
    covers: ['E81', 'F101', 'F103'],
    steps: [
      concurrentStep(
        [0, BURST_BETS],
        ...buildTimes(BURST_BETS, (index) => placeStep({ bet: `X${index}`, amount: '10' }, ALLOW_IN_RACE)),
      ),
      concurrentStep(
        [0, BURST_BETS],
        ...buildTimes(BURST_BETS, (index) => settleStep('won', '15', { bet: `X${index}` }, ALLOW_IF_PLACED)),
      ),
    ],
  },
  {
    id: 'race-09',
    clause: 'Place bet, partner action 5',
    level: 'MUST',
    sentence: 'two players who bet at the same moment each pay their own bets',
    loses: 'the stake of one player is debited from the other',
    covers: ['F106'],
    needs: ['B'],
    steps: [
      concurrentStep(
        [0, 4],
        ...['X', 'Y'].flatMap((bet) => [
          placeStep({ bet }, ALLOW_IN_RACE),
          placeStep({ bet: `B's ${bet}`, who: 'B', amount: '30' }, ALLOW_IN_RACE),
        ]),
      ),
      ...['X', 'Y'].flatMap((bet) => [rollbackStep({ bet }), rollbackStep({ bet: `B's ${bet}`, who: 'B' })]),
    ],
  },
  {
    id: 'race-10',
    clause: 'R-4',
    level: 'SHOULD',
    sentence: 'simultaneous bets of one player and of two players are all accepted, and so is a simultaneous win',
    loses: 'the operator loses the bets that are refused at the end of a match',
    covers: ['E81', 'F101', 'F106', 'K25'],
    needs: ['B'],
    steps: [
      roundsStep(
        ROUNDS,
        placeStep(),
        concurrentStep(
          4,
          ...['Y', 'Z'].map((bet) => placeStep({ bet, amount: '10' })),
          settleStep('won', '120', {}, allowAccepted('pay')),
          placeStep({ bet: "B's X", who: 'B', amount: '30' }),
        ),
        rollbackStep({ bet: "B's X", who: 'B' }),
      ),
      concurrentStep(BURST_BETS, ...buildTimes(BURST_BETS, (index) => placeStep({ bet: `X${index}`, amount: '10' }))),
    ],
  },
]
