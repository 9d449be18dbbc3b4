/** What `npm run faults` says of its scenarios, and where it writes it. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { BetRecord } from '../support/journal.ts'
import { randomFrom } from '../support/random.ts'
import { NotHere } from './disk-full.ts'
import { withFigures } from './figures.ts'
import { run, tableOf } from './run.ts'
import { lostOf, type Tally } from './stage.ts'

const FIGURES = { calls: 1_200, faults: 3, acknowledged: 1_100, lost: 0, doubled: 0, owed: 0, slowest: 4_001 }
const GIVEN = { forMs: 0, random: randomFrom(1) }
const scenario = (tally: () => Promise<Tally>) => ({ name: 'planted', what: 'a planted one', run: tally })

test.each(['lost', 'doubled', 'owed'] as const)('a run in which something is %s has failed', async (what) => {
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

test('a scenario that breaks has failed, one that this machine cannot play has not, and both say why', async () => {
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

test('a bet is lost when its yes is not what the wallet says', () => {
  const bet = (betId: string, fate: BetRecord['fate']) => ({ betId, fate }) as BetRecord
  const bets = [bet('a', 'open'), bet('b', 'settled'), bet('c', 'cancelled'), bet('d', 'unknown to the wallet')]
  const told = new Map([
    ['a', 'open'],
    ['b', 'open'],
  ])
  expect(lostOf(bets, told).map(({ betId }) => betId)).toEqual(['b', 'c'])
})

test('the figures stand between their marks in the docs, and nothing else changes', () => {
  const page = readFileSync('docs/concepts/reliability.md', 'utf8')
  const at = { command: 'npm run faults', machine: '2 × processor', at: new Date('2026-11-23T12:00:00Z') }
  const changed = withFigures(page, '| a table |', at)
  expect(changed).toContain('`npm run faults`, 2026-11-23, 2 × processor:\n\n| a table |\n')
  const around = (text: string) => text.replace(/<!-- faults: written[\s\S]*<!-- faults: end -->/, '')
  expect(around(changed) === around(page)).toBe(true)
})
