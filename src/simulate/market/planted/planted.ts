/**
 * Faults for markets, planted around wallet, gateway and platform: a statement does nothing, sees less or says something else, a commit is lost,
 * an answer is another one. None is in the product.
 */

import { blindTo } from '../planting.ts'
import type { Scene } from '../scene.ts'
import { GATEWAY } from './gateway.ts'
import { PLATFORM } from './platform.ts'
import { RESTART } from './restart.ts'
import { below, PLAIN, type Planted, type Row } from './row.ts'
import { WALLET } from './wallet.ts'
import { WIRE } from './wire.ts'

const BEHIND_GATEWAY: Partial<Scene> = { operators: 2, ...PLAIN }

/** What seed 2 found once, by a lock and a late copy that are rare together. */
const KEPT: Planted = {
  ...{ fault: 'late copies of refused results are not known', breaks: 'I-2', seed: 2 },
  file: 'test/simulate/corpus/late-copy-of-a-refused-result.json',
  plant: below(
    'wallet',
    blindTo('read_seen_calls', ({ became }) => became === 'refused'),
  ),
}

function plantedIn(where: Pick<Planted, 'scene'>) {
  return ([fault, breaks, seed, plant]: Row): Planted => ({ fault, breaks, seed, plant, ...where })
}

export const PLANTED: readonly Planted[] = [
  ...[...WALLET, ...WIRE, ...PLATFORM].map(plantedIn({})),
  ...GATEWAY.map(plantedIn({ scene: BEHIND_GATEWAY })),
  ...RESTART,
  KEPT,
]

export function plantedAs(fault: string): Planted {
  const planted = PLANTED.find((one) => one.fault === fault)
  if (planted === undefined) throw new Error(`${fault}: not planted any more`)
  return planted
}
