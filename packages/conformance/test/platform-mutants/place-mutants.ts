/**
 * Mutants with faults after a Place bet: the answers that cause a Rollback, and the time of the
 * Rollback (catalogue rows P1 to P7).
 */
import { forgives, isNetwork, isStatus, type Mutant, takesBack, why } from './fault.ts'

const FAILING = [401, 403, 404, 429, 500, 503, 302]
const DECLINED = [7, 3, 9, 14]

export const ANSWERS_MUTANTS: readonly Mutant[] = [
  {
    name: 'rolls back bets that were accepted',
    caughtBy: 'platform-answer-01',
    fault: () => ({ rollsBack: () => true }),
  },
  ...DECLINED.map((code, i) => ({
    name: `rolls back after 400 with code ${code}`,
    caughtBy: `platform-answer-0${i + 2}`,
    fault: takesBack(code),
  })),
  {
    name: 'takes 400 with code 100 for declined',
    caughtBy: 'platform-answer-06',
    fault: forgives((outcome) => outcome.kind === 'refused'),
  },
  { name: 'gives errorCode 10 always', caughtBy: 'platform-answer-07', fault: () => ({ reason: () => 10 }) },
  ...FAILING.map((code, i) => ({
    name: `takes status ${code} for declined`,
    caughtBy: `platform-answer-${String(i + 8).padStart(2, '0')}`,
    fault: forgives(isStatus(code)),
  })),
  { name: 'follows redirects', caughtBy: 'platform-answer-14', fault: () => ({ redirect: 'follow' }) },
  {
    name: 'takes a broken body for accepted',
    caughtBy: 'platform-answer-15',
    fault: forgives((outcome) => why(outcome) === 'broken'),
  },
  {
    name: 'takes an empty body for accepted',
    caughtBy: 'platform-answer-16',
    fault: forgives((outcome) => why(outcome) === 'empty'),
  },
  {
    name: 'does not compare the transactionId',
    caughtBy: 'platform-answer-17',
    fault: forgives((outcome) => why(outcome).startsWith('of_a')),
  },
  {
    name: 'compares the transactionId but for its last character',
    caughtBy: 'platform-answer-18',
    fault: forgives((outcome) => why(outcome) === 'of_a_bet_alike'),
  },
]

export const SILENCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'sends no Rollback after a time-out',
    caughtBy: 'platform-silence-01',
    fault: forgives((outcome) => why(outcome) === 'time_out'),
  },
  {
    name: 'waits 30 s for an answer',
    caughtBy: 'platform-silence-01',
    fault: ({ timeOutMs }) => ({ timeOutMs: 6 * timeOutMs }),
  },
  {
    name: 'waits 5.6 s for an answer',
    caughtBy: 'platform-silence-02',
    fault: ({ timeOutMs }) => ({ timeOutMs: 1.12 * timeOutMs }),
  },
  {
    name: 'stops the time at the headers',
    caughtBy: 'platform-silence-03',
    fault: () => ({ timeOutCovers: 'headers' }),
  },
  {
    name: 'waits only 4 s for an answer',
    caughtBy: 'platform-silence-04',
    fault: ({ timeOutMs }) => ({ timeOutMs: 0.8 * timeOutMs }),
  },
  {
    name: 'sends the Rollback after another 2 s',
    caughtBy: 'platform-silence-05',
    fault: ({ timeOutMs }) => ({ rollbackDelayMs: 0.4 * timeOutMs }),
  },
  { name: 'gives errorCode 52 always', caughtBy: 'platform-silence-06', fault: () => ({ reason: () => 52 }) },
  {
    name: 'sends no Rollback after a broken connection',
    caughtBy: 'platform-silence-07',
    fault: forgives(isNetwork(/RESET|SOCKET/)),
  },
  {
    name: 'sends no Rollback after a refused connection',
    caughtBy: 'platform-silence-08',
    fault: forgives(isNetwork(/REFUSED/)),
  },
  {
    name: 'sends no Rollback after a TLS error',
    caughtBy: 'platform-silence-09',
    fault: forgives(isNetwork(/SSL|TLS|EPROTO/)),
  },
  {
    name: 'sends no Rollback when the name does not resolve',
    caughtBy: 'platform-silence-10',
    fault: forgives(isNetwork(/ENOTFOUND|EAI_AGAIN/)),
  },
]
