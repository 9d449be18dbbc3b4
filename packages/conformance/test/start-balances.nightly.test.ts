/**
 * The kit detects a fault of money with every start balance of the players, with and without
 * /user/balance.
 */
import { describe, expect, test } from 'vitest'
import { MUTANTS, type MutantId } from './mutants/mutants.ts'
import { failingMusts, START_BALANCES } from './mutants/start-balances.ts'

/** Only the cases that use the whole balance work for a player with little money. */
const CASES_OF_ANY_BALANCE = ['place-02', 'place-03', 'money-08']

const MONEY_FAULTS: readonly MutantId[] = [
  ...(['float-balance', 'float-balance-rounded', 'float32-balance', 'real-column'] as const),
  ...(['stake-unit-less', 'stake-unit-more', 'funds-unit-over', 'whole-balance-refused'] as const),
  ...(['win-unit-more', 'win-unit-less', 'refund-unit-more', 'refund-unit-less'] as const),
]

const ROWS = [false, true].flatMap((hidesBalances) =>
  START_BALANCES.map((start) => ({ hidesBalances, start, read: hidesBalances ? 'by bets' : 'with /user/balance' })),
)

describe('a correct wallet', () => {
  test.concurrent.each(ROWS)('passes the kit from a balance of $start, $read', async ({ start, hidesBalances }) => {
    expect(await failingMusts({ start, hidesBalances, only: CASES_OF_ANY_BALANCE })).toEqual([])
  })

  test('passes all cases with the players of the guide when balances are read by bets', async () => {
    expect(await failingMusts({ start: '2500.00', hidesBalances: true })).toEqual([])
  })
})

describe('the kit detects', () => {
  const faulty = MONEY_FAULTS.flatMap((fault) => ROWS.map((row) => ({ ...row, fault, ...MUTANTS[fault] })))

  test.concurrent.each(faulty)('$sentence, from $start, $read', async ({ fault, start, hidesBalances }) => {
    expect(await failingMusts({ fault, start, hidesBalances, only: CASES_OF_ANY_BALANCE })).not.toEqual([])
  })

  test('floating-point balances in all cases with the players of the guide when balances are read by bets', async () => {
    expect(await failingMusts({ fault: 'float-balance', start: '2500.00', hidesBalances: true })).toContain('money-08')
  })
})
