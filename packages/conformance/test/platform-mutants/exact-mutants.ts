/**
 * Mutants that change amounts, ids or players on their way through the platform (catalogue row
 * P15).
 */
import { type Mutant, writes } from './fault.ts'

const CENTS = 100

export const EXACT_MUTANTS: readonly Mutant[] = [
  {
    name: 'cuts stakes to cents as floating-point numbers',
    caughtBy: 'platform-exact-01',
    fault: writes('place', ({ amount }) => ({ amount: String(Math.trunc(Number(amount) * CENTS) / CENTS) })),
  },
  {
    name: 'keeps payouts in floats of 32 bits',
    caughtBy: 'platform-exact-02',
    fault: writes('settle', ({ amount }) => ({ amount: String(Math.fround(Number(amount))) })),
  },
  {
    name: 'takes every currency for one of two decimal places',
    caughtBy: 'platform-exact-03',
    fault: writes('place', ({ amount, currency }) => ({
      amount: currency === '"JPY"' ? String(Number(amount) / CENTS) : amount,
    })),
  },
]

export const PLAYER_MUTANTS: readonly Mutant[] = [
  {
    name: 'looks sessions up by the token without its case',
    caughtBy: 'platform-player-01',
    fault: () => ({ isSameToken: (known, given) => known.toLowerCase() === given.toLowerCase() }),
  },
  {
    name: 'keeps 50 characters of a token',
    caughtBy: 'platform-player-02',
    fault: writes('place', (_members, _newest, token) => ({ token: JSON.stringify(token.slice(0, 50)) })),
  },
  {
    name: 'forgets the operatorUser when it settles',
    caughtBy: 'platform-player-03',
    fault: writes('settle', () => ({ operatorUser: undefined })),
  },
]
