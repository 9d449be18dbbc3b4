/**
 * Generates the steps of a random history.
 *
 * A step names players and bets by small numbers. Other choices ("the token of another player",
 * "the last requestId again") are resolved when the step is played, so a shrunk history keeps its
 * meaning.
 */
import fc from 'fast-check'

export const BETS = 5
export const PLAYERS = 2

export type TokenChoice = 'live' | 'first' | 'other player' | 'unknown' | 'absent'
export type CurrencyChoice = 'own' | 'other' | 'unknown'
export type RequestChoice = 'fresh' | 'last of this bet' | 'last of any bet'
/** `owner` is the bet's player; `nobody` is an id without a player. */
export type SenderChoice = 'owner' | 'other player' | 'nobody'

interface CallStepBase {
  bet: number
  /** The call is sent even as the first one about its bet. Otherwise the bet is placed first. */
  early: boolean
  sender: SenderChoice
  viaAggregator: boolean
  request: RequestChoice
}
export interface PlaceStep extends CallStepBase {
  do: 'place'
  amount: string
  currency: CurrencyChoice
  token: TokenChoice
  bonusId: string
  bonusAmount: string | undefined
  coefficient: string
  booster: string
}
export interface SettleStep extends CallStepBase {
  do: 'settle'
  amount: string
  currency: CurrencyChoice
  resultType: string
  token: TokenChoice
}
export interface ReversalStep extends CallStepBase {
  do: 'unsettle' | 'rollback'
  amount: string | undefined
  currency: CurrencyChoice
}
/** Repeats an earlier message of this bet, with its requestId or a new one. */
export interface AgainStep {
  do: 'again'
  bet: number
  /** From all messages, or from the results refused with 20 or 21, if any. */
  of: 'all' | 'refused'
  back: number
  request: 'same' | 'fresh'
}
export type CallStep = PlaceStep | SettleStep | ReversalStep | AgainStep

export type Act =
  | { act: 'deposit'; player: number; amount: string }
  /** Without an amount, the whole balance. */
  | { act: 'withdraw'; player: number; amount: string | undefined }
  | { act: 'adjust'; player: number; amount: string }
  | { act: 'patch'; player: number; change: PlayerChange }
  | { act: 'limit'; player: number; limits: { stake: string | null; loss: string | null; betCount: number | null } }
  | { act: 'lock'; bet: number; locked: boolean }
  | { act: 'switch currency' | 'end sessions'; player: number }
  | { act: 'new session'; player: number; ttlSeconds: number }
  | { act: 'wait'; hours: number }
export type PlayerChange = 'block' | 'exclude' | 'unverify' | 'make under age' | 'clear'

export interface Step {
  before: Act | undefined
  /** Several calls are sent concurrently. */
  calls: CallStep[]
}

const bet = fc.nat({ max: BETS - 1 })
const player = fc.nat({ max: PLAYERS - 1 })
/** A few small amounts, so that equal amounts, empty balances and reached limits are common. */
const stake = weighted<string>(
  [30, '10'],
  [20, '25.50'],
  [20, '40'],
  [10, '60'],
  [15, '250'],
  [3, '0'],
  [1, '-0'],
  [1, '1.005'],
)
const payout = weighted<string>(
  [30, '0'],
  [25, '25.50'],
  [25, '60'],
  [20, '90'],
  [5, '0.01'],
  [2, '-0'],
  [1, '-0.0'],
  [1, '2.345'],
)
/** Valid in every currency. */
const wholeSum = weighted<string>([1, '20'], [1, '60'], [1, '110'])
const withdrawal = weighted<string | undefined>([2, undefined], [1, '60'])
const correction = weighted<string>([2, '20'], [2, '-20'], [1, '-110'])
const sender = weighted<SenderChoice>([94, 'owner'], [4, 'other player'], [2, 'nobody'])
const request = weighted<RequestChoice>([86, 'fresh'], [8, 'last of this bet'], [6, 'last of any bet'])
const currency = weighted<CurrencyChoice>([93, 'own'], [6, 'other'], [1, 'unknown'])
const token = weighted<TokenChoice>([80, 'live'], [14, 'first'], [3, 'other player'], [3, 'unknown'])
const cashoutToken = weighted<TokenChoice>(
  [60, 'live'],
  [25, 'first'],
  [5, 'other player'],
  [5, 'unknown'],
  [5, 'absent'],
)
const early = weighted<boolean>([5, false], [1, true])
const sent = { bet, early, sender, viaAggregator: fc.boolean(), request }

const place: fc.Arbitrary<PlaceStep> = fc.record({
  do: fc.constant('place' as const),
  ...sent,
  amount: stake,
  currency,
  token,
  // Ids of 0 and below are no bonus (D-1); a fraction is refused.
  bonusId: weighted<string>([20, 'null'], [10, '7001'], [2, '0'], [1, '-1'], [1, '-0'], [1, '1.5']),
  bonusAmount: weighted<string | undefined>([2, '5'], [1, '100'], [1, '25.50'], [1, undefined]),
  coefficient: weighted<string>([6, '2.5'], [2, '1.85'], [1, '0']),
  booster: weighted<string>([5, '1'], [1, '1.5'], [1, '0']),
})

const settle: fc.Arbitrary<SettleStep> = fc.record({
  do: fc.constant('settle' as const),
  ...sent,
  amount: payout,
  currency,
  resultType: weighted<string>([40, 'won'], [25, 'lost'], [25, 'refund'], [30, 'cashout'], [1, 'void']),
  token: cashoutToken,
})

