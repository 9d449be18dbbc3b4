/** Cases: the partner answers late or never, or the platform cannot reach the partner (C-2). */
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import type { AnswerScript, PartnerAddressKind, PlatformCase, ScenarioAct } from '../platform-case.ts'
import {
  awaitCalls,
  EXPECT_NO_ROLLBACK,
  EXPECT_ONE_ROLLBACK,
  expectAtLeast,
  expectCount,
  HANGING_ANSWER,
  PLACE_ACT,
  RESET_ANSWER,
  WATCH_ACT,
} from './scenario-builders.ts'

const CLAUSE = 'Limits, response time-out'
const UNREFUNDED = 'The partner may have debited the stake, no Rollback returns it, and the bet does not exist.'
const AFTER_TIME_OUT = { kind: 'rollback_between', from: 'answerMs', to: 'callWaitMs' } as const

const lateAnswerCase = (id: string, words: string, place: AnswerScript): PlatformCase => ({
  kind: 'scene',
  id,
  clause: CLAUSE,
  level: 'MUST',
  sentence: `${words} leads to one Rollback, sent after the 5 s and not before.`,
  loses: UNREFUNDED,
  covers: ['P5'],
  answers: { place },
  acts: [PLACE_ACT, awaitCalls('rollback'), WATCH_ACT],
  expect: [expectCount('place', 1), EXPECT_ONE_ROLLBACK, AFTER_TIME_OUT],
})

/**
 * The address changes after the frame is loaded, and changes back after the Rollback has failed.
 */
const moveAndReturn = (to: PartnerAddressKind): readonly ScenarioAct[] => [
  { kind: 'move', to },
  PLACE_ACT,
  WATCH_ACT,
  { kind: 'move', to: 'home' },
  awaitCalls('rollback'),
]

const unreachablePartnerCase = (id: string, to: PartnerAddressKind, words: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: 'Rollback, triggers; C-2',
  level: 'MUST',
  sentence: `${words} leads to a Rollback once the partner is back.`,
  loses: 'The partner may have debited the stake over a connection that failed late, and no Rollback returns it.',
  covers: ['P6'],
  acts: moveAndReturn(to),
  expect: [expectCount('place', 0), expectAtLeast('rollback', 1)],
})

export const TIMEOUT_CASES: readonly PlatformCase[] = [
  lateAnswerCase('platform-silence-01', 'No answer to Place bet', { always: HANGING_ANSWER }),
  lateAnswerCase('platform-silence-02', 'An answer to Place bet after 5.2 s', {
    always: { kind: 'ok', after: 'lateMs' },
  }),
  lateAnswerCase('platform-silence-03', 'A Place bet whose headers come at once and whose body comes after 6 s', {
    always: { kind: 'late_body', after: 'lateBodyMs' },
  }),
  {
    kind: 'scene',
    id: 'platform-silence-04',
    clause: CLAUSE,
    level: 'MUST',
    sentence: 'An answer after 4.5 s is in time: the bet stands, and no Rollback follows.',
    loses: 'Bets that the partner accepted in time are taken back from players who saw them accepted.',
    covers: ['P5'],
    answers: { place: { always: { kind: 'ok', after: 'inTimeMs' } } },
    acts: [PLACE_ACT, WATCH_ACT],
    expect: [expectCount('place', 1), EXPECT_NO_ROLLBACK],
  },
  {
    kind: 'scene',
    id: 'platform-silence-05',
    clause: 'C-2',
    level: 'SHOULD',
    sentence: 'The Rollback of a Place bet without an answer is on its way within 6 s.',
    loses: 'The player’s stake is gone for as long as the Rollback is late.',
    covers: ['P5'],
    answers: { place: { always: HANGING_ANSWER } },
    acts: [PLACE_ACT, awaitCalls('rollback')],
    expect: [expectAtLeast('rollback', 1), { kind: 'rollback_between', to: 'rollbackByMs' }],
  },
  {
    kind: 'scene',
    id: 'platform-silence-06',
    clause: 'C-2',
    level: 'SHOULD',
    sentence: 'The Rollback after a time-out says errorCode 10 (request timeout on partner system).',
    loses: 'No money is lost, but the partner looks for the cause in the wrong place.',
    covers: ['P5'],
    answers: { place: { always: HANGING_ANSWER } },
    acts: [PLACE_ACT, awaitCalls('rollback')],
    expect: [expectAtLeast('rollback', 1), { kind: 'error_code', code: ROLLBACK_REASON.timeOut }],
  },
  {
    kind: 'scene',
    id: 'platform-silence-07',
    clause: 'Rollback, triggers; C-2',
    level: 'MUST',
    sentence: 'A connection that breaks after the request leads to one Rollback.',
    loses: UNREFUNDED,
    covers: ['P6'],
    answers: { place: { always: RESET_ANSWER } },
    acts: [PLACE_ACT, awaitCalls('rollback'), WATCH_ACT],
    expect: [expectCount('place', 1), EXPECT_ONE_ROLLBACK],
  },
  unreachablePartnerCase('platform-silence-08', 'refused', 'A refused connection'),
  unreachablePartnerCase('platform-silence-09', 'no_tls', 'A TLS handshake that fails'),
  unreachablePartnerCase('platform-silence-10', 'no_such_name', 'A name that does not resolve'),
]
