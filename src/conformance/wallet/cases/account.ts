/** Players that may not bet (B 23, C 51): their bets are refused, their money still moves by what the service decides. */
import type { ReplyCode } from '../../../protocol/codes.ts'
import type { OperatorAct, PlayedCase, PlayerKind, Step } from '../case/case.ts'
import { accept, act, deny, place, refuse, rollback, settle } from '../case/words.ts'

/** A bet of a player that the operator has shut out; the code is published, the interface shows none. */
function shutOut(
  id: string,
  player: PlayerKind,
  code: ReplyCode,
  sentence: string,
  covers: readonly string[],
): PlayedCase {
  return {
    ...{ id, player, sentence, covers, clause: 'R-3', level: 'SHOULD', steps: [place({}, refuse(code))] },
    loses: 'a bet that the operator must not take: its licence',
  }
}

/** The calls that go on working for such a player. */
function goesOn(id: string, what: OperatorAct, sentence: string, covers: readonly string[]): PlayedCase {
  return {
    ...{
      id,
      sentence,
      covers,
      clause: 'Settle, partner action 5; Rollback, partner action 4; L-5',
      level: 'MUST',
      needs: ['operator'],
    },
    loses: 'the win or the stake of a player who was shut out meanwhile: the player pays',
    steps: [
      ...[place(), place({ bet: 'Y' }), act(what)],
      ...[settle('won', '200', {}, accept('pay')), rollback({ bet: 'Y' }), rollback()],
    ],
  }
}

/** A limit that the operator sets; a bet that would go beyond it is refused. */
function limited(id: string, what: OperatorAct, code: ReplyCode, sentence: string, steps: readonly Step[]): PlayedCase {
  return {
    ...{ id, sentence, clause: 'R-3', level: 'SHOULD', covers: ['C51'], needs: ['operator'] },
    loses: 'a bet that the operator must not take: its licence',
    steps: [act(what), place(), place({ bet: 'Y', amount: '60' }, refuse(code)), ...steps],
  }
}

export const ACCOUNT_CASES: readonly PlayedCase[] = [
  shutOut('account-01', 'blocked', 'player_blocked', 'a blocked player does not bet', ['B23']),
  shutOut('account-02', 'selfExcluded', 'self_excluded', 'a player who has excluded himself does not bet', ['C51']),
  shutOut('account-03', 'unverified', 'not_verified', 'a player who is not verified does not bet', ['C51']),
  shutOut('account-04', 'underAge', 'under_age', 'a player under age does not bet', ['C51']),
  goesOn('account-05', 'block', 'the bets of a player who is blocked meanwhile are settled and rolled back', [
    ...['B23', 'D68', 'E78'],
  ]),
  {
    id: 'account-06',
    clause: 'Settle, partner action 3; Rollback, token',
    level: 'MUST',
    sentence: 'the bets of a player who has logged out are settled and rolled back',
    loses: 'the win or the stake of a player who went to bed: the player pays',
    covers: ['D63', 'E76', 'E83', 'K10'],
    needs: ['operator'],
    steps: [
      ...[place(), place({ bet: 'Y' }), act('end sessions'), place({ bet: 'Z', token: 'dead' }, deny())],
      ...[settle('won', '200', { token: 'dead' }, accept('pay')), rollback({ bet: 'Y', token: 'dead' })],
    ],
  },
  limited('account-07', 'limit stake', 'stake_limit', 'stakes beyond the limit of the day are refused', [
    place({ bet: 'Z', amount: '50' }),
  ]),
  limited('account-08', 'limit loss', 'loss_limit', 'a bet that could lose more than the limit of the day is refused', [
    ...[settle('won', '200'), place({ bet: 'Z', amount: '60' })],
  ]),
  limited('account-09', 'limit bet count', 'bet_count_limit', 'bets beyond their number of the day are refused', [
    ...[rollback(), place({ bet: 'Z' })],
  ]),
]
