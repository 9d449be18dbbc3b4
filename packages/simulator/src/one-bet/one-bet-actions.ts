/**
 * The actions of which histories of one bet consist: the calls of the wire, and the actions of
 * operator and player.
 */
import type { Placement } from 'purser/wallet/store/bet'

/** Amounts in minor units. `place other` has the same bet id with another stake. */
export const CALLS = {
  place: { kind: 'place', amount: 10n },
  'place other': { kind: 'place', amount: 20n },
  'settle 25': { kind: 'settle', amount: 25n, resultType: 'won' },
  'settle 0': { kind: 'settle', amount: 0n, resultType: 'lost' },
  /** The payout of `settle 25` with another result type (L-1). */
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

/** `fresh` has a new requestId. `again` repeats the last sending, `late copy` the first one. */
export const SENDINGS = ['fresh', 'again', 'late copy'] as const
export type SendingKind = (typeof SENDINGS)[number]

/**
 * - lock: locks or unlocks the bet.
 * - money: the player's money leaves or comes back.
 * - token: the token expires by the wallet's clock.
 * - token back: the clock is set back, so the token is valid again (P-1).
 */
export const BET_EVENTS = ['lock', 'money', 'token', 'token back'] as const
export type BetEventName = (typeof BET_EVENTS)[number]

export type BetAction =
  | { readonly kind: 'call'; readonly name: BetCallName; readonly sending: SendingKind }
  /** The bytes of the first Place bet, sent with PUT (S-5). */
  | { readonly kind: 'place with PUT' }
  | { readonly kind: 'event'; readonly name: BetEventName }

export const BET_ACTIONS: readonly BetAction[] = [
  ...BET_CALL_NAMES.flatMap((name) => SENDINGS.map((sending): BetAction => ({ kind: 'call', name, sending }))),
  { kind: 'place with PUT' },
  ...BET_EVENTS.map((name): BetAction => ({ kind: 'event', name })),
]

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

/** One line, which `parseHistory` reads. */
export function formatHistory(history: readonly BetAction[]): string {
  return history.map(describeAction).join('; ')
}

/** Undefined if the text contains an unknown action. */
export function parseHistory(text: string): readonly BetAction[] | undefined {
  return parseRecordedHistory(text)?.map(({ action }) => action)
}

const BY_NAME = new Map<string | undefined, BetAction>(BET_ACTIONS.map((action) => [describeAction(action), action]))

/** `was`: the recorded answer of a real wallet, `200` or `400/7`, if known. */
export interface RecordedAction {
  readonly action: BetAction
  readonly was?: string
}

/**
 * Reads a history in one line with ";" between the steps, or in several lines.
 *
 * A step may have its recorded answer (`settle 25 = 400/20`); a # begins a remark. The text may be
 * the page of a bet that the console has saved. Undefined if a step is unknown.
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

/** Request numbers by call. */
export type SentRequests = Readonly<Partial<Record<BetCallName, readonly [first: number, last: number]>>>

/**
 * The number of the request; undefined if none can be repeated. A late copy needs an earlier and a
 * later sending of its call.
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
