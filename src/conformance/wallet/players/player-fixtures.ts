/** The players of a run: where they come from differs (fixtures-file.ts, fixtures-operator.ts), what a case sees does not. */

import type { CustomFields } from '../../../protocol/user-profile.ts'
import { UnavailableError, UsageError } from '../../../runtime/errors/cli-errors.ts'
import type { CaseNeed, OperatorAction, PlayerKind } from '../case/wallet-case.ts'

export interface PlayerAccount {
  readonly currency: string
  /** Decimal places. */
  readonly scale: number
}

/** `userCountry` must be absent from the profile when it is absent here. */
export type KnownProfile = Readonly<CustomFields> & { readonly isTest: boolean }

export interface FixturePlayer {
  readonly userId: string
  readonly token: string
  /** What the token is bound to. */
  readonly first: PlayerAccount
  /** Another currency of the player: after a switch the earlier one. */
  readonly second?: PlayerAccount
  readonly operatorUser?: string
  /** Minor units of `first`, where it is known without asking the wallet. */
  readonly balance?: bigint
  /** The balance was seen in this run; that of a file may have grown old. */
  readonly isSeen?: true
  /**
   * Minor units: the balance that bets found first, less that of the file. It is kept where it is one
   * unit up or down: a file that has grown old is hardly ever wrong by just that.
   */
  readonly misstated?: bigint
  /** What the profile must say of the player. */
  readonly known?: KnownProfile
  /** Was valid once, is not any more. */
  readonly deadToken?: string
  /** From before the switch of the currency. */
  readonly oldToken?: string
}

export interface LeasedPlayers {
  readonly A: FixturePlayer
  readonly B?: FixturePlayer
}

/** Something without which a case cannot be judged. */
export interface MissingFixture {
  /** What to give the kit, in the words of its options and its file. */
  readonly add: string
  readonly why: string
}

/** Players that belong to one case until it gives them back. */
export interface PlayerLease {
  readonly players: LeasedPlayers
  /** Does something to a player; answers it as it is then. Only where 'operator' is not among what is missing. */
  act(act: OperatorAction, player: FixturePlayer, betId: string): Promise<FixturePlayer>
  /** The players as they are now; those that are not among them are lost, as nobody knows what they have. */
  giveBack(players: readonly FixturePlayer[]): void
}

export interface PlayerFixtures {
  /** How many cases can have their players at once. */
  readonly capacity: number
  /** All that such players lack; empty when there can be some. */
  missing(kind: PlayerKind, needs: readonly CaseNeed[]): readonly MissingFixture[]
  /**
   * Waits until they are free. Rejects with NoPlayersLeftError when there will be none, and when
   * the operator API fails.
   */
  lease(kind: PlayerKind, needs: readonly CaseNeed[]): Promise<PlayerLease>
  /** True when players are made for the run, so that nobody needs their money back. */
  readonly areDisposable: boolean
}

/** The players that a case needs have been lost to cases before it. */
export class NoPlayersLeftError extends Error {}

/** The fixtures cannot be used as they are given. */
export class InvalidFixturesError extends UsageError {}

/** Nobody answers where players are to be made. */
export class OperatorUnavailableError extends UnavailableError {}

/** The operator API answered, and did not do it. */
export class OperatorApiError extends Error {}
