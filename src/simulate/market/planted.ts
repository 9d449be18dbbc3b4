/**
 * Faults for markets, planted around wallet and platform: a statement does nothing or sees less, a commit is lost, an answer is another
 * one. None is in the product. `seed` is the first, from 1 on, whose run finds it.
 */

import type { Stores } from './market.ts'
import { type Answering, answering, blindTo, done, losing, oneMore, reworded, without } from './planting.ts'

export interface Planted {
  readonly fault: string
  /** The decision that it breaks. */
  readonly breaks: string
  readonly seed: number
  readonly plant: (stores: Stores) => Stores
  /** Chance finds it too seldom: a kept run finds it. */
  readonly file?: string
}

const inFront = (front: Answering) => (stores: Stores) => ({ ...stores, front: answering(front) })
const below =
  (party: 'wallet' | 'platform', change: (db: Stores['wallet']['db']) => Stores['wallet']['db']) =>
  (stores: Stores): Stores => ({ ...stores, [party]: { ...stores[party], db: change(stores[party].db) } })

type Row = readonly [fault: string, breaks: string, seed: number, plant: Planted['plant']]

const WALLET: readonly Row[] = [
  ['a call is answered, and its commit is lost', 'R-4', 1, below('wallet', losing(12))],
  ['late copies of results are not known', 'I-2', 1, below('wallet', without('read_seen_calls'))],
  ['what was booked is not in the balance', 'M-1', 1, below('wallet', without('save_accounts'))],
  ['money moves, and no transfer says so', 'M-1', 1, below('wallet', without('insert_transfers'))],
  ['calls are not recorded', 'I-2', 1, below('wallet', without('insert_calls'))],
  ['the feed misses what was changed', 'W-40', 1, below('wallet', without('purser_add_changes'))],
]

const WIRE: readonly Row[] = [
  [
    'a result that a lock refuses is answered 200',
    'L-3',
    5,
    inFront({ answer: ({ kind, code }, answer, said) => (kind !== 'place' && code === 20 ? done(said) : answer) }),
  ],
  [
    'a rollback of an unknown bet leaves no tombstone',
    'the bet’s life',
    1,
    inFront({ instead: ({ kind, isKnown }, said) => (kind === 'rollback' && !isKnown ? done(said) : undefined) }),
  ],
  [
    'a Place bet that comes again is another bet',
    'I-1',
    1,
    inFront({
      call: ({ kind, isRepeat }, said) =>
        kind === 'place' && isRepeat ? { ...said, transactionId: reworded(`${said.transactionId}`) } : said,
    }),
  ],
  [
    'a payout is one too high',
    'M-2',
    1,
    inFront({
      call: ({ kind }, said) =>
        kind === 'settle' && said.amount !== 0 ? { ...said, amount: oneMore(`${said.amount}`) } : said,
    }),
  ],
  [
    'a repeat has the time of the repeat',
    'R-2',
    1,
    inFront({ answer: ({ isRepeat, code }, answer, said) => (isRepeat && code === 200 ? done(said) : answer) }),
  ],
  [
    'a Place bet is answered 200 before it is judged',
    'R-4',
    1,
    inFront({ early: ({ kind }, said) => (kind === 'place' ? done(said) : undefined) }),
  ],
  [
    'an unsettle is answered 200 and not done',
    'the bet’s life',
    2,
    inFront({ instead: ({ kind }, said) => (kind === 'unsettle' ? done(said) : undefined) }),
  ],
  [
    'a rollback of an open bet is answered 200 and not done',
    'the bet’s life',
    1,
    inFront({ instead: ({ kind, isKnown }, said) => (kind === 'rollback' && isKnown ? done(said) : undefined) }),
  ],
  [
    'a refused Place bet is judged anew',
    'I-3',
    4,
    inFront({
      answer: ({ kind, code, isRepeat }, answer, said) =>
        kind === 'place' && code === 7 && isRepeat ? done(said) : answer,
    }),
  ],
  [
    'a Place bet of a cancelled bet is accepted',
    'the bet’s life',
    1,
    inFront({ answer: ({ kind, code }, answer, said) => (kind === 'place' && code === 8 ? done(said) : answer) }),
  ],
]

const PLATFORM: readonly Row[] = [
  ['the platform loses a commit', 'C-1', 1, below('platform', losing(60))],
  ['what a process that died was calling is left', 'C-12', 1, below('platform', without('platform_held_claims'))],
  ['a claim of a process that died is not released', 'C-12', 1, below('platform', without('platform_release'))],
  ['what waits behind another delivery is forgotten', 'C-6', 1, below('platform', without('platform_promote'))],
  ['nothing waits for earlier deliveries of its bet', 'C-6', 1, below('platform', without('platform_unfinished'))],
  ['nothing that is due is seen', 'C-5', 1, below('platform', without('platform_next_due'))],
]

/** What seed 2 found once, by a lock and a late copy that are rare together. */
const KEPT: Planted = {
  ...{ fault: 'late copies of refused results are not known', breaks: 'I-2', seed: 2 },
  file: 'test/simulate/corpus/late-copy-of-a-refused-result.json',
  plant: below(
    'wallet',
    blindTo('read_seen_calls', ({ became }) => became === 'refused'),
  ),
}

export const PLANTED: readonly Planted[] = [
  ...[...WALLET, ...WIRE, ...PLATFORM].map(([fault, breaks, seed, plant]) => ({ fault, breaks, seed, plant })),
  KEPT,
]

export function plantedAs(fault: string): Planted {
  const planted = PLANTED.find((one) => one.fault === fault)
  if (planted === undefined) throw new Error(`${fault}: not planted any more`)
  return planted
}
