/** A player of the tested wallet: identity and token, and the bets in its betting frame. */
import type { FrameBets } from '../../frame/frame-bets.ts'

export interface DevPlayer {
  readonly userId: string
  readonly currency: string
  /** Number of decimals. */
  readonly scale: number
  readonly token: string
  readonly operatorUser?: string | undefined
  /** A token of the player that is no longer valid. */
  readonly deadToken?: string | undefined
  readonly bets: FrameBets
  /** Minor units that the wallet last returned; undefined if unknown. */
  balance?: bigint
}
