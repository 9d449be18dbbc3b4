/**
 * A sandbox that runs longer than a day renews its frame sessions at the platform before they
 * expire.
 */
import { expect, test, vi } from 'vitest'
import { createFrameSessionRenewal } from '../../src/sandbox/bettors/frame-session-renewal.ts'

const HOUR_MS = 3_600_000

test('the sandbox renews a frame session before it is a day old (C-17), and not earlier', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0)
  let loads = 0
  const frame = createFrameSessionRenewal(async () => `frame ${++loads}`)
  const at = (hour: number) => {
    now.mockReturnValue(hour * HOUR_MS)
    return frame()
  }
  expect([await at(0), await at(11), await at(23), await at(24), await at(46)]).toEqual([
    ...['frame 1', 'frame 1', 'frame 2', 'frame 2', 'frame 3'],
  ])
  now.mockRestore()
})
