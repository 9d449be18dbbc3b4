import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from '@purser/runtime/errors/cli-errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openNight, toIntervals } from '../src/market/night-runs.ts'
import type { PlayedRun } from '../src/market/played-run.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'night-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const playedOf = (seed: number, mark: string, failed?: PlayedRun['failed']): PlayedRun => ({
  seed,
  bets: 10,
  calls: 50,
  events: 100,
  simulatedMs: 60_000,
  marks: new Map([[mark, 1]]),
  failed,
})

test('a nightly run continues from its file with seeds, marks, sums and time of all parts', () => {
  const path = join(folder, 'night.json')
  const first = openNight(path, 'aaaa')
  for (const seed of [2, 1, 4]) first.add(playedOf(seed, 'gateway dies now'))
  first.save(2_000)
  first.save(3_000) // the same piece, later: its time counts once

  const second = openNight(path, 'bbbb')
  expect([1, 2, 3, 4].filter((seed) => second.hasPlayed(seed))).toEqual([1, 2, 4])
  expect(second.hasMet('gateway dies now')).toBe(true)
  expect(second.hasMet('a month ends')).toBe(false)
  second.add(playedOf(3, 'a month ends'))
  second.save(1_000)

  expect([...openNight(path, 'cccc').lines(0)]).toEqual([
    'seeds 1 to 4: 3 by commit aaaa, 1 by commit bbbb',
    '4 runs, 40 bets, 200 calls, 3 faults, 400 events, 240 simulated seconds in 4 s: 60 a second',
    'met: 1 × a month ends, 3 × gateway dies now',
  ])
})

test('the next part repeats a run that had a finding', () => {
  const path = join(folder, 'night.json')
  const night = openNight(path, 'aaaa')
  night.add(playedOf(7, 'a month ends', { seed: 7, complaints: ['7.60 is owed'] } as unknown as PlayedRun['failed']))
  night.save(1)
  const next = openNight(path, 'bbbb')
  expect(next.hasPlayed(7)).toBe(false)
  expect(next.hasMet('a month ends')).toBe(false)
  expect([...next.lines(0)].at(-1)).toBe('seed 7, found by commit aaaa: #.# is owed')
  next.add(playedOf(7, 'a month ends'))
  next.save(1)
  // an earlier finding stays in the report
  expect([...openNight(path, 'bbbb').lines(0)].at(-1)).toBe('seed 7, found by commit aaaa, passed since: #.# is owed')
})

const OLD = '{"seeds":[1,2],"commits":{},"tookMs":1,"total":{"sum":{},"marks":{}}}'
test.each(['', '[]', '{"seeds":[[1,2]]}', '20000', OLD])(
  'a nightly run refuses a file with the content %j and leaves it unchanged',
  (text) => {
    const path = join(folder, 'else.json')
    writeFileSync(path, text)
    expect(() => openNight(path, 'aaaa')).toThrow(UsageError)
    expect(readFileSync(path, 'utf8')).toBe(text)
  },
)

test('the report of a nightly run writes numbers as ranges', () => {
  expect(toIntervals([5, 1, 2, 3, 9, 10])).toEqual([
    [1, 3],
    [5, 5],
    [9, 10],
  ])
  expect(toIntervals([])).toEqual([])
})
