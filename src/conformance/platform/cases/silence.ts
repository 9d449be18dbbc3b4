/** When the partner is late, silent or gone (P5, P6; C-2). */
import { ROLLBACK_REASON } from '../../../protocol/codes.ts'
import type { Act, PlatformCase, Script, Whereabouts } from '../case.ts'
import { atLeast, awaiting, count, HANG, NO_ROLLBACK, PLACE, RESET, ROLLED_BACK, WATCH } from './scenes.ts'

const CLAUSE = 'Limits, response time-out'
const UNREFUNDED = 'The partner may have debited the stake; nobody returns it, and the bet does not exist.'
const AFTER_TIME_OUT = { kind: 'rollback_between', from: 'answerMs', to: 'patienceMs' } as const

const late = (id: string, words: string, place: Script): PlatformCase => ({
  kind: 'scene',
  id,
  clause: CLAUSE,
  level: 'MUST',
  sentence: `${words} leads to one Rollback, sent after the 5 s and not before.`,
  loses: UNREFUNDED,
  covers: ['P5'],
  answers: { place },
  acts: [PLACE, awaiting('rollback'), WATCH],
  expect: [count('place', 1), ROLLED_BACK, AFTER_TIME_OUT],
})

/** The address changes when the frame is loaded, and comes back when the Rollback has failed too. */
const gone = (to: Whereabouts): readonly Act[] => [
  { kind: 'move', to },
  PLACE,
  WATCH,
  { kind: 'move', to: 'home' },
  awaiting('rollback'),
]

const unreachable = (id: string, to: Whereabouts, words: string): PlatformCase => ({
  kind: 'scene',
  id,
  clause: 'Rollback, triggers; C-2',
  level: 'MUST',
  sentence: `${words} leads to a Rollback once the partner is back.`,
  loses: 'The partner may have debited the stake over a connection that failed late; nobody returns it.',
  covers: ['P6'],
  acts: gone(to),
  expect: [count('place', 0), atLeast('rollback', 1)],
})

export const SILENCE_CASES: readonly PlatformCase[] = [
  late('platform-silence-01', 'No answer to Place bet', { always: HANG }),
  late('platform-silence-02', 'An answer to Place bet after 5.2 s', { always: { kind: 'ok', after: 'lateMs' } }),
  late('platform-silence-03', 'A Place bet whose headers come at once and whose body comes after 6 s', {
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
    acts: [PLACE, WATCH],
    expect: [count('place', 1), NO_ROLLBACK],
  },
  {
    kind: 'scene',
    id: 'platform-silence-05',
    clause: 'C-2',
    level: 'SHOULD',
    sentence: 'The Rollback of a Place bet without an answer is on its way within 6 s.',
    loses: 'The player’s stake is gone for as long as the Rollback is late.',
    covers: ['P5'],
    answers: { place: { always: HANG } },
    acts: [PLACE, awaiting('rollback')],
    expect: [atLeast('rollback', 1), { kind: 'rollback_between', to: 'rollbackByMs' }],
  },
  {
    kind: 'scene',
    id: 'platform-silence-06',
    clause: 'C-2',
    level: 'SHOULD',
    sentence: 'The Rollback after a time-out says errorCode 10 (request timeout on partner system).',
    loses: 'Nobody, but the partner looks for the cause in the wrong place.',
    covers: ['P5'],
    answers: { place: { always: HANG } },
    acts: [PLACE, awaiting('rollback')],
    expect: [atLeast('rollback', 1), { kind: 'error_code', code: ROLLBACK_REASON.timeOut }],
  },
  {
    kind: 'scene',
    id: 'platform-silence-07',
    clause: 'Rollback, triggers; C-2',
    level: 'MUST',
    sentence: 'A connection that breaks after the request leads to one Rollback.',
    loses: UNREFUNDED,
    covers: ['P6'],
    answers: { place: { always: RESET } },
    acts: [PLACE, awaiting('rollback'), WATCH],
    expect: [count('place', 1), ROLLED_BACK],
  },
  unreachable('platform-silence-08', 'refused', 'A refused connection'),
  unreachable('platform-silence-09', 'no_tls', 'A TLS handshake that fails'),
  unreachable('platform-silence-10', 'no_such_name', 'A name that does not resolve'),
]
