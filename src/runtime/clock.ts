/** The time. Passed in, so that tests can move it. */
import { world } from './world.ts'

export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date(world.wall()) }
