// A row of the life table: a bet in a state, an arriving call, and its complete effect.
import type { MembersFactory, Moment } from './moments.ts'
import { type Column, type Members, must, type State } from './scene.ts'

export interface Row {
  /**
   * By default: open at 100.00, settled as won 250.00, cancelled once open, refused for the funds
   * of 5000.00.
   */
  given: State
  /** Another way into that state. */
  by?: Moment
  arrives: Column
  as: string
  /** The earlier call, byte for byte; otherwise the call has a new requestId. */
  again?: true
  /** Differences from the standard call (place 100, settle won 250, rollback 100). */
  with?: Members | MembersFactory
  /** An event for the player since the bet got its state. */
  meanwhile?: Moment
  /** 200 or the code of the refusal. */
  answers: number
  /** The change of the player's balance in EUR; by default none. */
  moves?: string
  /** By default the same state. */
  leaves?: State
  /** The answer's time is the time of this earlier call. */
  timeOf?: Column
  anomaly?: true
}

export const cashout = { resultType: 'cashout', amount: 150 }

/** The rollback arrived before its bet, so this id must never be debited. */
export const tombstone: Moment = async (scene) => {
  await must(scene, 'rollback')
}

export function settledAs(members: Members): Moment {
  return async (scene) => {
    await must(scene, 'place')
    await must(scene, 'settle', members)
  }
}
