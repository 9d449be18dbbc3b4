/**
 * Faults for markets, planted around wallet, gateway and platform: a statement does nothing, sees less or says something else, a commit is lost,
 * an answer is another one. None is in the product.
 */

import { blindTo, without } from '../planting.ts'
import type { Scene } from '../scene.ts'
import { GATEWAY } from './gateway.ts'
import { MONEY } from './money.ts'
import { PLATFORM } from './platform.ts'
import { RESTART } from './restart.ts'
import { below, PLAIN, type Planted, type Row } from './row.ts'
import { WALLET } from './wallet.ts'
import { WIRE } from './wire.ts'

const BEHIND_GATEWAY: Partial<Scene> = { operators: 2, ...PLAIN }
const OF_MONEY: Partial<Scene> = {
  ...{ operators: 1, ...PLAIN },
  ...({ clawback: 'refuse', freebets: 'promotions', hasCurrencies: true } as const),
}

/** What a seed found once, by what is rare together: a lock, or a clock that is set back, and a late copy. */
const KEPT: readonly Planted[] = [
  {
    ...{ fault: 'late copies of refused results are not known', breaks: 'I-2', seed: 2 },
    file: 'test/simulate/corpus/late-copy-of-a-refused-result.json',
    plant: below(
      'wallet',
      blindTo('read_seen_calls', ({ became }) => became === 'refused'),
    ),
  },
  {
    ...{ fault: 'an expired token is alive again when the clock is set back', breaks: 'P-1', seed: 702 },
    file: 'test/simulate/corpus/late-copy-of-an-expired-token.json',
    plant: below('wallet', without('expire_sessions')),
  },
]

function plantedIn(where: Pick<Planted, 'scene'>) {
  return ([fault, breaks, seed, plant]: Row): Planted => ({ fault, breaks, seed, plant, ...where })
}

export const PLANTED: readonly Planted[] = [
  ...[...WALLET, ...WIRE, ...PLATFORM].map(plantedIn({})),
  ...GATEWAY.map(plantedIn({ scene: BEHIND_GATEWAY })),
  ...MONEY.map(plantedIn({ scene: OF_MONEY })),
  ...RESTART,
  ...KEPT,
]

export function plantedAs(fault: string): Planted {
  const planted = PLANTED.find((one) => one.fault === fault)
  if (planted === undefined) throw new Error(`${fault}: not planted any more`)
  return planted
}
