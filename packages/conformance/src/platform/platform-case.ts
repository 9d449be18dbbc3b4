/**
 * Data model of a conformance case against a platform. A case is a scene (a scenario with its own
 * partners and players), or a rule for every request of the run.
 *
 * A scene has the answers of the mock wallet, acts (the requests of the kit), and expected calls.
 * `scenario-runner.ts` runs the scene and records the calls. `scenario-judge.ts` compares the
 * record with the member `expect` of the case. A new case is a row in `cases/` with the next free
 * number of its group (ids are permanent). The tests also need a mutant for it: a platform with a
 * fault that fails the new case.
 */
import type { ResultType } from '@purser/protocol/bet-request'
import type { BetOperation } from '@purser/protocol/operation'
import type { CaseFacts } from '../case-facts.ts'
import type { KitTimingName } from './play/kit-timing.ts'
import type { RequestRule } from './play/request-rules.ts'

export type ScriptedAnswer =
  /** 200 with the standard body, at once or after a delay. */
  | { readonly kind: 'ok'; readonly after?: KitTimingName }
  /** 400 with this code. */
  | { readonly kind: 'refusal'; readonly code: number }
  /** Another status. A redirect leads to another path of the same partner. */
  | { readonly kind: 'status'; readonly status: number }
  /** 200 at once, with a delayed body. */
  | { readonly kind: 'late_body'; readonly after: KitTimingName }
  /**
   * 200 during the kill of the platform. The first answer is sent when the kill begins, each
   * further one a little later.
   */
  | { readonly kind: 'ok_at_restart' }
  /** No answer, however long the platform waits. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  /** 200 with an unreadable body or a body about another bet. */
  | { readonly kind: 'bad_body'; readonly body: MalformedBody }

/** of_a_bet_alike: only the last character of the transactionId differs. */
export type MalformedBody = 'broken' | 'empty' | 'of_another_bet' | 'of_a_bet_alike'

/** `first` is used up in order, then `always` answers. Default: `ok`. */
export interface AnswerScript {
  readonly first?: readonly ScriptedAnswer[]
  readonly always?: ScriptedAnswer
}

/** The target of a partner's address. */
export type PartnerAddressKind = 'home' | 'refused' | 'no_tls' | 'no_such_name'

/** Bets are numbered in the order of their requests, partners from 0. */
export type ScenarioAct =
  /** `fireAndForget`: the platform's answer is not awaited. */
  | { readonly kind: 'place'; readonly partner?: number; readonly fireAndForget?: true; readonly amount?: string }
  /** `twice`: two requests at the same moment, as two workers could send them. */
  | {
      readonly kind: 'settle'
      readonly bet?: number
      readonly resultType: ResultType
      readonly amount: string
      readonly twice?: true
    }
  | { readonly kind: 'unsettle'; readonly bet?: number; readonly twice?: true }
  | { readonly kind: 'cancel'; readonly bet?: number; readonly errorCode: number; readonly twice?: true }
  /**
   * Ends after `count` calls, or after `idleTimeout` (default callWaitMs) without a call. With
   * `within` it ends after this time instead.
   */
  | {
      readonly kind: 'await'
      readonly call: BetOperation
      readonly count: number
      readonly idleTimeout?: KitTimingName
      readonly within?: KitTimingName
    }
  /** Watches for calls that must not arrive. */
  | { readonly kind: 'watch'; readonly during?: KitTimingName }
  | { readonly kind: 'move'; readonly to: PartnerAddressKind }
  /** The player switches the currency and loads the frame again, with a new token. */
  | { readonly kind: 'switch_currency' }
  /** Another player of the first partner loads the frame and places the next bets there. */
  | { readonly kind: 'another_player'; readonly who: OtherPlayerKind }
  | { readonly kind: 'restart' }
  /**
   * Ends when each bet is accepted according to the platform or has a Rollback, or after
   * recoveryMs.
   */
  | { readonly kind: 'await_outcomes' }

/** in_other_case: token and userId of the earlier player in capital letters. */
export type OtherPlayerKind = 'in_other_case' | 'with_longest_ids' | 'behind_an_aggregator' | 'with_yen'

export type ScenarioExpectation =
  /** For all bets of the case together. */
  | { readonly kind: 'count'; readonly call: BetOperation; readonly from: number; readonly to: number }
  /** Time from the arrival of Place bet to the first Rollback. */
  | { readonly kind: 'rollback_between'; readonly from?: KitTimingName; readonly to?: KitTimingName }
  | { readonly kind: 'error_code'; readonly code: number }
  | { readonly kind: 'gaps'; readonly shape: 'growing' | 'doubling'; readonly attempts: number }
  /** Time from the first attempt of the Rollback to the last. */
  | { readonly kind: 'within_window' }
  /** Each attempt of a delivery has the same members, with `exactly` also the same bytes. */
  | { readonly kind: 'same_data'; readonly call: BetOperation; readonly exactly: boolean }
  /** Deliveries of bet 0 by operation and amount, in the order of their first attempts. */
  | { readonly kind: 'in_order'; readonly deliveries: readonly ExpectedDelivery[] }
  /** A call of a bet begins only after the earlier one is answered and its delivery is complete. */
  | { readonly kind: 'one_at_a_time' }
  /** Each call about a bet has the currency of its placement: `of`, in the order of the bets. */
  | { readonly kind: 'currencies'; readonly of: readonly string[] }
  /**
   * Each call about a bet names its player as the profile did, and Place bet has this player's
   * token.
   */
  | { readonly kind: 'own_player' }
  /** Each request about a healthy partner (not 0) led to its call in time. */
  | { readonly kind: 'prompt' }
  /** Only calls of the interface arrived at the partner's address. */
  | { readonly kind: 'nothing_else' }
  /** The platform shows this state for the latest delivery of bet 0 within callWaitMs. */
  | { readonly kind: 'shown'; readonly as: 'refused' | 'stuck' }
  /** Each bet either was rolled back or is accepted according to the platform, and never both. */
  | { readonly kind: 'one_outcome' }

export interface ExpectedDelivery {
  readonly call: BetOperation
  readonly amount?: number
}

export interface ScenarioCase extends CaseFacts {
  readonly kind: 'scene'
  /** Default: 1. */
  readonly partners?: number
  /** The answers of the first partner. All others answer `ok`. */
  readonly answers?: Partial<Record<BetOperation, AnswerScript>>
  readonly acts: readonly ScenarioAct[]
  readonly expect: readonly ScenarioExpectation[]
  /** Takes more than six minutes and needs --slow. */
  readonly slow?: true
  /** A platform that cannot do this is not judged, without a finding. */
  readonly mayBeUnable?: true
}

export interface RequestRuleCase extends CaseFacts {
  readonly kind: 'form'
  readonly rule: RequestRule
}

export type PlatformCase = ScenarioCase | RequestRuleCase
