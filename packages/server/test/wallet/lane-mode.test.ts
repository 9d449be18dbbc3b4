/** A lane (queue of calls) changes from one mode to another only as call-queue.ts describes. */
import { expect, test } from 'vitest'
import { enterLaneMode, type LaneMode } from '../../src/wallet/queue/lane-mode.ts'

test('a lane changes only between the modes that its diagram connects', () => {
  const modes: readonly LaneMode[] = ['idle', 'gathering', 'applying', 'paused']
  const ways = modes.map((from) => [from, modes.filter((to) => mayEnter(from, to))])
  expect(Object.fromEntries(ways)).toEqual({
    idle: ['gathering'],
    gathering: ['applying'],
    applying: ['idle', 'gathering', 'paused'],
    paused: ['idle', 'gathering'],
  })
})

function mayEnter(from: LaneMode, to: LaneMode): boolean {
  const lane = { mode: from }
  try {
    enterLaneMode(lane, to)
  } catch {
    expect(lane.mode).toBe(from)
    return false
  }
  return lane.mode === to
}
