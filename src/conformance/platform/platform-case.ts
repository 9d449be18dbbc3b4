/**
 * A case against a platform is data: what the kit's wallet answers, what the platform is asked to do, and what must be seen
 * on the wire. `scenario-runner.ts` plays it, `scenario-judge.ts` holds the record against `expect`. To add one: a row in `cases/`, under the next
 * free number of its group (ids are permanent), and a mutant in the tests that fails it.
 */
import type { ResultType } from '../../protocol/bet-request.ts'
import type { BetOperation } from '../../protocol/operation.ts'
import type { CaseFacts } from '../case-facts.ts'
import type { KitTimingName } from './play/kit-timing.ts'
import type { RequestRule } from './play/request-rules.ts'

/** What the kit's wallet says to one call. */
export type ScriptedAnswer =
  /** 200 with the standard body, at once or after a while. */
  | { readonly kind: 'ok'; readonly after?: KitTimingName }
  /** 400 with this code. */
  | { readonly kind: 'refusal'; readonly code: number }
  /** Another status; a redirect names an address on the same partner. */
  | { readonly kind: 'status'; readonly status: number }
  /** 200 at once, its body after a while. */
  | { readonly kind: 'late_body'; readonly after: KitTimingName }
  /** 200 while the platform is being killed: the first such answer as the kill begins, each next one a little later. */
  | { readonly kind: 'ok_at_restart' }
  /** Nothing, for as long as the platform waits. */
  | { readonly kind: 'hang' }
  /** The connection breaks. */
  | { readonly kind: 'reset' }
  /** 200 with a body that says nothing, or speaks of another bet. */
  | { readonly kind: 'bad_body'; readonly body: MalformedBody }

/** of_a_bet_alike: its transactionId differs from the bet's in the last character only. */
export type MalformedBody = 'broken' | 'empty' | 'of_another_bet' | 'of_a_bet_alike'

/** Answers used up one by one, and one for all that follow; `ok` unless said. */
export interface AnswerScript {
  readonly first?: readonly ScriptedAnswer[]
  readonly always?: ScriptedAnswer
}

/** Where a partner's address leads. */
export type PartnerAddressKind = 'home' | 'refused' | 'no_tls' | 'no_such_name'

/** What is asked of the platform, or waited for. Bets are numbered in the order in which they are asked for, partners from 0. */
export type ScenarioAct =
  /** `aside`: the platform's answer is not waited for. */
  | { readonly kind: 'place'; readonly partner?: number; readonly fireAndForget?: true; readonly amount?: string }
  /** `twice`: asked two times at the same moment, as two workers would. */
  | {
      readonly kind: 'settle'
      readonly bet?: number
      readonly resultType: ResultType
      readonly amount: string
      readonly twice?: true
    }
  | { readonly kind: 'unsettle'; readonly bet?: number; readonly twice?: true }
  | { readonly kind: 'cancel'; readonly bet?: number; readonly errorCode: number; readonly twice?: true }
  /** Ends when so many of these calls have come; or when none came for `patience` (patienceMs), or not all `within` this time. */
  | {
      readonly kind: 'await'
      readonly call: BetOperation
      readonly count: number
      readonly idleTimeout?: KitTimingName
      readonly within?: KitTimingName
    }
  /** Watches for what must not come. */
  | { readonly kind: 'watch'; readonly during?: KitTimingName }
  /** The partner's registered address becomes another one. */
  | { readonly kind: 'move'; readonly to: PartnerAddressKind }
  /** The player switches the currency and loads the frame again, with a new token. */
  | { readonly kind: 'switch_currency' }
  /** Another player of the first partner loads the frame; the bets that follow there are this one's. */
  | { readonly kind: 'another_player'; readonly who: OtherPlayerKind }
  /** The platform is killed and started again. */
  | { readonly kind: 'restart' }
  /** Ends when of every bet the platform says that it is accepted, or its Rollback has come; or when recovery takes too long. */
  | { readonly kind: 'await_fates' }

/** in_other_case: token and userId are those of the player before, in capital letters. */
export type OtherPlayerKind = 'in_other_case' | 'with_longest_ids' | 'behind_an_aggregator' | 'with_yen'

export type ScenarioExpectation =
  /** So many calls of this operation, about all bets of the case together. */
  | { readonly kind: 'count'; readonly call: BetOperation; readonly from: number; readonly to: number }
  /** The first Rollback, seen from the arrival of Place bet. */
  | { readonly kind: 'rollback_between'; readonly from?: KitTimingName; readonly to?: KitTimingName }
  | { readonly kind: 'error_code'; readonly code: number }
  /** The gaps between the Rollback's attempts. */
  | { readonly kind: 'gaps'; readonly shape: 'growing' | 'doubling'; readonly attempts: number }
  /** From the first attempt of the Rollback to its last. */
  | { readonly kind: 'within_window' }
  /** Every attempt of one delivery carries the same members; `requestId` and bytes too, if `exactly`. */
  | { readonly kind: 'same_data'; readonly call: BetOperation; readonly exactly: boolean }
  /** The deliveries of bet 0 in the order of their first attempts, each by operation and amount. */
  | { readonly kind: 'in_order'; readonly deliveries: readonly ExpectedDelivery[] }
  /** No call of a bet begins while another one of it is unanswered, or a decided one before it is not delivered. */
  | { readonly kind: 'one_at_a_time' }
  /** Every call about a bet carries the currency of its placement, and these are the currencies in the order of the bets. */
  | { readonly kind: 'currencies'; readonly of: readonly string[] }
  /** Every call about a bet names its player as the profile did, and Place bet brings this player's token. */
  | { readonly kind: 'own_player' }
  /** Every wish about the healthy partners (all but number 0) led to its call in time. */
  | { readonly kind: 'prompt' }
  /** Nothing but calls of the interface came to the partner's address. */
  | { readonly kind: 'nothing_else' }
  /** The platform itself says so of the latest delivery of bet 0, sooner or later. */
  | { readonly kind: 'shown'; readonly as: 'refused' | 'stuck' }
  /** Every bet was rolled back, or is accepted as the platform itself says; and not both. */
  | { readonly kind: 'one_fate' }

export interface ExpectedDelivery {
  readonly call: BetOperation
  readonly amount?: number
}

/** A scene of its own, with partners and players of its own. */
export interface ScenarioCase extends CaseFacts {
  readonly kind: 'scene'
  /** 1 unless said. */
  readonly partners?: number
  /** Of the first partner; the others answer `ok`. */
  readonly answers?: Partial<Record<BetOperation, AnswerScript>>
  readonly acts: readonly ScenarioAct[]
  readonly expect: readonly ScenarioExpectation[]
  /** Takes more than six minutes; left out unless asked for. */
  readonly slow?: true
  /** A platform need not be able to do this: one that is not is not judged by it, and that is no finding. */
  readonly mayBeUnable?: true
}

/** A rule that every request of the whole run is held against. */
export interface RequestRuleCase extends CaseFacts {
  readonly kind: 'form'
  readonly rule: RequestRule
}

export type PlatformCase = ScenarioCase | RequestRuleCase
