// The life table of decisions.md with all its variants: lines are calls, columns are pasts of a
// bet, and cells are outcomes.
//
// life-grid.long.test.ts runs every cell, and life-grid.test.ts reports a missing combination.
import {
  blocked,
  expiredToken,
  foreignToken,
  type MembersFactory,
  type Moment,
  outOfDateToken,
  selfExcluded,
  spentAll,
  testPlayer,
  underAge,
  unknownToken,
  unverified,
} from './moments.ts'
import { type Column, type Members, newScene } from './scene.ts'

/**
 * The past of a bet. The standard calls are: place 100, settle won 250, cashout 150, unsettle,
 * rollback. The player began with 1000.
 */
export const pasts = {
  nothing: [],
  open: ['place'],
  reopened: ['place', 'settle', 'unsettle'],
  settled: ['place', 'settle'],
  'cashed out': ['place', 'cashout'],
  cancelled: ['place', 'rollback'],
  undone: ['place', 'settle', 'unsettle', 'rollback'],
  tombstone: ['rollback'],
  refused: ['place of 5000'],
} as const
export type Past = keyof typeof pasts

/** A cashout is a settle that needs a token (L-4), so it has its own lines. */
export const calls = ['place', 'settle', 'cashout', 'unsettle', 'rollback'] as const
export type Call = (typeof calls)[number]

export function columnOf(call: Call): Column {
  return call === 'cashout' ? 'settle' : call
}

/** One form of a variant: a change of the call, or an event for the player or the bet before it. */
export interface Way {
  with?: Members | MembersFactory
  meanwhile?: Moment
  /** Locked by the operator or by the bet's age (L-3). */
  locked?: true
  /** Repeats the earlier message, requestId included, instead of a standard call. */
  resent?: true
  /** Sends the bytes of an earlier call of another operation (S-5). */
  bytesOf?: Column
}

interface Variant {
  ways: Way[]
  /** By default every call. */
  of?: readonly Call[]
}

const otherPlayer: MembersFactory = async ({ wallet }) => ({ userId: (await newScene(wallet)).userId })
const refund = { resultType: 'refund' }
const lost = { resultType: 'lost', amount: 0 }
const [more, less, dollars] = [{ amount: 300 }, { amount: 17 }, { currency: 'USD' }]

const spentAllThenBlocked: Moment = async (scene) => {
  await spentAll(scene)
  await blocked(scene)
}

/** The repeat of a cashout is the repeat of a settle. */
const repeatable: Variant['of'] = ['place', 'settle', 'unsettle', 'rollback']
/** The calls with a result. Only for these does a type, a changed amount or a lock matter. */
const results: Variant['of'] = ['settle', 'cashout']
/** The calls that do not need the member; other calls require it (bad-input.test.ts). */
const sparing: Variant['of'] = ['unsettle', 'rollback']
/**
 * Blocks and exclusions do not prevent these calls (L-5). For a Place bet each has its own line.
 */
const unstoppable: Variant['of'] = ['settle', 'cashout', 'unsettle', 'rollback']

