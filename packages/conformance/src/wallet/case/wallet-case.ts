/**
 * Data model of a case against a wallet: calls, permitted answers, and their effects on the bet.
 *
 * The step runner sends the calls, matches the answers, and compares the balances after each step.
 * To add a case:
 * 1. Put it into the file of its group in cases/, with the next free id. Ids are permanent.
 * 2. Name the clause of the interface (clauses.ts), or a decision id if interface.md is silent.
 *    Only a clause of the interface can justify a MUST.
 * 3. Build the steps with step-builders.ts. Allow every answer that interface.md permits, even if a
 *    Purser wallet never gives it. `allowAnyFailure()` is for calls to which the interface defines
 *    no answer, `allowRefused()` for a rejection with any code.
 * 4. `loses` names in one line the loss of money that a failure causes.
 * 5. `covers` lists rows of the catalogue (case-catalogue.ts): 'A2', 'K1'. A test finds uncovered
 *    rows.
 *
 * Each case has its own players, so cases run in parallel. Bets, requests and sent bytes have names
 * inside a case ('X', 'Y'). Each name gets a new id in each round. The ids of X and X' differ only
 * in the last character.
 */
import type { Operation } from '@purser/protocol/operation'
import type { CaseFacts } from '../../case-facts.ts'
import type { LintRule } from '../play/answer-lint.ts'
import type { BodyRule } from '../play/body-rules.ts'
import type { FloatProbeAmount } from './float-probe-amounts.ts'

export interface StepCase extends CaseFacts {
  /** The kind of player A. Default: ordinary. */
  readonly player?: PlayerKind
  readonly needs?: readonly CaseNeed[]
  readonly steps: readonly CaseStep[]
}

/** A case about every answer of the run. */
export interface LintCase extends CaseFacts {
  readonly rule: LintRule
}

/** A case about the repeats at the end of the run. */
export interface LateRepeatCase extends CaseFacts {
  readonly late: LateRepeatRule
}

/**
 * The order of the repeats. Place bet is last, because a wallet that places a bet again would also
 * apply its result again. older: results that were replaced later.
 */
export const REPEAT_STAGES = ['settle', 'unsettle', 'rollback', 'older', 'place'] as const
export type RepeatStage = (typeof REPEAT_STAGES)[number]

/** A stage must move no money, or an answer must equal the first one. */
export type LateRepeatRule = RepeatStage | 'same answer'

export type WalletCase = StepCase | LintCase | LateRepeatCase

/**
 * - switched: has changed the currency, so that an old token has ended.
 * - crypto: has a currency with at least 6 decimals.
 * - described: its profile is known.
 */
export type PlayerKind =
  | 'ordinary'
  | 'blocked'
  | 'selfExcluded'
  | 'unverified'
  | 'underAge'
  | 'switched'
  | 'crypto'
  | 'described'

/**
 * Needs in addition to player A: player B, a dead token, a second currency, operator actions, and
 * the optional calls of the interface.
 */
export type CaseNeed = 'B' | 'dead token' | 'second currency' | 'operator' | '/user/balance' | '/payment/check'

/**
 * An amount is one of:
 * - money in major units, as on the wire ('10.0', '1e2')
 * - a percentage of A's balance at that step, or of the balance in the fixtures
 * - major units and a little less than half a minor unit, which no currency can represent
 * - an amount that the kit computes from A's balance (float-probe-amounts.ts)
 */
export type CaseAmount =
  | string
  | { readonly percent: number; readonly plusUnits: number; readonly isStated?: true }
  | { readonly finer: string }
  | { readonly chosen: FloatProbeAmount }

/** `nobody` is a userId that no player has. */
export type PlayerAlias = 'A' | 'B' | 'nobody'

/**
 * - live: the valid token of the player in the call.
 * - dead: no longer valid.
 * - old: issued before the switch of the currency.
 * - unknown: well-formed and never issued.
 */
export type TokenChoice = 'live' | 'of A' | 'of B' | 'dead' | 'old' | 'unknown' | 'none'

export type CurrencyChoice = 'first' | 'second'

