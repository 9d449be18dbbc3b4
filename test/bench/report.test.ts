/**
 * The report of the speed comparison prints ratios of calls per second and of CPU time, and judges
 * them (bench/report.ts).
 */
import { expect, test } from 'vitest'
import type { ServerMeasurement } from '../../bench/measure.ts'
import { computeRatios, findShortfalls, formatBenchReport, type SubjectMeasurements } from '../../bench/report.ts'
import type { SubjectName } from '../../bench/subjects.ts'

const window = { refused: {}, p50Ms: 1, p99Ms: 2, p999Ms: 3 } as ServerMeasurement['window']

/**
 * A server with these rounds; `us` is the CPU time per call of server and Postgres in microseconds.
 */
function server(
  name: SubjectName,
  ...rounds: readonly (readonly [callsPerSecond: number, us?: number])[]
): SubjectMeasurements {
  const measured = rounds.map(([callsPerSecond, us]): ServerMeasurement => {
    const time = us === undefined ? {} : { processorTime: { server: us / 4, postgres: (us * 3) / 4, generator: 20 } }
    return { window, callsPerSecond, ...time }
  })
  return { name, rounds: measured, counted: undefined, open: undefined }
}

const good = [
  server('purser', [9000, 120], [9000, 120], [8000, 130]),
  server('before', [5000, 200], [6000, 200], [6000, 200]),
  server('plain', [2000, 420], [2500, 430], [2500, 420]),
]

test('the production shape judges processor time against before and plain, and calls per second by half as many more', () => {
  expect(findShortfalls(good, 'production')).toEqual([])
  const found = computeRatios(good, 'production').map(({ figure, over, under, measured }) => [
    figure,
    over,
    under,
    measured,
  ])
  expect(found).toEqual([
    ['calls/s', 'purser', 'before', 1.5],
    ['calls/s', 'purser', 'plain', 3.6],
    ['µs', 'purser', 'before', 0.6],
    ['µs', 'plain', 'purser', 3.5],
  ])
  const slow = good.map((one) => (one.name === 'purser' ? server('purser', [8900, 122]) : one))
  const alone = slow.map(({ name, rounds }) => ({ ...server(name), rounds: rounds.slice(0, 1) }))
  expect(findShortfalls(alone, 'production')).toEqual([
    'purser / before, processor time of server and Postgres per call: 0.61, required at most 0.60',
    'plain / purser, processor time of server and Postgres per call: 3.44, required at least 3.50',
  ])
})

test('the laboratory shape prints processor time and does not judge it', () => {
  const equal = [server('purser', [5000, 200]), server('before', [5000, 200]), server('plain', [2500, 400])]
  expect(findShortfalls(equal, 'laboratory')).toEqual([
    'purser / plain, calls per second: 2.00, required at least 3.00',
  ])
  expect(formatBenchReport(equal, 'laboratory')).toContain(
    'purser / before, processor time of server and Postgres per call: 1.00 (rounds 1.00–1.00), not judged in this shape',
  )
})

test('the report judges no difference below the last printed decimal and compares no missing figures', () => {
  const near = [server('purser', [7475, 120.9]), server('before', [5000, 200])]
  expect(findShortfalls(near, 'production')).toEqual([])
  const unknown = [server('purser', [9000]), server('before', [5000])]
  expect(computeRatios(unknown, 'production').map(({ figure }) => figure)).toEqual(['calls/s'])
})
