/**
 * The modes of a lane, as its picture shows them (call-queue.ts): one that it cannot enter is a
 * mistake of ours, and is never entered.
 */
import { strict as assert } from 'node:assert'

/** The modes that a lane may enter from each. */
const TRANSITIONS = {
  idle: ['gathering'],
  gathering: ['applying'],
  applying: ['resting', 'gathering', 'idle'],
  resting: ['gathering', 'idle'],
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