/** Every variant except 'valid' and 'other spelling' must be rejected. */
export type SignatureVariant =
  | 'valid'
  | 'other spelling'
  | 'absent'
  | 'garbage'
  | 'wrong secret'
  | 'two parts'
  | 'of another body'
  | 'alg none'
  | 'alg none, unsigned'
  | 'alg HS512'
  | 'alg RS256'
  | 'crit'
  | 'payload inside'
  | 'cut short'
  | 'empty'

/** The body is signed in this spelling. */
export type JsonSpelling = 'compact' | 'reordered' | 'spaced' | 'escaped'

export interface CallStep {
  readonly kind: 'call'
  readonly operation: Operation
  readonly bet: string
  readonly who: PlayerAlias
  readonly token: TokenChoice
  readonly currency: CurrencyChoice
  readonly amount?: CaseAmount
  readonly resultType?: string
  /**
   * `undefined` omits a member, `rawJson('1e2')` is written unchanged, `nearMiss('longer')` changes
   * the right value.
   */
  readonly members: Readonly<Record<string, unknown>>
  /** Calls of one round with the same name have the same requestId. Absent: a new id. */
  readonly requestId?: string
  readonly signature: SignatureVariant
  readonly spelling: JsonSpelling
  /** Replaces the whole body. */
  readonly raw?: string
  /** Default: application/json. */
  readonly contentType?: string
  /** Default: the method of the operation. An unknown method may be answered 404 or 405. */
  readonly method?: string
  /** Default: the path of the operation. */
  readonly path?: string
  /** For `bytesOf` of a later call. */
  readonly named?: string
  /**
   * Sends the bytes and signature of the named call, perhaps as another operation. The members
   * above then only describe the call.
   */
  readonly bytesOf?: string
  readonly allow: readonly AllowedAnswer[]
}

/**
 * Effect of an answer on the bet in the expected books.
 * - debit: the stake is debited.
 * - pay: the amount replaces the earlier payout.
 * - unpay: the payout is taken back.
 * - cancel: the stake is returned, and the payout is taken back.
 */
export type BetEffect = 'nothing' | 'debit' | 'pay' | 'unpay' | 'cancel'

export type AllowedAnswer =
  | {
      readonly kind: 'accepted'
      readonly effect: BetEffect
      readonly body: readonly BodyRule[]
      readonly only?: AnswerCondition
    }
  | {
      readonly kind: 'refused'
      /** Empty: any code. */
      readonly codes: readonly number[]
      readonly effect: BetEffect
      readonly only?: AnswerCondition
    }
  /**
   * 400 with code 100, another status, or no answer. Allowed if the interface defines no answer or
   * permits a failed bet.
   */
  | { readonly kind: 'lost'; readonly effect: BetEffect; readonly only?: AnswerCondition }
  /**
   * A failed Place bet. Its Rollback is sent at once, as the service does, and returns any debited
   * stake.
   */
  | { readonly kind: 'given up'; readonly effect: 'nothing'; readonly only?: AnswerCondition }

/**
 * State of the bet in which an answer is allowed.
 * - settled: a settlement is applied.
 * - changed: a settlement is applied, and this call differs. Concurrent calls may all differ.
 * - placed: a stake is debited and not returned.
 * - unplaced: no stake is debited.
 */
export type AnswerCondition = 'settled' | 'changed' | 'placed' | 'unplaced'

/** Every combination of the allowed answers is allowed within the bounds. */
export interface ConcurrentCalls {
  readonly kind: 'together'
  readonly calls: readonly CallStep[]
  readonly accepted: { readonly min: number; readonly max: number }
}

/** Repeats the steps, with new bets each time. */
export interface RepeatedRounds {
  readonly kind: 'rounds'
  readonly times: number
  readonly steps: readonly CaseStep[]
}

export interface PauseStep {
  readonly kind: 'pause'
  readonly ms: number
}

/** The case needs 'operator'. */
export interface OperatorStep {
  readonly kind: 'act'
  readonly act: OperatorAction
  readonly who: 'A' | 'B'
  readonly bet: string
}

export type OperatorAction =
  | 'block'
  | 'self-exclude'
  | 'unverify'
  | 'make under age'
  /** A new session follows. The earlier token is dead. */
  | 'end sessions'
  | 'switch currency'
  | 'lock bet'
  | 'limit stake'
  | 'limit loss'
  | 'limit bet count'

export type CaseStep = CallStep | ConcurrentCalls | RepeatedRounds | PauseStep | OperatorStep
