/**
 * What can happen to one bet: each call of the wire, fresh, sent again, or as a late copy of its first sending; and what
 * the operator or the player does beside it. Pure.
 */
import type { Placement } from '../../server/wallet/store/bet.ts'

/** Minor units. The second Place bet has the id of the first and another stake. */
export const CALLS = {
  place: { kind: 'place', amount: 10n },
  'place other': { kind: 'place', amount: 20n },
  'settle 25': { kind: 'settle', amount: 25n, resultType: 'won' },
  'settle 0': { kind: 'settle', amount: 0n, resultType: 'lost' },
  /** The payout of the first result as another one (L-1). */
  'return 25': { kind: 'settle', amount: 25n, resultType: 'refund' },
  cashout: { kind: 'settle', amount: 12n, resultType: 'cashout' },
  unsettle: { kind: 'unsettle', amount: 0n },
  rollback: { kind: 'rollback', amount: 10n },
} as const satisfies Record<string, CallTemplate>

interface CallTemplate {
  readonly kind: 'place' | 'settle' | 'unsettle' | 'rollback'
  readonly amount: Placement['stake'] | bigint
  readonly resultType?: 'won' | 'lost' | 'refund' | 'cashout'
}

export type BetCallName = keyof typeof CALLS
export const BET_CALL_NAMES = Object.keys(CALLS) as BetCallName[]

/** Sent for the first time with a requestId of its own; once more as it was sent last; once more as it was sent first. */
export const SENDINGS = ['fresh', 'again', 'late copy'] as const
export type SendingKind = (typeof SENDINGS)[number]

/**
 * The operator locks the bet or takes the lock away; the player's money leaves or comes back; the token expires, by the wallet's clock; the
 * clock is set back, and the token is alive again (P-1).
 */
export const BET_EVENTS = ['lock', 'money', 'token', 'token back'] as const
export type BetEventName = (typeof BET_EVENTS)[number]

export type BetAction =
  | { readonly kind: 'call'; readonly name: BetCallName; readonly sending: SendingKind }
  /** The bytes of the bet's first Place bet, sent with PUT (S-5). */
  | { readonly kind: 'place with PUT' }
  | { readonly kind: 'event'; readonly name: BetEventName }

export const BET_ACTIONS: readonly BetAction[] = [
  ...BET_CALL_NAMES.flatMap((name) => SENDINGS.map((sending): BetAction => ({ kind: 'call', name, sending }))),
  { kind: 'place with PUT' },
  ...BET_EVENTS.map((name): BetAction => ({ kind: 'event', name })),
]

/** As a line of a story. */
export function describeAction(action: BetAction): string {
  switch (action.kind) {
    case 'call':
      return action.sending === 'fresh' ? action.name : `${action.name}, ${action.sending}`
    case 'event':
      return `(${action.name})`
    case 'place with PUT':
      return action.kind
    default:
      return action satisfies never
  }
}

/** A history as one line, which `parseHistory` understands. */
export function formatHistory(history: readonly BetAction[]): string {
  return history.map(describeAction).join('; ')
}

/** Undefined when the text names something that is no letter. */
export function parseHistory(text: string): readonly BetAction[] | undefined {
  return parseRecordedHistory(text)?.map(({ action }) => action)
}

const BY_NAME = new Map<string | undefined, BetAction>(BET_ACTIONS.map((action) => [describeAction(action), action]))

/** A step, and what a real wallet has answered to it, `200` or `400/7`, where that is known. */
export interface RecordedAction {
  readonly action: BetAction
  readonly was?: string
}

/**
 * A history in one line, with ";" between its steps, or in lines, as `settle 25 = 400/20`; what follows a # is a remark. Or the page of a bet that the console
 * has shared, in which these lines are. Undefined when something is no letter.
 */
export function parseRecordedHistory(text: string): readonly RecordedAction[] | undefined {
  const lines = /<pre id="replay">([^<]*)<\/pre>/.exec(text)?.[1] ?? text
  const parts = lines.split(/[;\n]/).flatMap((part) => part.replace(/#.*/, '').trim() || [])
  const steps = parts.map((part) => {
    const [word, was] = part.split(' = ')
    const action = BY_NAME.get(word)
    return action && { action, ...(was !== undefined && { was }) }
  })
  return steps.length > 0 && steps.every((step) => step !== undefined) ? steps : undefined
}

/** Numbers of the requests that each call was sent with: the first and the last. */
export type SentRequests = Readonly<Partial<Record<BetCallName, readonly [first: number, last: number]>>>

/**
 * The number of the request that the letter sends; undefined when there is nothing to send again. A late copy differs from
 * a call sent again only when others of its name came between.
 */
export function chooseRequest(
  action: BetAction & { kind: 'call' },
  sent: SentRequests,
  next: number,
): number | undefined {
  const earlier = sent[action.name]
  switch (action.sending) {
    case 'fresh':
      return next
    case 'again':
      return earlier?.[1]
    case 'late copy':
      return earlier !== undefined && earlier[0] !== earlier[1] ? earlier[0] : undefined
    default:
      return action.sending satisfies never
  }
}
