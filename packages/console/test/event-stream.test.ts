/** After an outage of the server, the console's pages reconnect at different times. */
import { expect, test, vi } from 'vitest'
import { reconnectBackoffMs } from '../src/app/event-stream.ts'

test('pages that lost their streams together reconnect at different times', () => {
  const chance = vi.spyOn(Math, 'random')
  const pauses = [0, 0.25, 0.5, 0.75].map((drawn) => {
    chance.mockReturnValueOnce(drawn)
    return reconnectBackoffMs()
  })
  chance.mockRestore()
  expect(pauses).toEqual([750, 1_125, 1_500, 1_875])
})
