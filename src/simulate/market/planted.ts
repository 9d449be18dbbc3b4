/**
 * Faults for markets, planted around wallet and platform: a statement does nothing, sees less or says something else, a commit is lost,
 * an answer is another one. None is in the product.
 */

import { PLATFORM } from './planted-platform.ts'
import { below, type Planted } from './planted-row.ts'
import { WALLET } from './planted-wallet.ts'
import { WIRE } from './planted-wire.ts'
import { blindTo } from './planting.ts'

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
