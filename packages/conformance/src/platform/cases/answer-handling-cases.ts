/** Cases: each answer to a Place bet has the right effect on the bet (C-2). */
import { type ReplyCode, ROLLBACK_REASON, replyCode } from '@purser/protocol/reply-codes'
import type { MalformedBody, PlatformCase } from '../platform-case.ts'
import {
  awaitCalls,
  EXPECT_NO_ROLLBACK,
  EXPECT_ONE_ROLLBACK,
  expectAtLeast,
  expectCount,
  PLACE_ACT,
  refusalAnswer,
  statusAnswer,
  WATCH_ACT,
} from './scenario-builders.ts'

const ERRORS = 'Place bet, responses'
const UNWANTED = 'The platform takes back an accepted bet: the stake returns and the player can no longer win.'
const UNREFUNDED = 'The partner may have debited the stake, no Rollback returns it, and the bet does not exist.'

const declinedCase = (name: ReplyCode, id: string, meaning: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: name === 'not_enough_money' ? 'Errors, code 7; Rollback, triggers' : 'C-2',
  level: name === 'not_enough_money' ? 'MUST' : 'SHOULD',
  sentence: `400 with code ${replyCode(name)} (${meaning}) declines the bet, and no Rollback follows.`,
  loses: 'No money is lost, but the partner stores cancelled bets that never existed, and each costs a call.',
  covers: ['P2'],
  answers: { place: { always: refusalAnswer(name) } },
  acts: [PLACE_ACT, WATCH_ACT],
  expect: [expectCount('place', 1), EXPECT_NO_ROLLBACK],
})

const failingCase = (code: number, id: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: ERRORS,
  level: 'MUST',
  sentence: `Status ${code} on Place bet leads to one Rollback.`,
  loses: UNREFUNDED,
  covers: ['P4'],
  answers: { place: { always: statusAnswer(code) } },
  acts: [PLACE_ACT, awaitCalls('rollback'), WATCH_ACT],
  expect: [expectCount('place', 1), EXPECT_ONE_ROLLBACK, { kind: 'nothing_else' }],
})

const malformedBodyCase = (body: MalformedBody, id: string, words: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: 'C-2',
  level: 'SHOULD',
  sentence: `200 with ${words} is no success of Place bet and leads to one Rollback.`,
  loses: UNREFUNDED,
  covers: ['P7'],
  answers: { place: { always: { kind: 'bad_body', body } } },
  acts: [PLACE_ACT, awaitCalls('rollback'), WATCH_ACT],
  expect: [expectCount('place', 1), EXPECT_ONE_ROLLBACK],
})

export const ANSWER_HANDLING_CASES: readonly PlatformCase[] = [
  {
    kind: 'scene',
    id: 'platform-answer-01',
    clause: 'Place bet, success; Rollback, triggers',
    level: 'MUST',
    sentence: '200 places the bet: one Place bet, and no Rollback follows.',
    loses: UNWANTED,
    covers: ['P1'],
    acts: [PLACE_ACT, WATCH_ACT],
    expect: [expectCount('place', 1), EXPECT_NO_ROLLBACK],
  },
  declinedCase('not_enough_money', 'platform-answer-02', 'not enough money'),
  declinedCase('invalid_token', 'platform-answer-03', 'invalid token'),
  declinedCase('player_blocked', 'platform-answer-04', 'user blocked'),
  declinedCase('self_excluded', 'platform-answer-05', 'self-excluded'),
  {
    kind: 'scene',
    id: 'platform-answer-06',
    clause: ERRORS,
    level: 'MUST',
    sentence: '400 with code 100 (system error) leads to one Rollback.',
    loses: UNREFUNDED,
    covers: ['P3'],
    answers: { place: { always: refusalAnswer('system_error') } },
    acts: [PLACE_ACT, awaitCalls('rollback'), WATCH_ACT],
    expect: [expectCount('place', 1), EXPECT_ONE_ROLLBACK],
  },
  {
    kind: 'scene',
    id: 'platform-answer-07',
    clause: 'C-2',
    level: 'SHOULD',
    sentence: 'The Rollback after 400 with code 100 says errorCode 52 (technical issues on the partner’s side).',
    loses: 'No money is lost, but the partner looks for the cause in the wrong place.',
    covers: ['P3'],
    answers: { place: { always: refusalAnswer('system_error') } },
    acts: [PLACE_ACT, awaitCalls('rollback')],
    expect: [expectAtLeast('rollback', 1), { kind: 'error_code', code: ROLLBACK_REASON.partnerFailed }],
  },
  failingCase(401, 'platform-answer-08'),
  failingCase(403, 'platform-answer-09'),
  failingCase(404, 'platform-answer-10'),
  failingCase(429, 'platform-answer-11'),
  failingCase(500, 'platform-answer-12'),
  failingCase(503, 'platform-answer-13'),
  failingCase(302, 'platform-answer-14'),
  malformedBodyCase('broken', 'platform-answer-15', 'a truncated body'),
  malformedBodyCase('empty', 'platform-answer-16', 'an empty body'),
  malformedBodyCase('of_another_bet', 'platform-answer-17', 'another transactionId'),
  malformedBodyCase('of_a_bet_alike', 'platform-answer-18', 'a transactionId that differs in its last character only'),
]
