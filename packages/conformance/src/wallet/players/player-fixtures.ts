/**
 * Interface to the players of a run, for both sources of players: fixtures-file.ts and
 * operator-fixtures.ts.
 */

import type { CustomFields } from '@purser/protocol/user-profile'
import { UnavailableError, UsageError } from '@purser/runtime/errors/cli-errors'
import type { CaseNeed, OperatorAction, PlayerKind } from '../case/wallet-case.ts'

export interface PlayerAccount {
  readonly currency: string
  /** Number of decimals. */
  readonly scale: number
}

/** If `userCountry` is absent here, the profile must not contain it. */
export type KnownProfile = Readonly<CustomFields> & { readonly isTest: boolean }

export interface FixturePlayer {
  readonly userId: string
  readonly token: string
  /** The account of the token. */
  readonly first: PlayerAccount
  /** After a switch of the currency it is the earlier account. */
  readonly second?: PlayerAccount
  readonly operatorUser?: string
  /** Minor units of `first`, if known without a query. */
  readonly balance?: bigint
  /** The balance was read in this run. A balance in a file may be outdated. */
  readonly isSeen?: true
  /**
   * Minor units: the balance that bets found first, less the balance in the file. Set only for a
   * difference of one unit, because an outdated file hardly ever differs by exactly that.
   */
  readonly misstated?: bigint
  /** The profile that the wallet must return. */
  readonly known?: KnownProfile
  readonly deadToken?: string
  /** The token from before the switch of the currency. */
  readonly oldToken?: string
}

export interface LeasedPlayers {
  readonly A: FixturePlayer
  readonly B?: FixturePlayer
}

export interface MissingFixture {
  /** An option of the kit, or a member of the file. */
  readonly add: string
  readonly why: string
}

export interface PlayerLease {
  readonly players: LeasedPlayers
  /** Returns the changed player. Not available if 'operator' is missing. */
  act(act: OperatorAction, player: FixturePlayer, betId: string): Promise<FixturePlayer>
  /**
   * `players` have their present balances. An omitted player is lost, because its balance is
   * unknown.
   */
  release(players: readonly FixturePlayer[]): void
}

export interface PlayerFixtures {
  /** Cases that can have players at the same time. */
  readonly capacity: number
  /** Empty if such players can be leased. */
  missing(kind: PlayerKind, needs: readonly CaseNeed[]): readonly MissingFixture[]
  /**
   * Waits until the players are free. Rejects with NoPlayersLeftError if they will never be free,
   * and if the operator API fails.
   */
  lease(kind: PlayerKind, needs: readonly CaseNeed[]): Promise<PlayerLease>
  /** The players are created for the run, so no balance has to be restored. */
  readonly areDisposable: boolean
}

/** Earlier cases have lost the players. */
export class NoPlayersLeftError extends Error {}

export class InvalidFixturesError extends UsageError {}

export class OperatorUnavailableError extends UnavailableError {}

/** The operator API answered and did not carry out the request. */
export class OperatorApiError extends Error {}
