/**
 * The sandbox runs with faults at an unusual rate. It ends by itself or on Ctrl-C, and then its
 * wallet and platform agree.
 */

import { createRandom } from '@purser/runtime/seeded-random'
import { expect, test } from 'vitest'
import { chooseBet } from '../../src/sandbox/bettors/bettor-behaviour.ts'
import { createMatchFixtures } from '../../src/sandbox/bettors/match-fixtures.ts'
import { newFolder, run } from '../cli/command.ts'
import { BET_LINE, SANDBOX_MS, startSandbox } from '../support/sandbox-process.ts'

/** A rate that two busy cores can keep. */
const BUSY = ['sandbox', '--rate', '5', '--faults', '0.2', '--seed', '1']

/** The first line of a new bet. */
const NEW_BET = / → accepted$/m

function expectCleanEnd(output: string): void {
  const lines = output.trimEnd().split('\n')
  const end = lines.slice(lines.indexOf('audit: no findings')).join(' ')
  expect(end).toMatch(
    /^audit: no findings reconcile: no differences; \d+ bets? of partner sandbox compared, 0 in flight, \d+ notes?$/,
  )
  expect(output.includes('\u001b'), 'colour off a terminal').toBe(false)
  const wide = lines.filter((line) => line.length > 80)
  expect(wide, 'lines of more than 80 columns').toEqual([])
  for (const line of lines.filter((one) => one.includes('accepted → '))) expect(line).toMatch(BET_LINE)
  const printed = lines.flatMap((line) => /^\d\d:\d\d:\d\d ([0-9a-f]{6} \w+) /.exec(line)?.[1] ?? [])
  const ids = printed.map((line) => line.slice(0, 6))
  expect(new Set(printed).size, 'each bet has a name of its own').toBe(new Set(ids).size)
}

test(
  'the sandbox shows every lifecycle, waits for deliveries on Ctrl-C with equal books, and continues at its next start',
  async () => {
    const folder = newFolder()
    try {
      const first = startSandbox(BUSY, { PURSER_DATA_DIR: folder.path })
      for (const life of ['accepted → .*won ', 'accepted → .*lost', '(connection lost|error 500) → rolled back'])
        await first.until(new RegExp(`→ .*${life}`))
      await first.until(/[1-9]\d* faults/)
      first.child.kill('SIGINT')
      expect(await first.ended).toEqual({ code: 0, stderr: '' })
      expectCleanEnd(first.output())
      expect(first.output()).toMatch(/faults between platform and wallet: .*\d+ (lost|late|error)/)
      const second = startSandbox([...BUSY, '--duration', '60'], { PURSER_DATA_DIR: folder.path })
      await second.until(NEW_BET)
      second.child.kill('SIGINT')
      expect(await second.ended).toEqual({ code: 0, stderr: '' })
      expectCleanEnd(second.output())
      expect(betsIn(second.output())).toBeGreaterThan(betsIn(first.output()))
    } finally {
      folder.remove()
    }
  },
  2 * SANDBOX_MS,
)

function betsIn(output: string): number {
  return Number(/; (\d+)\sbets?\sof\spartner/.exec(output)?.[1])
}

test('the sandbox names all invalid options at once and starts nothing', async () => {
  const { code, stdout, stderr } = await run([
    'sandbox',
    '--rate',
    'fast',
    '--faults',
    '2',
    '--duration',
    '-1',
    '--seed',
    'x',
  ])
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  for (const name of ['--rate', '--faults', '--duration', '--seed']) expect(stderr).toContain(name)
})

test('the sandbox makes the same choices with the same seed, and others with another seed', () => {
  expect(choices(1)).toEqual(choices(1))
  expect(choices(1)).not.toEqual(choices(2))
})

function choices(seed: number): unknown[] {
  const fixtures = createMatchFixtures(createRandom(seed, 'fixtures'), 'match')
  const random = createRandom(seed, 'bettors')
  return Array.from({ length: 300 }, () => [fixtures.advance(), chooseBet(random, fixtures.open())])
}
