/**
 * Mutants with faults in the form of calls, the state after a crash, currencies, or the lanes of
 * deliveries (catalogue rows P15 to P18).
 */
import { sign } from './behaviour.ts'
import { type Mutant, writes } from './fault.ts'

export const LIVES_MUTANTS: readonly Mutant[] = [
  {
    name: 'signs the body written anew',
    caughtBy: 'platform-form-01',
    fault: () => ({ sign: (_operation, text, secret) => sign(JSON.stringify(JSON.parse(text)), secret) }),
  },
  {
    name: 'does not sign Settle',
    caughtBy: 'platform-form-01',
    fault: () => ({ sign: (operation, text, secret) => (operation === 'settle' ? undefined : sign(text, secret)) }),
  },
  {
    name: 'writes the stake as text',
    caughtBy: 'platform-form-02',
    fault: writes('place', ({ amount }) => ({ amount: `"${amount}"` })),
  },
  {
    name: 'sends the ip with Settle',
    caughtBy: 'platform-form-03',
    fault: writes('settle', () => ({ ip: '"10.0.0.1"' })),
  },
  {
    name: 'sends the token with every Settle',
    caughtBy: 'platform-form-04',
    fault: writes('settle', (_members, _newest, token) => ({ token: JSON.stringify(token) })),
  },
  {
    name: 'sends no token with a cashout',
    caughtBy: 'platform-form-04',
    fault: writes('settle', () => ({ token: undefined })),
  },
  { name: 'invents an errorCode', caughtBy: 'platform-form-05', fault: () => ({ reason: () => 99 }) },
  {
    name: 'settles for a player of another name',
    caughtBy: 'platform-form-06',
    fault: writes('settle', () => ({ userId: '"somebody-else"' })),
  },
  {
    name: 'rolls back with amount 0',
    caughtBy: 'platform-form-07',
    fault: writes('rollback', () => ({ amount: '0' })),
  },
  {
    name: 'uses one requestId for all calls of a bet',
    caughtBy: 'platform-form-08',
    fault: () => ({ oneRequestIdPerBet: true }),
  },
  {
    name: 'takes bets that were being placed when it died for accepted',
    caughtBy: 'platform-crash-01',
    fault: () => ({ afterRestart: { placing: 'called_accepted', forgets: [] } }),
  },
  {
    name: 'forgets bets that were being placed when it died',
    caughtBy: 'platform-crash-02',
    fault: () => ({ afterRestart: { placing: 'forgotten', forgets: [] } }),
  },
  {
    name: 'forgets Rollbacks when it dies',
    caughtBy: 'platform-crash-03',
    fault: () => ({ afterRestart: { placing: 'rolled_back', forgets: ['rollback'] } }),
  },
  {
    name: 'forgets Settles when it dies',
    caughtBy: 'platform-crash-04',
    fault: () => ({ afterRestart: { placing: 'rolled_back', forgets: ['settle'] } }),
  },
  {
    name: 'settles in the newest currency',
    caughtBy: 'platform-currency-01',
    fault: writes('settle', (_members, newest) => ({ currency: `"${newest}"` })),
  },
  {
    name: 'rolls back in the newest currency',
    caughtBy: 'platform-currency-02',
    fault: writes('rollback', (_members, newest) => ({ currency: `"${newest}"` })),
  },
  {
    name: 'sends all deliveries through one lane',
    caughtBy: 'platform-isolation-01',
    fault: () => ({ lanes: 'one_for_all' }),
    alone: true,
  },
]