export const variants: Record<string, Variant> = {
  again: { ways: [{ resent: true }], of: repeatable },
  'new requestId': { ways: [{}] },
  'same requestId, more': { ways: [{ resent: true, with: more }], of: repeatable },
  'same requestId, other currency': { ways: [{ resent: true, with: dollars }], of: repeatable },
  'same requestId, other type': { ways: [{ resent: true, with: refund }], of: ['settle'] },
  "the Place bet's bytes": { ways: [{ bytesOf: 'place' }], of: ['unsettle'] },
  "the Place bet's requestId": { ways: [{ bytesOf: 'place', with: { ...less, token: undefined } }], of: ['unsettle'] },
  more: { ways: [{ with: more }] },
  less: { ways: [{ with: less }] },
  'no amount': { ways: [{ with: { amount: undefined } }], of: sparing },
  // A cashout with another type is a settle.
  'other type': { ways: [{ with: refund }], of: ['settle'] },
  lost: { ways: [{ with: lost }], of: ['settle'] },
  'other currency': { ways: [{ with: dollars }] },
  'no currency': { ways: [{ with: { currency: undefined } }], of: sparing },
  'other player': { ways: [{ with: otherPlayer }] },
  'dead token': { ways: [{ with: expiredToken }, { with: outOfDateToken }] },
  'wrong token': { ways: [{ with: unknownToken }, { with: foreignToken }] },
  // Settle and Unsettle have no token.
  'no token': { ways: [{ with: { token: undefined } }], of: ['place', 'cashout', 'rollback'] },
  locked: { ways: [{ locked: true }] },
  'locked, more': { ways: [{ locked: true, with: more }], of: results },
  'locked, less': { ways: [{ locked: true, with: less }], of: results },
  'locked, other type': { ways: [{ locked: true, with: refund }], of: ['settle'] },
  'locked, other currency': { ways: [{ locked: true, with: dollars }] },
  blocked: { ways: [{ meanwhile: blocked }], of: ['place'] },
  'self-excluded': { ways: [{ meanwhile: selfExcluded }], of: ['place'] },
  unverified: { ways: [{ meanwhile: unverified }], of: ['place'] },
  'under age': { ways: [{ meanwhile: underAge }], of: ['place'] },
  'test player': { ways: [{ meanwhile: testPlayer }], of: ['place'] },
  whoever: {
    ways: [blocked, selfExcluded, unverified, underAge, testPlayer].map((meanwhile) => ({ meanwhile })),
    of: unstoppable,
  },
  spent: { ways: [{ meanwhile: spentAll }] },
  // A block prevents nothing here (L-5); it must not change the clawback and the lock either.
  'locked, blocked': { ways: [{ locked: true, meanwhile: blocked }], of: unstoppable },
  'spent, blocked': { ways: [{ meanwhile: spentAllThenBlocked }], of: unstoppable },
  'spent, blocked, less': { ways: [{ meanwhile: spentAllThenBlocked, with: less }], of: results },
  'spent, more': { ways: [{ meanwhile: spentAll, with: more }], of: results },
  'spent, lost': { ways: [{ meanwhile: spentAll, with: lost }], of: ['settle'] },
  'spent, less': { ways: [{ meanwhile: spentAll, with: less }], of: results },
}

/**
 * The notation of cells:
 *
 * - `-100 open`: 200, applied now. The balance changes by -100, and the bet is then open (a settled
 *   bet shows its result). Unchanged parts are omitted; 200 means no change.
 * - `=place`: 200 without effect, with the time of that earlier call.
 * - `8`: refused with 8.
 * - `!`: recorded as an anomaly.
 * - `21!/-250 open`: by clawback policy, refuse first.
 * - `unsent`: no such call was sent before, so none can be repeated. The test checks this.
 * - `unknown`: no bet exists that the operator could lock. The test checks this too.
 */
