/**
 * The tables in packages/simulator/src/reports list each planted fault with the run in which the
 * tests find it.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PLANTED_FAULTS } from '../src/market/planted/planted-faults.ts'
import { LOCKS_FAULTS as BESIDE_LOCKS } from '../src/postgres/faults/locks-planted-faults.ts'

function named(file: string) {
  const rows = readFileSync(`packages/simulator/src/reports/${file}`, 'utf8').split('\n')
  const cells = rows.filter((row) => row.startsWith('| ')).map((row) => row.split(' | '))
  return cells.slice(1).map(([fault, , run]) => [fault?.slice(2), run])
}

test('the documented table of market faults matches the simulation', () => {
  expect(named('planted-faults.md')).toEqual(
    PLANTED_FAULTS.map(({ fault, seed, file }) => [
      fault,
      file === undefined ? `${seed}` : `[kept](../../${file.replace('packages/simulator/', '')})`,
    ]),
  )
})

test('the documented table of lock faults matches the simulation', () => {
  expect(named('planted-faults-locks.md')).toEqual(BESIDE_LOCKS.map(({ fault, seed }) => [fault, `${seed}`]))
})
