/** The log has at most one line per second for an outage; every other error has its own line. */
import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { throttleOutages } from '../src/logger.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('many calls during an outage produce one log line a second, with the number of the earlier ones', () => {
  const lines: { msg: string; leftOut?: number }[] = []
  const isOutage = (error: unknown) => error === 'outage'
  const log = pino(
    { hooks: { logMethod: throttleOutages(isOutage) } },
    { write: (line) => void lines.push(JSON.parse(line)) },
  )
  for (let call = 0; call < 50; call += 1) log.error({ err: 'outage', calls: 1 }, 'a batch failed')
  log.error({ err: 'defect' }, 'a call failed')
  log.info('a line without an error')
  vi.advanceTimersByTime(1_000)
  log.error({ err: 'outage' }, 'a round of deliveries failed')
  expect(lines.map(({ msg, leftOut }) => [msg, leftOut])).toEqual([
    ['a batch failed', undefined],
    ['a call failed', undefined],
    ['a line without an error', undefined],
    ['a round of deliveries failed', 49],
  ])
})
