/** Cases: a Rollback is retried on schedule, and no longer than necessary (C-4). */

import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import type { PlatformCase } from '../platform-case.ts'
import { MAX_ROLLBACK_ATTEMPTS } from '../play/kit-timing.ts'
import {
  awaitCalls,
  EXPECT_ONE_ROLLBACK,
  expectAtLeast,
  expectCount,
  HANGING_ANSWER,
  PLACE_ACT,
  refusalAnswer,
  repeatAnswer,
  statusAnswer,
  WATCH_ACT,
} from './scenario-builders.ts'

const CLAUSE = 'Limits, rollback retries'
const LOST_STAKE = 'If the partner’s database is busy for a moment, the player’s stake is lost.'
const STOPPED_AT = 'Rollback, code 8; Limits, rollback completion'
/**
 * The gaps before these attempts add up to 4.9 s by the rule for retries (C-4). Other schedules
 * need little more than 30 s.
 */
const GROWING_ATTEMPTS = 4
/** The gaps add up to 10.5 s. */
const DOUBLING_ATTEMPTS = 5
const FAILED = { always: refusalAnswer('system_error') } as const
const WINDOW = { kind: 'await', call: 'rollback', count: MAX_ROLLBACK_ATTEMPTS, within: 'windowMs' } as const

export const ROLLBACK_RETRY_CASES: readonly PlatformCase[] = [
  {
    kind: 'scene',
    id: 'platform-rollback-01',
    clause: CLAUSE,
    level: 'MUST',
    sentence: 'A Rollback answered 500 is tried again, with growing gaps, until it is answered 200, and then no more.',
    loses: LOST_STAKE,
    covers: ['P8'],
    answers: { place: FAILED, rollback: { first: repeatAnswer(GROWING_ATTEMPTS - 1, statusAnswer(500)) } },
    acts: [
      PLACE_ACT,
      { kind: 'await', call: 'rollback', count: GROWING_ATTEMPTS, idleTimeout: 'recoveryMs' },
      WATCH_ACT,
    ],
    expect: [expectCount('rollback', GROWING_ATTEMPTS), { kind: 'gaps', shape: 'growing', attempts: GROWING_ATTEMPTS }],
  },
  {
    kind: 'scene',
    id: 'platform-rollback-02',
    clause: 'C-4',
    level: 'SHOULD',
    sentence: 'The gaps between the attempts of a Rollback double, from about 0.7 s.',
    loses:
      'A partner that was unavailable for minutes never receives the Rollback, or a partner that is down is overloaded.',
    covers: ['P8'],
    answers: { place: FAILED, rollback: { first: repeatAnswer(DOUBLING_ATTEMPTS - 1, statusAnswer(503)) } },
    acts: [PLACE_ACT, awaitCalls('rollback', DOUBLING_ATTEMPTS)],
    expect: [
      expectAtLeast('rollback', DOUBLING_ATTEMPTS),
      { kind: 'gaps', shape: 'doubling', attempts: DOUBLING_ATTEMPTS },
    ],
  },
  {
    kind: 'scene',
    id: 'platform-rollback-03',
    clause: CLAUSE,
    level: 'MUST',
    sentence: 'A Rollback without an answer is tried again after 5 s.',
    loses: LOST_STAKE,
    covers: ['P9'],
    answers: { place: FAILED, rollback: { first: [HANGING_ANSWER] } },
    acts: [PLACE_ACT, awaitCalls('rollback', 2), WATCH_ACT],
    expect: [expectCount('rollback', 2), { kind: 'one_at_a_time' }],
  },
  {
    kind: 'scene',
    id: 'platform-rollback-04',
    clause: STOPPED_AT,
    level: 'MUST',
    sentence: '400 with code 8 to a Rollback means done: it is not sent again.',
    loses: 'No money is lost, but partners get repeated calls about bets that ended long ago.',
    covers: ['P10'],
    answers: { place: FAILED, rollback: { always: refusalAnswer('already_processed') } },
    acts: [PLACE_ACT, awaitCalls('rollback'), WATCH_ACT],
    expect: [EXPECT_ONE_ROLLBACK],
  },
  {
    kind: 'scene',
    id: 'platform-rollback-05',
    clause: 'C-4',
    level: 'SHOULD',
    sentence: 'A Rollback refused with 400 and code 5 is not sent again: the answer will not change.',
    loses: 'No money is lost, but retries that cannot succeed hide the refusal.',
    covers: ['P11'],
    answers: { place: FAILED, rollback: { always: refusalAnswer('invalid_request') } },
    acts: [PLACE_ACT, awaitCalls('rollback'), WATCH_ACT],
    expect: [EXPECT_ONE_ROLLBACK],
  },
  {
    kind: 'scene',
    id: 'platform-rollback-06',
    clause: 'C-4',
    level: 'SHOULD',
    sentence: 'A Rollback that the partner refused is shown as refused.',
    loses: 'The player’s stake stays debited, and the platform does not show it.',
    covers: ['P11'],
    answers: { place: FAILED, rollback: { always: refusalAnswer('invalid_request') } },
    acts: [PLACE_ACT, awaitCalls('rollback')],
    expect: [{ kind: 'shown', as: 'refused' }],
  },
  {
    kind: 'scene',
    id: 'platform-rollback-07',
    clause: CLAUSE,
    level: 'MUST',
    sentence: 'Every attempt of a Rollback carries the same data.',
    loses: 'The partner refunds another amount, or another bet, than the one that failed.',
    covers: ['P8'],
    answers: { place: FAILED, rollback: { first: repeatAnswer(2, statusAnswer(500)) } },
    acts: [PLACE_ACT, awaitCalls('rollback', 3)],
    expect: [expectAtLeast('rollback', 3), { kind: 'same_data', call: 'rollback', exactly: false }],
  },
  {
    kind: 'scene',
    id: 'platform-rollback-08',
    clause: CLAUSE,
    level: 'MUST',
    sentence: 'A Rollback answered 500 nine times is tried a tenth time, within 6 minutes of the first.',
    loses: 'If the partner is unavailable for four minutes, the player’s stake is lost.',
    covers: ['P8'],
    answers: { place: FAILED, rollback: { first: repeatAnswer(MAX_ROLLBACK_ATTEMPTS - 1, statusAnswer(500)) } },
    acts: [PLACE_ACT, WINDOW, WATCH_ACT],
    expect: [expectCount('rollback', MAX_ROLLBACK_ATTEMPTS), { kind: 'within_window' }],
    slow: true,
  },
  {
    kind: 'scene',
    id: 'platform-rollback-09',
    clause: CLAUSE,
    level: 'MUST',
    sentence: 'A Rollback that is never answered is tried at most ten times, and not after 6 minutes.',
    loses: 'No money is lost, but a partner that recovers gets calls about bets of long ago.',
    covers: ['P9'],
    answers: { place: FAILED, rollback: { always: HANGING_ANSWER } },
    acts: [PLACE_ACT, WINDOW, { kind: 'watch', during: 'answerMs' }, WATCH_ACT],
    expect: [expectCount('rollback', 2, MAX_ROLLBACK_ATTEMPTS), { kind: 'within_window' }],
    slow: true,
  },
  {
    kind: 'scene',
    id: 'platform-rollback-10',
    clause: 'C-4',
    level: 'SHOULD',
    sentence: 'A Rollback that was never answered is shown as stuck after its last attempt.',
    loses: 'The player’s stake stays debited, and the platform does not show it.',
    covers: ['P9'],
    answers: { place: FAILED, rollback: { always: statusAnswer(500) } },
    acts: [PLACE_ACT, WINDOW, WATCH_ACT],
    expect: [{ kind: 'shown', as: 'stuck' }],
    slow: true,
  },
  {
    kind: 'scene',
    id: 'platform-rollback-11',
    clause: 'C-6',
    level: 'SHOULD',
    sentence:
      'A cancellation that the platform receives twice at the same moment leads to no two Rollbacks at the same moment.',
    loses: 'Both Rollbacks find the stake debited at the partner, and it is refunded twice.',
    covers: ['P8'],
    answers: { rollback: { first: [{ kind: 'ok', after: 'quietMs' }] } },
    acts: [
      PLACE_ACT,
      { kind: 'cancel', errorCode: ROLLBACK_REASON.eventWithdrawn, twice: true },
      awaitCalls('rollback'),
      WATCH_ACT,
    ],
    expect: [expectAtLeast('rollback', 1), { kind: 'one_at_a_time' }],
  },
]
