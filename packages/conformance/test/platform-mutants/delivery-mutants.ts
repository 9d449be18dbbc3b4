/**
 * Mutants with faults in deliveries: the retries of Rollbacks and results (catalogue rows P8 to
 * P14).
 */
import { ends, insists, type Mutant, schedules, sendsTwice, why } from './fault.ts'

export const ROLLBACKS_MUTANTS: readonly Mutant[] = [
  {
    name: 'never tries a Rollback again',
    caughtBy: 'platform-rollback-01',
    fault: schedules('rollback', () => undefined),
  },
  {
    name: 'gives a Rollback up after three attempts',
    caughtBy: 'platform-rollback-01',
    fault: schedules('rollback', (start, attempts) => (attempts < 3 ? start : undefined)),
  },
  {
    name: 'tries a Rollback again without a gap',
    caughtBy: 'platform-rollback-01',
    fault: schedules('rollback', (start) => start && 0),
  },
  {
    name: 'tries a Rollback again in constant gaps',
    caughtBy: 'platform-rollback-01',
    fault: ({ nextStart }) => ({
      nextStart: (operation, attempts) => {
        const gap = 3 * (nextStart(operation, 1) ?? 0)
        return operation === 'rollback' && attempts < 10 ? attempts * gap : nextStart(operation, attempts)
      },
    }),
  },
  {
    name: 'goes on with a Rollback after its 200',
    caughtBy: 'platform-answer-06',
    fault: ({ isFinal }) => ({
      isFinal: (operation, outcome, attempts) =>
        !(operation === 'rollback' && outcome.kind === 'accepted') && isFinal(operation, outcome, attempts),
    }),
  },
  {
    name: 'begins with a gap of 2 s',
    caughtBy: 'platform-rollback-02',
    fault: schedules('rollback', (start) => start && 3 * start),
  },
  {
    name: 'does not try a Rollback again after a time-out',
    caughtBy: 'platform-rollback-03',
    fault: ends('rollback', (outcome) => why(outcome) === 'time_out'),
  },
  {
    name: 'tries a Rollback again after 400 with code 8',
    caughtBy: 'platform-rollback-04',
    fault: insists('rollback', 8),
  },
  {
    name: 'tries a Rollback again after 400 with code 5',
    caughtBy: 'platform-rollback-05',
    fault: insists('rollback', 5),
  },
  {
    name: 'shows a refused Rollback as done',
    caughtBy: 'platform-rollback-06',
    fault: () => ({ shows: (operation, status) => (operation === 'rollback' ? 'done' : status) }),
  },
  {
    name: 'changes the errorCode from attempt to attempt',
    caughtBy: 'platform-rollback-07',
    fault: () => ({
      retouch: (_operation, members, attempt) =>
        attempt > 1 && members.errorCode ? { ...members, errorCode: '50' } : members,
    }),
  },
]

