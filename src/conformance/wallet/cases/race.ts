/** Part F, K8, K9, K20 and K25: calls that meet. */
import type { PlayedCase } from '../case.ts'
import { accept, percent, place, refuse, rollback, rounds, settle, times, together, unsettle } from '../words.ts'

/** Rounds of a race: enough to meet, few enough to be quick. */
const ROUNDS = 10
/** Bets at once in the burst at the end of a match. */
const CROWD = 20

export const RACE_CASES: readonly PlayedCase[] = [
  {
    id: 'race-01',
    clause: 'Place bet, partner action 4; Place bet, partner action 5',
    level: 'MUST',
    sentence: 'of two bets at once that the balance cannot both pay, exactly one is accepted',
    loses: 'players bet their balance twice: the operator pays',
    covers: ['C54', 'F104', 'K8'],
    steps: [
      rounds(
        ROUNDS,
        together(1, ...['X', 'Y'].map((bet) => place({ bet, amount: percent(80) }, [accept('debit'), refuse(7, 100)]))),
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
    steps: [rounds(ROUNDS, together([1, 10], ...times(10, () => place({}, [accept('debit'), refuse()]))), rollback())],
  },
  {
    id: 'race-03',
    clause: 'Rollback, race',
    level: 'MUST',
    sentence: 'a bet and its Rollback at the same moment leave the balance as it was',
    loses: 'the stake of a bet that the service has given up: the player pays',
    covers: ['D59', 'K20'],
    steps: [rounds(ROUNDS, together([0, 2], place({}, [accept('debit'), refuse()]), rollback()))],
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
    clause: 'R-4',
    level: 'SHOULD',
    sentence: 'a win and a new bet at the same moment both count',
    loses: 'one of the two amounts, overwritten by the other',
    covers: ['K25'],
    // Whoever writes a balance that it read before the other came is seen only when the other is written in between.
    steps: [
      rounds(
        ROUNDS,
        place(),
        together(
          3,
          place({ bet: 'Y', amount: '10' }),
          settle('won', '120', {}, accept('pay')),
          place({ bet: 'Z', amount: '10' }),
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
    clause: 'R-4',
    level: 'SHOULD',
    sentence: 'twenty bets of one player at once are all debited, and their results at once are all paid',
    loses: 'every bet or win that is refused, or overwritten, when a match ends',
    covers: ['E81', 'F101', 'F103'],
    steps: [
      together(CROWD, ...times(CROWD, (index) => place({ bet: `X${index}`, amount: '10' }))),
      together(CROWD, ...times(CROWD, (index) => settle('won', '15', { bet: `X${index}` }, accept('pay')))),
    ],
  },
  {
    id: 'race-09',
    clause: 'R-4',
    level: 'SHOULD',
    sentence: 'two players who bet at the same moment are both served, each from the own balance',
    loses: 'the stake of one, debited from the other',
    covers: ['F106'],
    needs: ['B'],
    steps: [
      together(
        4,
        ...['X', 'Y'].flatMap((bet) => [place({ bet }), place({ bet: `B's ${bet}`, who: 'B', amount: '30' })]),
      ),
      ...['X', 'Y'].flatMap((bet) => [rollback({ bet }), rollback({ bet: `B's ${bet}`, who: 'B' })]),
    ],
  },
]
