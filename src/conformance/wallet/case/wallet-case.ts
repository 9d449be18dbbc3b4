/**
 * What a case is: data. A case says what is sent and every answer that the interface allows, each with what it does to the
 * bet; the runner (play.ts) sends, matches the answer and compares the balance after every step.
 *
 * To add a case:
 *  1. Put it into the file of its group in cases/, under the next free id. Ids are permanent and never used again.
 *  2. Name the clause: of the interface (clauses.ts), or a decision id when interface.md is silent. MUST only for what a
 *     clause of the interface demands; SHOULD for what a decision adds.
 *  3. Build the steps with the words of step-builders.ts. Allow every answer that interface.md allows, also those that a Purser
 *     wallet never gives: the judge accepts them all. `...deny()` where the interface shows no answer, so that everything
 *     but a success is one; `refuse()` where it must be a refusal, and no code is fixed.
 *  4. `loses` says in one line whose money is lost when the case fails.
 *  5. `covers` names the rows of the catalogue (case-catalogue.ts) that it covers: 'A2', 'K1'. A test looks for gaps.
 *
 * Every case has players of its own, so cases run side by side. Bets, requests and sent bytes have names inside a case
 * ('X', 'Y'); fresh ids are made for each name, and again in each round. The id of X' is that of X but for its last character.
 */
import type { Operation } from '../../../protocol/operation.ts'
import type { CaseFacts } from '../../case-facts.ts'
import type { LintRule } from '../play/answer-lint.ts'
import type { BodyRule } from '../play/body-rules.ts'
import type { FloatProbeAmount } from './float-probe-amounts.ts'
import type { LateRepeatRule } from './late-repeat-rule.ts'

/** A case that sends something. */
export interface StepCase extends CaseFacts {
  /** What player A is; an ordinary one unless said. */
  readonly player?: PlayerKind
  readonly needs?: readonly CaseNeed[]
  readonly steps: readonly CaseStep[]
}

/** A case about every answer of the run. */
export interface LintCase extends CaseFacts {
  readonly rule: LintRule
}

/** A case about all that is sent once more at the end of the run. */
export interface LateRepeatCase extends CaseFacts {
  readonly late: LateRepeatRule
}

export type WalletCase = StepCase | LintCase | LateRepeatCase

/**
 * switched: has changed its currency, so that an old token of it is out of date. crypto: in a currency with at least 6
 * decimal places. described: it is known what its profile must say.
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
 * Beside a player: a second one (B); a token of A that is no longer valid; a second currency that A may switch to; the
 * operator's hand during the case; the two calls that a partner may leave out.
 */
export type CaseNeed = 'B' | 'dead token' | 'second currency' | 'operator' | '/user/balance' | '/payment/check'

/**
 * An amount is one of:
 * - money in major units as the wire has it ('10.0', '1e2');
 * - a part of A's balance at that step, or of the balance that the fixtures state;
 * - major units and a little less than half a minor unit, which no currency can hold;
 * - an amount that the kit chooses by A's balance at that step (float-probe-amounts.ts).
 */
export type CaseAmount =
  | string
  | { readonly percent: number; readonly plusUnits: number; readonly isStated?: true }
  | { readonly finer: string }
  | { readonly chosen: FloatProbeAmount }

/** A and B are players of the fixtures; nobody is a userId that no player has. */
export type PlayerAlias = 'A' | 'B' | 'nobody'

/** The token that is sent. live: of whom the call names; dead: no longer valid; unknown: well formed, never given out; old: from before the switch of currency. */
export type TokenChoice = 'live' | 'of A' | 'of B' | 'dead' | 'old' | 'unknown' | 'none'

/** Which of the player's currencies. */
export type CurrencyChoice = 'first' | 'second'

/** How the call is signed; everything but 'valid' and 'other spelling' must be refused. */
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

/** How the body is written; it is always signed as written. */
export type JsonSpelling = 'compact' | 'reordered' | 'spaced' | 'escaped'

export interface CallStep {
  readonly kind: 'call'
  readonly operation: Operation
  readonly bet: string
  readonly who: PlayerAlias
  readonly token: TokenChoice
  readonly purse: CurrencyChoice
  readonly amount?: CaseAmount
  readonly resultType?: string
  /** Replace or add members; `undefined` leaves one out; `written('1e2')` for a number as text; `changed('longer')` of what it would be. */
  readonly members: Readonly<Record<string, unknown>>
  /** A name: calls of one round with the same name carry the same requestId. Absent: a fresh one. */
  readonly requestId?: string
  readonly signature: SignatureVariant
  readonly spelling: JsonSpelling
  /** The body itself, instead of members. */
  readonly raw?: string
  /** Instead of application/json. */
  readonly contentType?: string
  /** Instead of the operation's own. A method that the interface does not have may be answered 404 or 405. */
  readonly method?: string
  /** Instead of the operation's own. */
  readonly path?: string
  /** A name under which `again` sends these very bytes once more. */
  readonly named?: string
  /** Sends the bytes and the signature of that call, perhaps as another operation; the members above then only say what they mean. */
  readonly bytesOf?: string
  readonly allow: readonly AllowedAnswer[]
}

/**
 * What an answer does to the bet, in the expectation (books.ts):
 * nothing; debit the stake; pay the amount in place of what was paid before; unpay; cancel: give the stake back and take
 * what was paid.
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
  /** It has failed (400 with 100, another status, no answer), where the interface shows no answer or lets a bet fail. */
  | { readonly kind: 'lost'; readonly effect: BetEffect; readonly only?: AnswerCondition }
  /** So has a Place bet, and its Rollback is sent at once, as the service does: whatever it has debited is back then. */
  | { readonly kind: 'given up'; readonly effect: 'nothing'; readonly only?: AnswerCondition }

/**
 * An answer that is allowed in one state of the bet only, whichever answers led there. settled: a settlement is applied;
 * changed: and this call differs from it (calls at the same moment may all find it so). placed: a stake was debited for it, and
 * not given back. unplaced: none.
 */
export type AnswerCondition = 'settled' | 'changed' | 'placed' | 'unplaced'

/** Calls sent at the same moment; every joint outcome of their allowed answers is allowed within these bounds. */
export interface ConcurrentCalls {
  readonly kind: 'together'
  readonly calls: readonly CallStep[]
  /** How many of them are accepted. */
  readonly accepted: { readonly min: number; readonly max: number }
}

/** The steps again and again, with fresh bets each time. */
export interface RepeatedRounds {
  readonly kind: 'rounds'
  readonly times: number
  readonly steps: readonly CaseStep[]
}

export interface PauseStep {
  readonly kind: 'pause'
  readonly ms: number
}

/** The operator does something to a player; needs 'operator'. */
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
  /** And log in again: the token from before is dead. */
  | 'end sessions'
  | 'switch currency'
  | 'lock bet'
  | 'limit stake'
  | 'limit loss'
  | 'limit bet count'

export type CaseStep = CallStep | ConcurrentCalls | RepeatedRounds | PauseStep | OperatorStep
