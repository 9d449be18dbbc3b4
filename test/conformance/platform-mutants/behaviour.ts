/** Every choice of the test platform, so that a mutant is one of them made wrongly. Written from C-1 to C-7 alone, beside src/server/platform. */
import { createHmac } from 'node:crypto'

export type Operation = 'place' | 'settle' | 'unsettle' | 'rollback'

/** What came of one call. */
export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly code: number }
  | { readonly kind: 'unknown'; readonly why: 'time_out' | 'empty' | 'broken' | 'of_another_bet' | 'of_a_bet_alike' }
  | { readonly kind: 'unknown'; readonly why: 'status'; readonly status: number }
  /** ECONNREFUSED and the like. */
  | { readonly kind: 'unknown'; readonly why: 'network'; readonly code: string }

/** Members of a body with their JSON text, so that amounts keep their digits. */
export type Members = Readonly<Record<string, string | undefined>>

/** What is known of a bet when a body is written. */
export interface BetFacts {
  readonly token: string
  readonly userId: string
  readonly currency: string
  readonly newestCurrency: string
}

export interface Behaviour {
  /** Milliseconds over the whole call, */
  readonly timeOutMs: number
  /** or only until the headers have come. */
  readonly timeOutCovers: 'call' | 'headers'
  readonly redirect: 'manual' | 'follow'
  readonly rollsBack: (outcome: Outcome) => boolean
  /** Milliseconds between the decision and the first attempt of a rollback. */
  readonly rollbackDelayMs: number
  readonly reason: (outcome: Outcome) => number
  /** Milliseconds from the start of the first attempt to the next one; undefined when this one was the last. */
  readonly nextStart: (operation: Operation, attempts: number) => number | undefined
  /** Whether the delivery is over, after so many attempts. */
  readonly isFinal: (operation: Operation, outcome: Outcome, attempts: number) => boolean
  readonly newRequestIdPerAttempt: readonly Operation[]
  /** One requestId for everything about a bet. */
  readonly oneRequestIdPerBet: boolean
  /** Whether a session that a player of this token has already is this player's too. */
  readonly isSameToken: (known: string, given: string) => boolean
  readonly members: (operation: Operation, members: Members, bet: BetFacts) => Members
  /** The members of attempt number `attempt`, from 1. */
  readonly retouch: (operation: Operation, members: Members, attempt: number) => Members
  readonly sign: (operation: Operation | 'profile', text: string, secret: string) => string | undefined
  readonly order: 'decided' | 'all_at_once' | 'unsettle_first'
  /** Every call of these is sent two times at the same moment. */
  readonly sendsTwice: readonly Operation[]
  /** One of these that is decided twice at the same moment is delivered so. */
  readonly deliversBoth: readonly Operation[]
  readonly lanes: 'per_bet' | 'one_for_all'
  readonly afterRestart: {
    readonly placing: 'rolled_back' | 'forgotten' | 'called_accepted'
    readonly forgets: readonly Operation[]
  }
  readonly shows: (operation: Operation, status: string) => string
}

const MAX_ATTEMPTS = 10

/** The platform as it should be; `scale` shrinks its times. */
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

/** C-5; that of a cashout with 3 or 4 the tests do not see. */
const WORDS_ON_RESULTS = [5, 20, 21]

function isNoWordOnResult(operation: Operation, outcome: Outcome): boolean {
  const isResult = operation === 'settle' || operation === 'unsettle'
  return isResult && outcome.kind === 'refused' && !WORDS_ON_RESULTS.includes(outcome.code)
}

/** Another implementation than the one that the kit verifies with. */
export function sign(text: string, secret: string): string {
  const header = Buffer.from('{"typ":"JWT","alg":"HS256"}').toString('base64url')
  const input = `${header}.${Buffer.from(text).toString('base64url')}`
  return `${header}..${createHmac('sha256', secret).update(input).digest('base64url')}`
}
