/** The time. Passed in, so that tests can move it. */
import { environment } from './environment.ts'

export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date(environment.now()) }