export const RESULTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'sends a Settle twice',
    caughtBy: 'platform-result-01',
    fault: ({ isFinal }) => ({
      isFinal: (operation, outcome, attempts) =>
        !(operation === 'settle' && outcome.kind === 'accepted' && attempts === 1) &&
        isFinal(operation, outcome, attempts),
    }),
  },
  {
    name: 'does not try a Settle again after a status',
    caughtBy: 'platform-result-02',
    fault: ends('settle', (outcome) => why(outcome) === 'status'),
  },
  {
    name: 'adds the payout again with every attempt of a Settle',
    caughtBy: 'platform-result-02',
    fault: () => ({
      retouch: (operation, members, attempt) =>
        operation === 'settle' ? { ...members, amount: `${attempt}${members.amount}` } : members,
    }),
  },
  {
    name: 'gives every attempt a requestId of its own',
    caughtBy: 'platform-result-03',
    fault: () => ({ newRequestIdPerAttempt: ['place', 'settle', 'unsettle', 'rollback'] }),
  },
  {
    name: 'gives every attempt of an Unsettle a requestId of its own',
    caughtBy: 'platform-result-11',
    fault: () => ({ newRequestIdPerAttempt: ['unsettle'] }),
  },
  {
    name: 'does not try a Settle again after a time-out',
    caughtBy: 'platform-result-04',
    fault: ends('settle', (outcome) => why(outcome) === 'time_out'),
  },
  { name: 'tries a Settle again after 400 with code 20', caughtBy: 'platform-result-05', fault: insists('settle', 20) },
  { name: 'tries a Settle again after 400 with code 21', caughtBy: 'platform-result-06', fault: insists('settle', 21) },
  {
    name: 'gives a Settle up after any 400',
    caughtBy: 'platform-result-12',
    fault: ends('settle', (outcome) => outcome.kind === 'refused'),
  },
  {
    name: 'shows a refused Settle as done',
    caughtBy: 'platform-result-07',
    fault: () => ({ shows: (operation, status) => (operation === 'settle' ? 'done' : status) }),
  },
  {
    name: 'lets an Unsettle overtake the Settles before it',
    caughtBy: 'platform-result-08',
    fault: () => ({ order: 'unsettle_first' }),
  },
  {
    name: 'sends all calls of a bet at once',
    caughtBy: 'platform-result-09',
    fault: () => ({ order: 'all_at_once' }),
  },
  {
    name: 'does not try an Unsettle again',
    caughtBy: 'platform-result-10',
    fault: ends('unsettle', () => true),
  },
]

/** The same call, twice at once. */
export const TWIN_MUTANTS: readonly Mutant[] = [
  {
    name: 'sends each Place bet twice at once',
    caughtBy: 'platform-answer-01',
    fault: sendsTwice('place'),
    alone: true,
  },
  { name: 'sends each Settle twice at once', caughtBy: 'platform-result-01', fault: sendsTwice('settle'), alone: true },
  {
    name: 'sends each Unsettle twice at once',
    caughtBy: 'platform-result-14',
    fault: sendsTwice('unsettle'),
    alone: true,
  },
  {
    name: 'sends each Rollback twice at once',
    caughtBy: 'platform-rollback-04',
    fault: sendsTwice('rollback'),
    alone: true,
  },
  {
    name: 'delivers a result that comes twice at once by two workers',
    caughtBy: 'platform-result-13',
    fault: () => ({ deliversBoth: ['settle'] }),
    alone: true,
  },
  {
    name: 'delivers an Unsettle that comes twice at once by two workers',
    caughtBy: 'platform-result-14',
    fault: () => ({ deliversBoth: ['unsettle'] }),
    alone: true,
  },
  {
    name: 'delivers a cancellation that comes twice at once by two workers',
    caughtBy: 'platform-rollback-11',
    fault: () => ({ deliversBoth: ['rollback'] }),
    alone: true,
  },
]

export const SLOW_MUTANTS: readonly Mutant[] = [
  {
    name: 'gives a Rollback up after nine attempts',
    caughtBy: 'platform-rollback-08',
    fault: schedules('rollback', (start, attempts) => (attempts < 9 ? start : undefined)),
    slow: true,
  },
  {
    name: 'spreads a Rollback over 12 minutes',
    caughtBy: 'platform-rollback-08',
    fault: schedules('rollback', (start) => start && 2 * start),
    slow: true,
  },
  {
    name: 'tries a Rollback for ever',
    caughtBy: 'platform-rollback-09',
    fault: ({ nextStart }) => ({
      nextStart: (operation, attempts) =>
        nextStart(operation, attempts) ??
        (nextStart(operation, 9) ?? 0) + (attempts - 9) * (nextStart(operation, 1) ?? 0),
    }),
    slow: true,
  },
  {
    name: 'shows a Rollback that it gave up as pending',
    caughtBy: 'platform-rollback-10',
    fault: () => ({ shows: (_operation, status) => (status === 'stuck' ? 'pending' : status) }),
    slow: true,
  },
]
