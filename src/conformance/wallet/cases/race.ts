/** Part F, K8, K9, K20 and K25: calls that meet. */
import type { Allowed, PlayedCase } from '../case/case.ts'
import {
  accept,
  deny,
  GIVEN_UP,
  percent,
  place,
  refuse,
  rollback,
  rounds,
  settle,
  times,
  together,
  UNKNOWN,
  unsettle,
} from '../case/words.ts'

/** Rounds of a race: enough to meet, few enough to be quick. */
const ROUNDS = 10
/** Bets at once in the burst at the end of a match. */
const CROWD = 20

/** A bet that meets another may fail (Place bet, responses): the service then takes it back. */
const BESIDE_OTHERS = [accept('debit'), refuse(), GIVEN_UP]
/** A bet that failed and was taken back wins nothing. */
const IF_IT_STANDS: readonly Allowed[] = [
  { ...accept('pay'), only: 'placed' },
  ...deny().map((one) => ({ ...one, only: 'unplaced' }) as const),
]

export const RACE_CASES: readonly PlayedCase[] = [
  {
    id: 'race-01',
    clause: 'Place bet, partner action 4; Place bet, partner action 5',
    level: 'MUST',
    sentence: 'of two bets at once that the balance cannot both pay, at most one is accepted',
    loses: 'players bet their balance twice: the operator pays',
    covers: ['C54', 'F104', 'K8'],
    steps: [
      rounds(
        ROUNDS,
        together([0, 1], ...['X', 'Y'].map((bet) => place({ bet, amount: percent(80) }, BESIDE_OTHERS))),
        ...['X', 'Y'].map((bet) => rollback({ bet })),
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
      rounds(ROUNDS, together([0, 10], ...times(10, () => place({}, [accept('debit'), ...UNKNOWN]))), rollback()),
    ],
  },
  {
    id: 'race-03',
    clause: 'Rollback, race',
    level: 'MUST',
    sentence: 'a bet and its Rollback at the same moment leave the balance as it was',
    loses: 'the stake of a bet that the service has given up: the player pays',
    covers: ['D59', 'K20'],
    steps: [rounds(ROUNDS, together([0, 2], place({}, [accept('debit'), ...deny()]), rollback()))],
  },
  {
    id: 'race-04',
    clause: 'Settle, resettle action 1',
    level: 'MUST',
    sentence: 'the same win several times at once is paid once',
    loses: 'a payout for every repeat that met the first: the operator pays',
    covers: ['F103', 'K12'],
    steps: [rounds(ROUNDS, place(), together([1, 4], ...times(4, () => settle('won', '200', {}, accept('pay')))))],
  },
  {
    id: 'race-05',
    clause: 'Place bet, partner action 5; Settle, partner action 5',
    level: 'MUST',
    sentence: 'a win and the new bets that are accepted at the same moment all count',
    loses: 'one of the two amounts, overwritten by the other',
    covers: ['K25'],
    // Whoever writes a balance that it read before the other came is seen only when the other is written in between.
    steps: [
      rounds(
        ROUNDS,
        place(),
        together(
          [1, 3],
          place({ bet: 'Y', amount: '10' }, BESIDE_OTHERS),
          settle('won', '120', {}, accept('pay')),
          place({ bet: 'Z', amount: '10' }, BESIDE_OTHERS),
        ),
      ),
    ],
  },
  {
    id: 'race-06',
    clause: "The bet's life",
    level: 'SHOULD',
    sentence: 'two Unsettles at once take the payout back once',
    loses: 'a payout that is taken twice: the player pays',
    covers: ['E93', 'K16'],
    steps: [
      rounds(ROUNDS, place(), settle('won', '200'), together([0, 2], unsettle('200'), unsettle('200')), rollback()),
    ],
  },
  {
    id: 'race-07',
    clause: 'Rollback, never twice',
    level: 'MUST',
    sentence: 'two Rollbacks at once give the stake back once',
    loses: 'a stake for each Rollback that overtook its answer: the operator pays',
    covers: ['D56', 'K18'],
    steps: [rounds(ROUNDS, place(), together([0, 2], rollback(), rollback()))],
  },
  {
    id: 'race-08',
    clause: 'Place bet, partner action 5; Settle, partner action 5',
    level: 'MUST',
    sentence:
      'of twenty bets of one player at once those that are accepted are all debited, and their results at once are all paid',
    loses: 'every bet or win that is overwritten when a match ends',
    covers: ['E81', 'F101', 'F103'],
    steps: [
      together([0, CROWD], ...times(CROWD, (index) => place({ bet: `X${index}`, amount: '10' }, BESIDE_OTHERS))),
      together([0, CROWD], ...times(CROWD, (index) => settle('won', '15', { bet: `X${index}` }, IF_IT_STANDS))),
    ],
  },
  {
    id: 'race-09',
    clause: 'Place bet, partner action 5',
    level: 'MUST',
    sentence: 'of two players who bet at the same moment each pays the own bets',
    loses: 'the stake of one, debited from the other',
    covers: ['F106'],
    needs: ['B'],
    steps: [
      together(
        [0, 4],
        ...['X', 'Y'].flatMap((bet) => [
          place({ bet }, BESIDE_OTHERS),
          place({ bet: `B's ${bet}`, who: 'B', amount: '30' }, BESIDE_OTHERS),
        ]),
      ),
      ...['X', 'Y'].flatMap((bet) => [rollback({ bet }), rollback({ bet: `B's ${bet}`, who: 'B' })]),
    ],
  },
  {
    id: 'race-10',
    clause: 'R-4',
    level: 'SHOULD',
    sentence: 'bets of one player, and of two, at the same moment are all accepted, and so is a win beside them',
    loses: 'the bets that are refused when a match ends: the operator loses them',
    covers: ['E81', 'F101', 'F106', 'K25'],
    needs: ['B'],
    steps: [
      rounds(
        ROUNDS,
        place(),
        together(
          4,
          ...['Y', 'Z'].map((bet) => place({ bet, amount: '10' })),
          settle('won', '120', {}, accept('pay')),
          place({ bet: "B's X", who: 'B', amount: '30' }),
        ),
        rollback({ bet: "B's X", who: 'B' }),
      ),
      together(CROWD, ...times(CROWD, (index) => place({ bet: `X${index}`, amount: '10' }))),
    ],
  },
]
