/** The faults that `npm run mutants` plants: it runs seldom, so what it looks for is looked for here each time. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FAULTS } from '../scripts/mutants/faults.mjs'
import { read } from './tidy/source.ts'

test('each planted fault has its place in the code, once, and tests that are there', () => {
  expect(FAULTS.length).toBeGreaterThan(100)
  const misplaced = FAULTS.filter(({ file, search }) => read(file).split(search).length !== 2)
  expect(misplaced.map(({ file, search }) => `${file}: ${search}`)).toEqual([])
  const tests = FAULTS.flatMap((fault) => fault.tests)
  expect([...new Set(tests)].filter((name) => !existsSync(name))).toEqual([])
})
