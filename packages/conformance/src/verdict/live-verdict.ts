/**
 * Live verdicts on the calls between a platform and any wallet: the interface of the judge
 * (live-judge.ts).
 *
 * The judge receives each call when it leaves for the wallet, and its answer. It keeps every state
 * of the player's bets that the answers so far permit. An answer that fits no state is wrong. It
 * reads no clock and does no I/O.
 */
import type { Exchange, SentRequest } from '../http-exchange.ts'

export interface LivePlayer {
  readonly userId: string
  readonly currency: string
  /** Number of decimals. */
  readonly scale: number
  /** The live tokens. A token that the judge does not know is never accused. */
  readonly tokens: readonly string[]
  /** Minor units, if known. */
  readonly balance?: bigint
}

export interface LiveJudgeOptions {
  readonly secret: string
  readonly players: readonly LivePlayer[]
}

export interface CallMarks {
  /** The token of the call is no longer valid. */
  readonly deadToken?: true
}

/**
 * - right: the interface permits the answer.
 * - advice: the interface permits the answer, and a decision of this project does not (SHOULD).
 * - wrong: the interface forbids the answer (MUST).
 * - undecided: the effect of the call is unknown, or its cause may be outside of the calls.
 */
export type VerdictKind = 'right' | 'advice' | 'wrong' | 'undecided'

export interface Verdict {
  /** The number of the call. 0: the verdict concerns no single call. */
  readonly call: number
  readonly kind: VerdictKind
  /** The wallet's behaviour and the demanded behaviour, with amounts and currency. */
  readonly sentence: string
  /** Short name of the fault, the same for each repetition of the fault. */
  readonly cause?: string
  /** The case of the kit that judges the same fault. */
  readonly caseId?: string
  readonly clause?: string
  /** The words of the clause. */
  readonly clauseWords?: string
  readonly loses?: string
  readonly whom?: 'player' | 'operator'
  readonly remedy?: string
}

export interface VerdictCause {
  readonly cause: string
  readonly kind: VerdictKind
  readonly caseId?: string
  readonly count: number
  readonly remedy?: string
  readonly example: Verdict
}

/** Counts the last verdict of each call. */
export interface VerdictSum {
  readonly calls: number
  readonly right: number
  readonly advice: number
  readonly wrong: number
  readonly undecided: number
  /** Wrong before advice; the fault that costs most money first. */
  readonly causes: readonly VerdictCause[]
}

export interface LiveJudge {
  /** The call leaves for the wallet. Returns its number, from 1. */
  begin(request: SentRequest, at: Date, marks?: CallMarks): number
  /**
   * The wallet's answer, or none. The first verdict concerns this call. Further verdicts concern
   * earlier calls, and replace their verdicts. The answer to a Balance call is also read as a
   * balance, if no other call of the player was in progress.
   */
  end(number: number, exchange: Exchange): readonly Verdict[]
  /** A balance that was read while no call of the player was in progress. */
  balance(userId: string, units: bigint): readonly Verdict[]
  /** Adds a player, or tokens and another currency to a known player. */
  addPlayer(player: LivePlayer): void
  sum(): VerdictSum
}
