/**
 * Modes of a lane of the call queue, and their transitions (call-queue.ts). A forbidden transition
 * is a defect and throws.
 */
import { strict as assert } from 'node:assert'

const TRANSITIONS = {
  idle: ['gathering'],
  gathering: ['applying'],
  applying: ['paused', 'gathering', 'idle'],
  paused: ['gathering', 'idle'],
} as const
export type LaneMode = keyof typeof TRANSITIONS

export interface HasLaneMode {
  mode: LaneMode
}

export function enterLaneMode(lane: HasLaneMode, mode: LaneMode): void {
  assert(
    TRANSITIONS[lane.mode].some((next) => next === mode),
    `a lane changed from ${lane.mode} to ${mode}`,
  )
  lane.mode = mode
}
