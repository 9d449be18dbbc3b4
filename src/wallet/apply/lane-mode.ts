/** The modes of a lane, as its picture shows them (lanes.ts): one that it cannot enter is a mistake of ours, and is never entered. */
import { strict as assert } from 'node:assert'

/** The modes that a lane may enter from each. */
const MODES = {
  idle: ['gathering'],
  gathering: ['applying'],
  applying: ['resting', 'gathering', 'idle'],
  resting: ['gathering', 'idle'],
} as const
export type Mode = keyof typeof MODES

export interface Moded {
  mode: Mode
}

export function enter(lane: Moded, mode: Mode): void {
  assert(
    MODES[lane.mode].some((next) => next === mode),
    `a lane goes from ${lane.mode} to ${mode}`,
  )
  lane.mode = mode
}
