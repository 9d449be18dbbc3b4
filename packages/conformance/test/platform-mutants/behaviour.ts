/**
 * The choices of the test platform; a mutant makes one choice wrongly. The choices are written from
 * C-1 to C-7 alone, independently of packages/server/src/platform.
 */
import { createHmac } from 'node:crypto'

export type Operation = 'place' | 'settle' | 'unsettle' | 'rollback'

export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'unknown'; readonly why: 'time_out' | 'empty' | 'broken' | 'of_another_bet' | 'of_a_bet_alike' }
  | { readonly kind: 'unknown'; readonly why: 'status'; readonly status: number }
  /** ECONNREFUSED and similar. */
  | { readonly kind: 'unknown'; readonly why: 'network'; readonly code: string }

/** Members of a body with their JSON text, so that amounts keep their digits. */
export type Members = Readonly<Record<string, string | undefined>>

export interface BetFacts {
  readonly token: string
  readonly userId: string
  readonly currency: string
  readonly newestCurrency: string
}

export interface Behaviour {
  /** Milliseconds. */
  readonly timeOutMs: number
  /** The part of a call that the time-out covers. */
  readonly timeOutCovers: 'call' | 'headers'
  readonly redirect: 'manual' | 'follow'
  readonly rollsBack: (outcome: Outcome) => boolean
  /** Milliseconds between the decision and the first attempt of a rollback. */
  readonly rollbackDelayMs: number
  readonly reason: (outcome: Outcome) => number
  /**
   * Milliseconds from the start of the first attempt to the next one; undefined after the last one.
   */
  readonly nextStart: (operation: Operation, attempts: number) => number | undefined
  /** True if the delivery ends after this number of attempts. */
  readonly isFinal: (operation: Operation, outcome: Outcome, attempts: number) => boolean
  readonly newRequestIdPerAttempt: readonly Operation[]
  /** One requestId for every call of a bet. */
  readonly oneRequestIdPerBet: boolean
  /** True if the existing session of one token is used for a player with the other token. */
  readonly isSameToken: (known: string, given: string) => boolean
  readonly members: (operation: Operation, members: Members, bet: BetFacts) => Members
  /** The members of attempt number `attempt`, from 1. */
  readonly retouch: (operation: Operation, members: Members, attempt: number) => Members
  readonly sign: (operation: Operation | 'profile', text: string, secret: string) => string | undefined
  readonly order: 'decided' | 'all_at_once' | 'unsettle_first'
  /** Each call of these operations is sent twice at the same moment. */
  readonly sendsTwice: readonly Operation[]
  /** Two concurrent decisions of these operations are both delivered. */
  readonly deliversBoth: readonly Operation[]
  readonly lanes: 'per_bet' | 'one_for_all'
  readonly afterRestart: {
    readonly placing: 'rolled_back' | 'forgotten' | 'called_accepted'
    readonly forgets: readonly Operation[]
  }
  readonly shows: (operation: Operation, status: string) => string
}

const MAX_ATTEMPTS = 10

/** The correct platform; `scale` shortens its times. */
export function rightBehaviour(scale: number): Behaviour {
  return {
    timeOutMs: 5_000 * scale,
    timeOutCovers: 'call',
    redirect: 'manual',
    rollsBack: (outcome) => outcome.kind === 'unknown' || (outcome.kind === 'refused' && outcome.code === 100),
    rollbackDelayMs: 0,
    reason: (outcome) => (outcome.kind === 'unknown' && outcome.why === 'time_out' ? 10 : 52),
    nextStart: (operation, attempts) =>
      operation === 'rollback' && attempts >= MAX_ATTEMPTS ? undefined : 700 * (2 ** attempts - 1) * scale,
    isFinal: (operation, outcome) => outcome.kind !== 'unknown' && !isNoWordOnResult(operation, outcome),
    newRequestIdPerAttempt: [],
    oneRequestIdPerBet: false,
    isSameToken: () => false,
    members: (_operation, members) => members,
    retouch: (_operation, members) => members,
    sign: (_operation, text, secret) => sign(text, secret),
    order: 'decided',
    sendsTwice: [],
    deliversBoth: [],
    lanes: 'per_bet',
    afterRestart: { placing: 'rolled_back', forgets: [] },
    shows: (_operation, status) => status,
  }
}

/** The codes that end a result (C-5). Codes 3 and 4 of a cashout are not tested. */
const WORDS_ON_RESULTS = [5, 20, 21]

function isNoWordOnResult(operation: Operation, outcome: Outcome): boolean {
  const isResult = operation === 'settle' || operation === 'unsettle'
  return isResult && outcome.kind === 'refused' && !WORDS_ON_RESULTS.includes(outcome.code)
}

/** Independent of the kit's implementation. */
export function sign(text: string, secret: string): string {
  const header = Buffer.from('{"typ":"JWT","alg":"HS256"}').toString('base64url')
  const input = `${header}.${Buffer.from(text).toString('base64url')}`
  return `${header}..${createHmac('sha256', secret).update(input).digest('base64url')}`
}