const reversal = (kind: 'unsettle' | 'rollback'): fc.Arbitrary<ReversalStep> =>
  fc.record({
    do: fc.constant(kind),
    ...sent,
    amount: weighted<string | undefined>([3, undefined], [1, '25.50'], [1, '60']),
    // An unknown currency would be malformed, so reversals do not use one.
    currency: weighted<CurrencyChoice>([9, 'own'], [1, 'other']),
  })

const again: fc.Arbitrary<AgainStep> = fc.record({
  do: fc.constant('again' as const),
  bet,
  of: fc.constant('all' as const),
  back: fc.nat({ max: 7 }),
  request: fc.constantFrom('same' as const, 'fresh' as const),
})

const refusedAgain: fc.Arbitrary<AgainStep> = fc.record({
  do: fc.constant('again' as const),
  bet,
  of: fc.constant('refused' as const),
  back: fc.nat({ max: 1 }),
  request: fc.constant('same' as const),
})

const anyCall: fc.Arbitrary<CallStep> = fc.oneof(
  { arbitrary: place, weight: 9 },
  { arbitrary: settle, weight: 10 },
  { arbitrary: again, weight: 6 },
  { arbitrary: refusedAgain, weight: 4 },
  { arbitrary: reversal('unsettle'), weight: 4 },
  { arbitrary: reversal('rollback'), weight: 2 },
)

const limits = weighted<Extract<Act, { act: 'limit' }>['limits']>(
  [2, { stake: null, loss: null, betCount: null }],
  [3, { stake: '5', loss: null, betCount: null }],
  [3, { stake: '50', loss: null, betCount: null }],
  [1, { stake: null, loss: '5', betCount: null }],
  [3, { stake: null, loss: '30', betCount: null }],
  [5, { stake: null, loss: null, betCount: 1 }],
  [1, { stake: '80', loss: '40', betCount: 2 }],
)

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('deposit' as const), player, amount: wholeSum }) },
  { weight: 9, arbitrary: fc.record({ act: fc.constant('withdraw' as const), player, amount: withdrawal }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('adjust' as const), player, amount: correction }) },
  {
    weight: 8,
    arbitrary: fc.record({
      act: fc.constant('patch' as const),
      player,
      change: weighted<PlayerChange>(
        [7, 'clear'],
        [3, 'block'],
        [2, 'exclude'],
        [2, 'unverify'],
        [2, 'make under age'],
      ),
    }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('limit' as const), player, limits }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant('lock' as const), bet, locked: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('switch currency' as const), player }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('end sessions' as const), player }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('new session' as const),
      player,
      ttlSeconds: weighted<number>([1, 2 * 3600], [1, 10 * 24 * 3600]),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('wait' as const), hours: fc.constantFrom(3, 24) }) },
)

function weighted<T>(...choices: [weight: number, value: T][]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))
}

/** `alone`: the weight of a single call, compared with each kind of concurrent calls. */
export function stepOf(alone: number): fc.Arbitrary<Step> {
  return fc.record({
    before: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: anyAct }),
    calls: fc.oneof(
      { weight: alone, arbitrary: fc.tuple(anyCall) },
      { weight: 1, arbitrary: anyCall.map(twice) },
      { weight: 1, arbitrary: fc.tuple(anyCall, anyCall).map(ofOneBet) },
      { weight: 1, arbitrary: fc.tuple(player, fc.array(place, { minLength: 2, maxLength: 3 })).map(ofOnePlayer) },
      { weight: 1, arbitrary: fc.array(anyCall, { minLength: 2, maxLength: 4 }) },
    ),
  })
}

function twice(call: CallStep): CallStep[] {
  return [call, { do: 'again', bet: call.bet, of: 'all', back: 0, request: 'same' }]
}

function ofOneBet([first, second]: [CallStep, CallStep]): CallStep[] {
  return [first, { ...second, bet: first.bet }]
}

/** Bets that compete for one player's money and limits. */
function ofOnePlayer([owner, places]: [number, PlaceStep[]]): CallStep[] {
  return places.map((step, n) => ({ ...step, bet: (owner + n * PLAYERS) % BETS }))
}

/** No bonus, and odds that permit every payout. */
export const PLAIN_TERMS = { bonusId: 'null', bonusAmount: undefined, coefficient: '2.5', booster: '1' }

const OWN = { bet: 0, early: false, sender: 'owner', viaAggregator: false, request: 'fresh', currency: 'own' } as const
const resultOf = (amount: string): SettleStep => ({ ...OWN, do: 'settle', amount, resultType: 'won', token: 'absent' })

/**
 * A sequence that random steps hardly reach: a refused result, a newer one, and a late copy of the
 * first (I-2).
 */
export const REFUSED_FOR_GOOD: Step[] = [
  { before: undefined, calls: [{ ...OWN, do: 'place', amount: '10', token: 'live', ...PLAIN_TERMS }] },
  { before: undefined, calls: [resultOf('60')] },
  { before: { act: 'lock', bet: 0, locked: true }, calls: [resultOf('20')] },
  { before: { act: 'lock', bet: 0, locked: false }, calls: [resultOf('90')] },
  { before: undefined, calls: [{ do: 'again', bet: 0, of: 'refused', back: 0, request: 'same' }] },
]

/** A wait moves the clock of the whole wallet, so concurrent histories have none. */
export function withoutWaiting(history: Step[]): Step[] {
  return history.map((step) => (step.before?.act === 'wait' ? { ...step, before: undefined } : step))
}
