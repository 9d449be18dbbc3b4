/**
 * A run of a fault scenario fails if a bet is lost, doubled or owed. A page of the docs gets the
 * output of the commands that simulate faults.
 */
import { readFileSync } from 'node:fs'
import { formatOutput, withFigures } from '@purser/simulator/doc-figures'
import { expect, test } from 'vitest'
import type { BetRecord } from '../support/journal.ts'
import { randomFrom } from '../support/random.ts'
import { NotHere } from './disk-full.ts'
import { run, tableOf } from './run.ts'
import { lostOf, type Tally } from './stage.ts'

const FIGURES = {
  ...{ calls: 1_200, faults: 3, acknowledged: 1_100, unanswered: 2 },
  ...{ lost: 0, doubled: 0, owed: 0, slowest: 5_001 },
}
const GIVEN = { forMs: 0, random: randomFrom(1) }
const scenario = (tally: () => Promise<Tally>) => ({ name: 'planted', what: 'a planted one', run: tally })

test.each(['lost', 'doubled', 'owed'] as const)('a fault run in which a bet is %s fails', async (what) => {
  expect(
    (
      await run(
        scenario(async () => FIGURES),
        GIVEN,
      )
    ).failed,
  ).toBe(false)
  expect(
    (
      await run(
        scenario(async () => ({ ...FIGURES, [what]: 1 })),
        GIVEN,
      )
    ).failed,
  ).toBe(true)
})

test('a scenario that breaks fails, one that this machine cannot run does not, and both name the reason', async () => {
  const broken = await run(
    scenario(() => Promise.reject(new Error('not recovered'))),
    GIVEN,
  )
  const missing = await run(
    scenario(() => Promise.reject(new NotHere('needs the right to mount'))),
    GIVEN,
  )
  expect([broken.failed, missing.failed]).toEqual([true, false])
  const table = tableOf([broken, missing])
  expect(table).toContain('FAILED: not recovered')
  expect(table).toContain('not run: needs the right to mount')
})

test('a bet is lost when the wallet does not have what it accepted', () => {
  const bet = (betId: string, status: BetRecord['status']) => ({ betId, status }) as BetRecord
  const bets = [bet('a', 'open'), bet('b', 'settled'), bet('c', 'cancelled'), bet('d', 'unknown to the wallet')]
  const walletStates = new Map([
    ['a', 'open'],
    ['b', 'open'],
  ])
  expect(lostOf(bets, walletStates).map(({ betId }) => betId)).toEqual(['b', 'c'])
})

test.each([
  ['level 1', 'every-history'],
  ['level 2', 'simulated-markets'],
  ['level 3', 'real-locks'],
  ['real faults', 'real-faults'],
])('the figures of %s replace the text between their markers in the docs and nothing else', (of, name) => {
  const page = readFileSync(`docs/concepts/${name}.md`, 'utf8')
  const run = { at: new Date('2026-11-23T12:00:00Z'), by: 'commit 1234abcd, 2 × processor' }
  const changed = withFigures(page, { of, command: 'npm run it', text: formatOutput(['a line']) }, run)
  const written =
    '`npm run it`, 2026-11-23, commit 1234abcd, 2 × processor:\n\n```console\na line\n```\n<!-- figures: end -->'
  expect(changed).toContain(`<!-- figures of ${of}: written by the command -->\n${written}`)
  const around = (text: string) => {
    const [before, rest = ''] = text.split(`<!-- figures of ${of}:`)
    return [before, rest.slice(rest.indexOf('<!-- figures: end -->'))]
  }
  expect(around(changed)).toEqual(around(page))
})

test('a page without markers for the figures is refused', () => {
  const run = { at: new Date(0), by: 'a machine' }
  expect(() => withFigures('# A page', { of: 'level 2', command: '', text: '' }, run)).toThrow('has no place')
})
