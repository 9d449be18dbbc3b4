/** A time label below a chart includes the date if the time is on another day than now. */
import { expect, test } from 'vitest'
import { formatTimeLabels } from '../src/shared/charts/chart-times.ts'

const seconds = (time: string) => Date.parse(time) / 1_000
const at = (...times: string[]) => times.map(seconds)
const NOW = seconds('2031-05-16T18:00:00Z')

test.each([
  ['today', at('2031-05-16T10:00Z', '2031-05-16T11:00Z'), ['10:00', '11:00']],
  ['an earlier day', at('2031-05-14T10:00Z', '2031-05-14T11:00Z'), ['10:00\n05-14', '11:00']],
  ['from yesterday to today', at('2031-05-15T23:30Z', '2031-05-16T00:30Z'), ['23:30\n05-15', '00:30\n05-16']],
  ['more than a day', at('2031-05-14T10:00Z', '2031-05-15T22:00Z'), ['05-14', '05-15']],
  [
    'seconds',
    at('2031-05-16T10:00:01Z', '2031-05-16T10:00:01.5Z', '2031-05-16T10:00:02Z'),
    ['10:00:01', '', '10:00:02'],
  ],
])('the time labels of a chart are short for %s', (_, times, labels) => {
  expect(formatTimeLabels('utc', times, NOW)).toEqual(labels)
})
