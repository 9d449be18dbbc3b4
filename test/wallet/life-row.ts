// What a row of the life table is: a bet in a state, a call that arrives, and everything that has to come of it.
import type { Made, Moment } from './moments.ts'
import { type Column, type Members, must, type State } from './scene.ts'

export interface Row {
  /** By default: open at 100.00, settled as won 250.00, cancelled once open, refused for the funds of 5000.00. */
  given: State
  /** Another way into that state. */
  by?: Moment
  arrives: Column
  /** What is particular about this call, or about the moment it arrives in. */
  as: string
  /** The call sent before, byte for byte; else the call has a requestId of its own. */
  again?: true
  /** Members in which it differs from the plain call (place 100, settle won 250, rollback 100). */
  with?: Members | Made
  /** What happened to the player since the bet came into its state. */
  meanwhile?: Moment
  /** 200 or the code of the refusal. */
  answers: number
  /** How the player's balance in EUR changes; not at all when absent. */
  moves?: string
  /** As it was, when absent. */
  leaves?: State
  /** The answer's time is that of this earlier call. */
  timeOf?: Column
  anomaly?: true
}

export const cashout = { resultType: 'cashout', amount: 150 }

/** The rollback came before its bet: all that is known is that this id must never be debited. */
export const tombstone: Moment = async (scene) => {
  await must(scene, 'rollback')
}

export function settledAs(members: Members): Moment {
  return async (scene) => {
    await must(scene, 'place')
    await must(scene, 'settle', members)
  }
}
