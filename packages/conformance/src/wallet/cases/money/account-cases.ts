/**
 * Cases: bets of restricted players are rejected. Results and refunds of their earlier bets are
 * still accepted.
 */
import type { ReplyCode } from '@purser/protocol/reply-codes'
import {
  allowAccepted,
  allowAnyFailure,
  allowRefused,
  operatorStep,
  placeStep,
  rollbackStep,
  settleStep,
} from '../../case/step-builders.ts'
import type { CaseStep, OperatorAction, PlayerKind, StepCase } from '../../case/wallet-case.ts'

/** The code is published, but interface.md does not contain it. */
function restrictedPlayerCase(
  id: string,
  player: PlayerKind,
  code: ReplyCode,
  sentence: string,
  covers: readonly string[],
): StepCase {
  return {
    ...{ id, player, sentence, covers, clause: 'R-3', level: 'SHOULD', steps: [placeStep({}, allowRefused(code))] },
    loses: 'the operator accepts a bet that it must not accept, and risks its licence',
  }
}

function stillAllowedCase(id: string, action: OperatorAction, sentence: string, covers: readonly string[]): StepCase {
  return {
    ...{
      id,
      sentence,
      covers,
      clause: 'Settle, partner action 5; Rollback, partner action 4; L-5',
      level: 'MUST',
      needs: ['operator'],
    },
    loses: 'a player who was blocked in the meantime loses the win or the stake',
    steps: [
      ...[placeStep(), placeStep({ bet: 'Y' }), operatorStep(action)],
      ...[settleStep('won', '200', {}, allowAccepted('pay')), rollbackStep({ bet: 'Y' }), rollbackStep()],
    ],
  }
}

function limitCase(
  id: string,
  action: OperatorAction,
  code: ReplyCode,
  sentence: string,
  steps: readonly CaseStep[],
): StepCase {
  return {
    ...{ id, sentence, clause: 'R-3', level: 'SHOULD', covers: ['C51'], needs: ['operator'] },
    loses: 'the operator accepts a bet that it must not accept, and risks its licence',
    steps: [operatorStep(action), placeStep(), placeStep({ bet: 'Y', amount: '60' }, allowRefused(code)), ...steps],
  }
}

export const ACCOUNT_CASES: readonly StepCase[] = [
  restrictedPlayerCase('account-01', 'blocked', 'player_blocked', 'a blocked player does not bet', ['B23']),
  restrictedPlayerCase('account-02', 'selfExcluded', 'self_excluded', 'a self-excluded player does not bet', ['C51']),
  restrictedPlayerCase('account-03', 'unverified', 'not_verified', 'a player who is not verified does not bet', [
    'C51',
  ]),
  restrictedPlayerCase('account-04', 'underAge', 'under_age', 'a player under age does not bet', ['C51']),
  stillAllowedCase(
    'account-05',
    'block',
    'the bets of a player who was blocked after placing them are still settled and rolled back',
    [...['B23', 'D68', 'E78']],
  ),
  {
    id: 'account-06',
    clause: 'Settle, partner action 3; Rollback, token',
    level: 'MUST',
    sentence: 'the bets of a player who has logged out are still settled and rolled back',
    loses: 'a player who has logged out loses the win or the stake',
    covers: ['D63', 'E76', 'E83', 'K10'],
    needs: ['operator'],
    steps: [
      ...[
        placeStep(),
        placeStep({ bet: 'Y' }),
        operatorStep('end sessions'),
        placeStep({ bet: 'Z', token: 'dead' }, allowAnyFailure()),
      ],
      ...[settleStep('won', '200', { token: 'dead' }, allowAccepted('pay')), rollbackStep({ bet: 'Y', token: 'dead' })],
    ],
  },
  limitCase('account-07', 'limit stake', 'stake_limit', 'stakes above the daily limit are refused', [
    placeStep({ bet: 'Z', amount: '50' }),
  ]),
  limitCase('account-08', 'limit loss', 'loss_limit', 'a bet that could exceed the daily loss limit is refused', [
    ...[settleStep('won', '200'), placeStep({ bet: 'Z', amount: '60' })],
  ]),
  limitCase('account-09', 'limit bet count', 'bet_count_limit', 'bets above the daily number of bets are refused', [
    ...[rollbackStep(), placeStep({ bet: 'Z' })],
  ]),
]
