/**
 * Cases about currencies, restarts of the platform, unavailable partners, and the form of each
 * request.
 */
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import type { PlatformCase, ScenarioAct } from '../platform-case.ts'
import {
  awaitCalls,
  expectAtLeast,
  expectCount,
  HANGING_ANSWER,
  PLACE_ACT,
  refusalAnswer,
  settleAsWon,
  statusAnswer,
  WATCH_ACT,
} from './scenario-builders.ts'

const SETTLE_FIRST: ScenarioAct = { kind: 'settle', bet: 0, resultType: 'won', amount: '25.00' }
const CASHOUT_SECOND: ScenarioAct = { kind: 'settle', bet: 1, resultType: 'cashout', amount: '12.00' }
const WITHDRAW_FIRST: ScenarioAct = { kind: 'cancel', bet: 0, errorCode: ROLLBACK_REASON.eventWithdrawn }
const RESTART: ScenarioAct = { kind: 'restart' }
const awaitRecovered = (call: 'rollback' | 'settle', callCount: number): ScenarioAct => ({
  kind: 'await',
  call,
  count: callCount,
  within: 'recoveryMs',
})

/** Enough unanswered calls to fill a pool that healthy partners share. */
const DEAD_BETS = 12
/** The answers arrive one after another, around the moment of the kill. */
const CRASH_BETS = 10
const HEALTHY = Array.from({ length: 9 }, (_, i) => i + 1)

const CURRENCY_CASES: readonly PlatformCase[] = [
  {
    kind: 'scene',
    id: 'platform-currency-01',
    clause: 'User data, multi-currency rule 2',
    level: 'MUST',
    sentence: 'A bet placed before a switch of the currency keeps its currency in Settle and Unsettle.',
    loses: 'The player is paid 25 of the wrong currency.',
    covers: ['P17'],
    acts: [
      PLACE_ACT,
      { kind: 'switch_currency' },
      PLACE_ACT,
      SETTLE_FIRST,
      awaitCalls('settle'),
      { kind: 'unsettle', bet: 0 },
      awaitCalls('unsettle'),
      CASHOUT_SECOND,
      awaitCalls('settle', 2),
      WATCH_ACT,
    ],
    expect: [expectCount('place', 2), expectCount('settle', 2), { kind: 'currencies', of: ['EUR', 'USD'] }],
  },
  {
    kind: 'scene',
    id: 'platform-currency-02',
    clause: 'User data, multi-currency rule 2',
    level: 'MUST',
    sentence: 'A bet placed before a switch of the currency keeps its currency in Rollback.',
    loses: 'The partner cannot find the stake’s currency, or refunds another one.',
    covers: ['P17'],
    acts: [PLACE_ACT, { kind: 'switch_currency' }, PLACE_ACT, WITHDRAW_FIRST, awaitCalls('rollback')],
    expect: [expectCount('place', 2), expectAtLeast('rollback', 1), { kind: 'currencies', of: ['EUR', 'USD'] }],
  },
]

const CRASH_CASES: readonly PlatformCase[] = [
  {
    kind: 'scene',
    id: 'platform-crash-01',
    clause: 'Rollback, triggers; C-1',
    level: 'MUST',
    sentence: 'A Place bet that was unanswered when the platform was killed is rolled back after its start.',
    loses: 'The partner has debited a stake for a bet that does not exist, and no Rollback returns it.',
    covers: ['P16'],
    answers: { place: { always: HANGING_ANSWER } },
    acts: [
      { kind: 'place', fireAndForget: true },
      awaitCalls('place'),
      RESTART,
      awaitRecovered('rollback', 1),
      WATCH_ACT,
    ],
    expect: [expectCount('place', 1), expectCount('rollback', 1)],
  },
  {
    kind: 'scene',
    id: 'platform-crash-02',
    clause: 'Place bet, success; Rollback, triggers; C-1',
    level: 'MUST',
    sentence:
      'A Place bet whose 200 was on its way when the platform was killed is kept or rolled back, never both or neither.',
    loses: 'The partner has debited a stake for a bet that does not exist, and no Rollback returns it.',
    covers: ['P16'],
    answers: { place: { always: { kind: 'ok_at_restart' } } },
    acts: [
      ...Array.from({ length: CRASH_BETS }, (): ScenarioAct => ({ kind: 'place', fireAndForget: true })),
      awaitCalls('place', CRASH_BETS),
      RESTART,
      { kind: 'await_outcomes' },
      WATCH_ACT,
    ],
    expect: [expectCount('place', CRASH_BETS), expectCount('rollback', 0, CRASH_BETS), { kind: 'one_outcome' }],
  },
  {
    kind: 'scene',
    id: 'platform-crash-03',
    clause: 'Limits, rollback retries; C-1; C-4',
    level: 'MUST',
    sentence: 'A Rollback that waits for its next attempt when the platform is killed is sent after its start.',
    loses: 'The player’s stake is lost.',
    covers: ['P16'],
    answers: {
      place: { always: refusalAnswer('system_error') },
      rollback: { first: [statusAnswer(500), statusAnswer(500)] },
    },
    acts: [PLACE_ACT, awaitCalls('rollback', 2), RESTART, awaitRecovered('rollback', 3), WATCH_ACT],
    expect: [expectCount('rollback', 3)],
  },
  {
    kind: 'scene',
    id: 'platform-crash-04',
    clause: 'Settle, resettle (a); C-1; C-5',
    level: 'MUST',
    sentence:
      'A Settle that is unanswered when the platform is killed is sent again after its start, with the same data.',
    loses: 'The winner is never paid.',
    covers: ['P16'],
    answers: { settle: { first: [HANGING_ANSWER] } },
    acts: [PLACE_ACT, settleAsWon('25.00'), awaitCalls('settle'), RESTART, awaitRecovered('settle', 2), WATCH_ACT],
    expect: [expectCount('settle', 2), { kind: 'same_data', call: 'settle', exactly: false }],
  },
]

