/** All faults that tests plant in simulated markets. The product has none of these faults. */

import { hideRows, skipStatement } from '../faults/fault-planting.ts'
import type { Scenario } from '../scenario.ts'
import { GATEWAY_FAULTS } from './gateway-faults.ts'
import { MONEY_FAULTS } from './money-faults.ts'
import { type PlantedFault, type PlantedFaultRow, plantBelow, UNDISTURBED } from './planted-fault.ts'
import { PLATFORM_FAULTS } from './platform-faults.ts'
import { RESTART_FAULTS } from './restart-faults.ts'
import { WALLET_FAULTS } from './wallet-faults.ts'
import { WIRE_FAULTS } from './wire-faults.ts'

const WITH_GATEWAY: Partial<Scenario> = { operators: 2, ...UNDISTURBED }
const WITH_MONEY_RULES: Partial<Scenario> = {
  ...{ operators: 1, ...UNDISTURBED },
  ...({ clawback: 'refuse', freebets: 'promotions', hasCurrencies: true } as const),
}

/**
 * Faults that need a rare combination: a late copy, with a lock or with a clock that is set back.
 */
const KEPT_RUN_FAULTS: readonly PlantedFault[] = [
  {
    ...{ fault: 'late copies of refused results are not recognised', breaks: 'I-2', seed: 2 },
    file: 'packages/simulator/test/corpus/late-copy-of-a-refused-result.json',
    plant: plantBelow(
      'wallet',
      hideRows('read_seen_calls', ({ became }) => became === 'refused'),
    ),
  },
  {
    ...{ fault: 'an expired token is valid again when the clock is set back', breaks: 'P-1', seed: 702 },
    file: 'packages/simulator/test/corpus/late-copy-of-an-expired-token.json',
    plant: plantBelow('wallet', skipStatement('expire_sessions')),
  },
]

function toPlantedFault(where: Pick<PlantedFault, 'scenario'>) {
  return ([fault, breaks, seed, plant]: PlantedFaultRow): PlantedFault => ({ fault, breaks, seed, plant, ...where })
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  ...[...WALLET_FAULTS, ...WIRE_FAULTS, ...PLATFORM_FAULTS].map(toPlantedFault({})),
  ...GATEWAY_FAULTS.map(toPlantedFault({ scenario: WITH_GATEWAY })),
  ...MONEY_FAULTS.map(toPlantedFault({ scenario: WITH_MONEY_RULES })),
  ...RESTART_FAULTS,
  ...KEPT_RUN_FAULTS,
]

export function findPlantedFault(fault: string): PlantedFault {
  const planted = PLANTED_FAULTS.find((one) => one.fault === fault)
  if (planted === undefined) throw new Error(`${fault}: not planted any more`)
  return planted
}
