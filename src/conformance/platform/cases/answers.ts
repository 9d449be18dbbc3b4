/** What the platform makes of an answer to Place bet (P1 to P4, P7; C-2). */
import { type ReplyCode, ROLLBACK_REASON, replyCode } from '../../../protocol/codes.ts'
import type { BadBody, PlatformCase } from '../case.ts'
import { atLeast, awaiting, count, NO_ROLLBACK, PLACE, ROLLED_BACK, refusal, status, WATCH } from './scenes.ts'

const ERRORS = 'Place bet, responses'
const UNWANTED = 'The platform takes back a bet that stands: the stake returns and the player can no longer win.'
const UNREFUNDED = 'The partner may have debited the stake; nobody returns it, and the bet does not exist.'

const declined = (name: ReplyCode, id: string, meaning: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: name === 'not_enough_money' ? 'Errors, code 7; Rollback, triggers' : 'C-2',
  level: name === 'not_enough_money' ? 'MUST' : 'SHOULD',
  sentence: `400 with code ${replyCode(name)} (${meaning}) declines the bet, and no Rollback follows.`,
  loses: 'Nobody, but the partner keeps a record of cancelled bets that never were, and each costs a call.',
  covers: ['P2'],
  answers: { place: { always: refusal(name) } },
  acts: [PLACE, WATCH],
  expect: [count('place', 1), NO_ROLLBACK],
})

const failing = (code: number, id: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: ERRORS,
  level: 'MUST',
  sentence: `Status ${code} on Place bet leads to one Rollback.`,
  loses: UNREFUNDED,
  covers: ['P4'],
  answers: { place: { always: status(code) } },
  acts: [PLACE, awaiting('rollback'), WATCH],
  expect: [count('place', 1), ROLLED_BACK, { kind: 'nothing_else' }],
})

const badBody = (body: BadBody, id: string, words: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: 'C-2',
  level: 'SHOULD',
  sentence: `200 with ${words} is no success of Place bet and leads to one Rollback.`,
  loses: UNREFUNDED,
  covers: ['P7'],
  answers: { place: { always: { kind: 'bad_body', body } } },
  acts: [PLACE, awaiting('rollback'), WATCH],
  expect: [count('place', 1), ROLLED_BACK],
})

export const ANSWER_CASES: readonly PlatformCase[] = [
  {
    kind: 'scene',
    id: 'platform-answer-01',
    clause: 'Place bet, success; Rollback, triggers',
    level: 'MUST',
    sentence: '200 places the bet: one Place bet, and no Rollback follows.',
    loses: UNWANTED,
    covers: ['P1'],
    acts: [PLACE, WATCH],
    expect: [count('place', 1), NO_ROLLBACK],
  },
  declined('not_enough_money', 'platform-answer-02', 'not enough money'),
  declined('invalid_token', 'platform-answer-03', 'invalid token'),
  declined('player_blocked', 'platform-answer-04', 'user blocked'),
  declined('self_excluded', 'platform-answer-05', 'self-excluded'),
  {
    kind: 'scene',
    id: 'platform-answer-06',
    clause: ERRORS,
    level: 'MUST',
    sentence: '400 with code 100 (system error) leads to one Rollback.',
    loses: UNREFUNDED,
    covers: ['P3'],
    answers: { place: { always: refusal('system_error') } },
    acts: [PLACE, awaiting('rollback'), WATCH],
    expect: [count('place', 1), ROLLED_BACK],
  },
  {
    kind: 'scene',
    id: 'platform-answer-07',
    clause: 'C-2',
    level: 'SHOULD',
    sentence: 'The Rollback after 400 with code 100 says errorCode 52 (technical issues on the partner’s side).',
    loses: 'Nobody, but the partner looks for the cause in the wrong place.',
    covers: ['P3'],
    answers: { place: { always: refusal('system_error') } },
    acts: [PLACE, awaiting('rollback')],
    expect: [atLeast('rollback', 1), { kind: 'error_code', code: ROLLBACK_REASON.partnerFailed }],
  },
  failing(401, 'platform-answer-08'),
  failing(403, 'platform-answer-09'),
  failing(404, 'platform-answer-10'),
  failing(429, 'platform-answer-11'),
  failing(500, 'platform-answer-12'),
  failing(503, 'platform-answer-13'),
  failing(302, 'platform-answer-14'),
  badBody('broken', 'platform-answer-15', 'a body that breaks off'),
  badBody('empty', 'platform-answer-16', 'an empty body'),
  badBody('of_another_bet', 'platform-answer-17', 'another transactionId'),
  badBody('of_a_bet_alike', 'platform-answer-18', 'a transactionId that differs in its last character only'),
]