export const life: Record<Call, string> = {
  place: `
    nothing    | open   | reopened | settled | cashed out | cancelled | undone | tombstone | refused
    again:
    unsent     | =place | =place   | =place  | =place     | 8!        | 8!     | unsent    | 7
    new requestId; test player:
    -100 open  | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    same requestId, more; same requestId, other currency:
    unsent     | 8!     | 8!       | 8!      | 8!         | 8!        | 8!     | unsent    | 7
    more:
    -300 open  | 8!     | 8!       | 8!      | 8!         | 8!        | 8!     | 8!        | 7
    less:
    -17 open   | 8!     | 8!       | 8!      | 8!         | 8!        | 8!     | 8!        | 7
    other currency:
    5          | 8!     | 8!       | 8!      | 8!         | 8!        | 8!     | 8!        | 7
    other player:
    3          | 3      | 3        | 3       | 3          | 3         | 3      | 3         | 3
    dead token:
    4          | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    wrong token:
    3          | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    no token:
    5          | 5      | 5        | 5       | 5          | 5         | 5      | 5         | 5
    locked:
    unknown    | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    locked, other currency:
    unknown    | 8!     | 8!       | 8!      | 8!         | 8!        | 8!     | 8!        | 7
    blocked:
    9 refused  | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    self-excluded:
    14 refused | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    unverified:
    15 refused | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    under age:
    16 refused | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7
    spent:
    7 refused  | =place | =place   | =place  | =place     | 8!        | 8!     | 8!        | 7`,

  settle: `
    nothing | open        | reopened    | settled       | cashed out    | cancelled | undone  | tombstone | refused
    again:
    unsent  | unsent      | =settle     | =settle       | =settle       | unsent    | =settle | unsent    | unsent
    new requestId; dead token; wrong token; whoever; spent; spent, blocked:
    5!      | +250 won    | +250 won    | =settle       | +100 won      | 20!       | 20!     | 20!       | 5!
    same requestId, more:
    unsent  | unsent      | +300 won    | +50           | +150          | unsent    | 20!     | unsent    | unsent
    same requestId, other currency:
    unsent  | unsent      | 5!          | 5!            | 5!            | unsent    | 20!     | unsent    | unsent
    same requestId, other type:
    unsent  | unsent      | +250 refund | refund        | refund        | unsent    | 20!     | unsent    | unsent
    more; spent, more:
    5!      | +300 won    | +300 won    | +50           | +150 won      | 20!       | 20!     | 20!       | 5!
    less:
    5!      | +17 won     | +17 won     | -233          | -133 won      | 20!       | 20!     | 20!       | 5!
    spent, less; spent, blocked, less:
    5!      | +17 won     | +17 won     | 21!/-233      | 21!/-133 won  | 20!       | 20!     | 20!       | 5!
    other type:
    5!      | +250 refund | +250 refund | refund        | +100 refund   | 20!       | 20!     | 20!       | 5!
    lost:
    5!      | lost        | lost        | -250 lost     | -150 lost     | 20!       | 20!     | 20!       | 5!
    spent, lost:
    5!      | lost        | lost        | 21!/-250 lost | 21!/-150 lost | 20!       | 20!     | 20!       | 5!
    other currency:
    5!      | 5!          | 5!          | 5!            | 5!            | 20!       | 20!     | 20!       | 5!
    other player:
    5!      | 5!          | 5!          | 5!            | 5!            | 5!        | 5!      | 5!        | 5!
    locked; locked, blocked:
    unknown | +250 won    | +250 won    | =settle       | 20            | 20!       | 20!     | 20!       | 5!
    locked, more:
    unknown | +300 won    | +300 won    | 20            | 20            | 20!       | 20!     | 20!       | 5!
    locked, less:
    unknown | +17 won     | +17 won     | 20            | 20            | 20!       | 20!     | 20!       | 5!
    locked, other type:
    unknown | +250 refund | +250 refund | 20            | 20            | 20!       | 20!     | 20!       | 5!
    locked, other currency:
    unknown | 5!          | 5!          | 5!            | 5!            | 20!       | 20!     | 20!       | 5!`,

  cashout: `
    nothing | open         | reopened     | settled          | cashed out | cancelled | undone | tombstone | refused
    new requestId; whoever:
    5!      | +150 cashout | +150 cashout | -100 cashout     | =settle    | 20!       | 20!    | 20!       | 5!
    spent; spent, blocked:
    5!      | +150 cashout | +150 cashout | 21!/-100 cashout | =settle    | 20!       | 20!    | 20!       | 5!
    more; spent, more:
    5!      | +300 cashout | +300 cashout | +50 cashout      | +150       | 20!       | 20!    | 20!       | 5!
    less:
    5!      | +17 cashout  | +17 cashout  | -233 cashout     | -133       | 20!       | 20!    | 20!       | 5!
    spent, less; spent, blocked, less:
    5!      | +17 cashout  | +17 cashout  | 21!/-233 cashout | 21!/-133   | 20!       | 20!    | 20!       | 5!
    other currency:
    5!      | 5!           | 5!           | 5!               | 5!         | 20!       | 20!    | 20!       | 5!
    other player:
    5!      | 5!           | 5!           | 5!               | 5!         | 5!        | 5!     | 5!        | 5!
    dead token:
    5!      | 4            | 4            | 4                | =settle    | 20!       | 20!    | 20!       | 5!
    wrong token:
    5!      | 3            | 3            | 3                | =settle    | 20!       | 20!    | 20!       | 5!
    no token:
    5       | 5            | 5            | 5                | 5          | 5         | 5      | 5         | 5
    locked; locked, blocked:
    unknown | +150 cashout | +150 cashout | 20               | =settle    | 20!       | 20!    | 20!       | 5!
    locked, more:
    unknown | +300 cashout | +300 cashout | 20               | 20         | 20!       | 20!    | 20!       | 5!
    locked, less:
    unknown | +17 cashout  | +17 cashout  | 20               | 20         | 20!       | 20!    | 20!       | 5!
    locked, other currency:
    unknown | 5!           | 5!           | 5!               | 5!         | 20!       | 20!    | 20!       | 5!`,

  unsettle: `
    nothing | open   | reopened  | settled       | cashed out    | cancelled | undone    | tombstone | refused
    again:
    unsent  | unsent | =unsettle | unsent        | unsent        | unsent    | =unsettle | unsent    | unsent
    new requestId; more; less; no amount; no currency; dead token; wrong token; whoever:
    5!      | =place | =unsettle | -250 open     | -150 open     | 20!       | 20!       | 20!       | 5!
    spent; spent, blocked:
    5!      | =place | =unsettle | 21!/-250 open | 21!/-150 open | 20!       | 20!       | 20!       | 5!
    same requestId, more:
    unsent  | unsent | =unsettle | unsent        | unsent        | unsent    | 20!       | unsent    | unsent
    same requestId, other currency:
    unsent  | unsent | 5!        | unsent        | unsent        | unsent    | 20!       | unsent    | unsent
    the Place bet's bytes; the Place bet's requestId:
    unsent  | 5!     | 5!        | 5!            | 5!            | 5!        | 5!        | unsent    | 5!
    other currency:
    5!      | 5!     | 5!        | 5!            | 5!            | 20!       | 20!       | 20!       | 5!
    other player:
    5!      | 5!     | 5!        | 5!            | 5!            | 5!        | 5!        | 5!        | 5!
    locked; locked, blocked:
    unknown | =place | =unsettle | 20            | 20            | 20!       | 20!       | 20!       | 5!
    locked, other currency:
    unknown | 5!     | 5!        | 5!            | 5!            | 20!       | 20!       | 20!       | 5!`,

  rollback: `
    nothing   | open           | reopened       | settled | cashed out | cancelled | undone    | tombstone | refused
    again; same requestId, more; same requestId, other currency:
    unsent    | unsent         | unsent         | unsent  | unsent     | =rollback | =rollback | =rollback | unsent
    new requestId; more; less; no amount; no currency; dead token; wrong token; no token; whoever; spent; spent, blocked:
    cancelled | +100 cancelled | +100 cancelled | 8!      | 8!         | =rollback | =rollback | =rollback | =place
    other currency:
    cancelled | 5!             | 5!             | 8!      | 8!         | =rollback | =rollback | =rollback | =place
    other player:
    200       | 200            | 200            | 200     | 200        | 200       | 200       | 200       | 200
    locked; locked, blocked:
    unknown   | +100 cancelled | +100 cancelled | 8!      | 8!         | =rollback | =rollback | =rollback | =place
    locked, other currency:
    unknown   | 5!             | 5!             | 8!      | 8!         | =rollback | =rollback | =rollback | =place`,
}
