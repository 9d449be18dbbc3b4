/**
 * Wallet, platform and gateway share one classification of database errors: an outage, faulty data
 * of one call, or an error that a retry may remove.
 */
import { describe, expect, it } from 'vitest'
import { isBusy, isDataError, isOutage, ReadOnlyDatabaseError } from '../../src/core/database/database-errors.ts'

const failure = (code: string, routine = '') => Object.assign(new Error('it failed'), { code, routine })

describe('an outage, which every other call would also meet,', () => {
  it.each(['08006', '28P01', '3D000', '25006', '53100', '53300', '57P01', '57P03', '58030', 'ECONNREFUSED'])(
    'has the code %s',
    (code) => {
      expect([isOutage, isBusy, isDataError].map((is) => is(failure(code)))).toEqual([true, false, false])
    },
  )
  it.each(['GetNewTransactionId', 'GetNewMultiXactId'])(
    'has the code 54000 of %s, because the numbers have run out',
    (routine) => {
      expect([isOutage, isDataError].map((is) => is(failure('54000', routine)))).toEqual([true, false])
    },
  )
  it('includes a read-only database', () => expect(isOutage(new ReadOnlyDatabaseError('it is a standby'))).toBe(true))
})

it.each(['54000', '54001', '22021', '23514', 'P0001', 'XX001'])(
  'the error %s is about the data of one call',
  (code) => {
    expect([isOutage, isBusy, isDataError].map((is) => is(failure(code)))).toEqual([false, false, true])
  },
)

it.each(['55P03', '57014', '40001', '40P01', '25P03'])('the error %s may disappear on a retry', (code) => {
  expect([isOutage, isBusy, isDataError].map((is) => is(failure(code)))).toEqual([false, true, false])
})

it.each(['42601', '42P01', '42501'])('the error %s is neither an outage, nor about data, nor retryable', (code) => {
  expect([isOutage, isBusy, isDataError].map((is) => is(failure(code)))).toEqual([false, false, false])
})
