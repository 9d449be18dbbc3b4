/**
 * The planted faults of `npm run mutants` still fit the code, although that command seldom runs.
 */
import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAULTS } from '../scripts/mutants/faults.mjs'
import { type Fault, findFaults, plantFault } from '../scripts/mutants/operators.mjs'
import { sample } from '../scripts/mutants/sample.mjs'
import { type Result, withScores } from '../scripts/mutants/score-table.mjs'
import { read } from './tidy/source.ts'

test('each planted fault has exactly one place in the code, and its tests exist', () => {
  expect(FAULTS.length).toBeGreaterThan(100)
  const misplaced = FAULTS.filter(({ file, search }) => read(file).split(search).length !== 2)
  expect(misplaced.map(({ file, search }) => `${file}: ${search}`)).toEqual([])
  const tests = FAULTS.flatMap((fault) => fault.tests)
  expect([...new Set(tests)].filter((name) => !existsSync(name))).toEqual([])
})

const SOURCE = `import { a } from './a.ts'
type Five = 5
const LIMIT_MS = 1_000 as number
export async function f(é: Five, { x = 0n } = {}) {
  if (é < LIMIT_MS && x) {
    await a(é, 1)
  }
  return { 7: true, b: await a() }
}
`

describe('the mutation operators', () => {
  const faults = findFaults('packages/a/src/a.ts', SOURCE)

  test('find faults in code only, each with its position', () => {
    const found = faults.map(({ line, operator, was, instead }) => [line, operator, was, instead])
    expect(found).toEqual([
      [3, 'constant', '1_000', '2000'],
      [4, 'constant', '0n', '1n'],
      [5, 'condition', 'é < LIMIT_MS && x', '!(é < LIMIT_MS && x)'],
      [5, 'boundary', ' < ', ' <= '],
      [5, 'condition', ' && ', ' || '],
      [6, 'statement', 'await a(é, 1)', ';'],
      [6, 'await', 'await a(é, 1)', 'a(é, 1)'],
      [6, 'argument', ', 1', ''],
      [6, 'constant', '1', '0'],
      [8, 'constant', 'true', 'false'],
      [8, 'await', 'await a()', 'a()'],
    ])
  })

  test('change only their position, and the result can be parsed', () => {
    for (const fault of faults) {
      const planted = plantFault(SOURCE, fault)
      expect(planted.length).toBe(SOURCE.length + fault.instead.length - fault.was.length)
      expect(() => findFaults('packages/a/src/a.ts', planted)).not.toThrow()
    }
    expect(plantFault(SOURCE, faults[3] as Fault)).toBe(SOURCE.replace(' < ', ' <= '))
  })

  test('are drawn from a seed in turn, with the requested number for each folder', () => {
    const of = (folder: string) =>
      faults.map((fault): Fault => ({ ...fault, path: `packages/server/src/${folder}/a.ts` }))
    const all = [...of('wallet'), ...of('platform')]
    const drawn = sample(all, { most: 100, seed: 7, each: 5 })
    expect(drawn).toEqual(sample(all, { most: 100, seed: 7, each: 5 }))
    expect(drawn).not.toEqual(sample(all, { most: 100, seed: 8, each: 5 }))
    for (const folder of ['wallet', 'platform']) {
      const mine = drawn.filter(({ path }) => path === `packages/server/src/${folder}/a.ts`)
      expect(new Set(mine.map(({ operator }) => operator)).size).toBe(5)
      expect(mine).toHaveLength(5)
    }
    expect(sample(all, { most: 3, seed: 7, each: 5 })).toEqual(drawn.slice(0, 3))
  })
})

test('the scores of a mutation run replace the earlier row of the folder, and other rows stay', () => {
  const result = (path: string, verdict: Result['verdict']): Result => ({ fault: { path }, verdict })
  const page = 'before\n<!-- scores by folder: written by the command -->\n<!-- scores: end -->\nafter\n'
  const of = { commit: 'abcd1234', seed: 1, near: 5, date: '2026-11-28' }
  const first = withScores(page, [result('packages/b/src/x.ts', 'seen'), result('packages/a/src/y.ts', 'survived')], of)
  const second = withScores(
    first,
    [result('packages/a/src/y.ts', 'seen'), result('packages/a/src/z/y.ts', 'no test')],
    {
      ...of,
      commit: 'ef567890',
    },
  )
  expect(second.match(/^\| `.*$/gm)).toEqual([
    '| `packages/a/src` | 2 | 1 | 0 | 1 | 5 | 1 | `ef567890` | 2026-11-28 |',
    '| `packages/b/src` | 1 | 1 | 0 | 0 | 5 | 1 | `abcd1234` | 2026-11-28 |',
  ])
  expect([second.startsWith('before\n<!--'), second.endsWith('-->\nafter\n')]).toEqual([true, true])
  expect(() => withScores('no place', [], of)).toThrow('no place for scores')
})