const ISOLATION_CASE: PlatformCase = {
  kind: 'scene',
  id: 'platform-isolation-01',
  clause: 'C-6',
  level: 'SHOULD',
  sentence: 'While one partner of ten answers nothing, the other nine are called without delay.',
  loses: 'One partner’s outage makes the bets of all others time out, and their winners wait.',
  covers: ['P18'],
  partners: 10,
  answers: { place: { always: HANGING_ANSWER }, rollback: { always: HANGING_ANSWER } },
  acts: [
    ...Array.from({ length: DEAD_BETS }, (): ScenarioAct => ({ kind: 'place', partner: 0, fireAndForget: true })),
    { kind: 'await', call: 'rollback', count: DEAD_BETS, within: 'rollbackByMs' },
    ...HEALTHY.map((partner): ScenarioAct => ({ kind: 'place', partner })),
    ...HEALTHY.map(
      (partner): ScenarioAct => ({ ...settleAsWon('25.00'), bet: DEAD_BETS + partner - 1 }) as ScenarioAct,
    ),
    awaitCalls('settle', HEALTHY.length),
  ],
  expect: [expectAtLeast('settle', HEALTHY.length), { kind: 'prompt' }],
}

const requestRuleCase = (
  id: string,
  rule: (PlatformCase & { kind: 'form' })['rule'],
  clause: string,
  sentence: string,
  loses: string,
): PlatformCase => ({ kind: 'form', id, rule, clause, level: 'MUST', sentence, loses, covers: ['P15'] })

const FORM_CASES: readonly PlatformCase[] = [
  requestRuleCase(
    'platform-form-01',
    'signature',
    'Authentication, 1; S-1',
    'Every request is signed over its exact bytes.',
    'A partner that verifies signatures refuses every such call; a partner that does not verify them accepts forged calls.',
  ),
  requestRuleCase(
    'platform-form-02',
    'members',
    'Resources, common bet parameters',
    'Every request has the members of its operation, of the right type, length and value.',
    'The partner refuses the call, or books a wrong amount.',
  ),
  requestRuleCase(
    'platform-form-03',
    'place_only',
    'Settle, request',
    'Settle carries none of the members that belong to Place bet alone.',
    'No money is lost, but a partner that checks strictly refuses the result.',
  ),
  requestRuleCase(
    'platform-form-04',
    'token',
    'Settle, token',
    'Settle carries a token for a cashout and for nothing else.',
    'A cashout without a token is refused; a token in other results ends in logs where it does not belong.',
  ),
  requestRuleCase(
    'platform-form-05',
    'reason',
    'Rollback, errorCode; Errors, rollback errorCode',
    'errorCode is one of the listed reasons, and only Rollback carries it.',
    'No money is lost, but the partner cannot know why the bet was taken back.',
  ),
  requestRuleCase(
    'platform-form-06',
    'identity',
    'User data, multi-currency rule 3; C-7',
    'Every call about a bet names the player that its Place bet named.',
    'The money of one player’s bet is booked for another player.',
  ),
  requestRuleCase(
    'platform-form-07',
    'stake',
    'What the service does, 3; Resources, amount',
    'The amount of a Rollback is the stake of the bet.',
    'A partner that trusts the amount refunds too much or too little.',
  ),
  requestRuleCase(
    'platform-form-08',
    'ids',
    'Resources, requestId; Resources, transactionId',
    'requestId and transactionId are uuids, and one requestId names one request only.',
    'The partner takes a new result for a late copy of an old one and does not apply it.',
  ),
]

export const LIFECYCLE_CASES: readonly PlatformCase[] = [
  ...FORM_CASES,
  ...CRASH_CASES,
  ...CURRENCY_CASES,
  ISOLATION_CASE,
]
