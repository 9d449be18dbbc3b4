/** Clock as a parameter, so that tests can set the time. */
import { environment } from './environment.ts'

export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date(environment.now()) }
