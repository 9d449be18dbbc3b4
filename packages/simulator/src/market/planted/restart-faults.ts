/**
 * Faults to plant that only show after a restart with other settings, or after the restore of a
 * backup.
 */

import { rememberResults } from '../faults/fault-planting.ts'
import { alterRows, combineFaults } from '../faults/sql-faults.ts'
import { answerInFront, type PlantedFault, plantBelow, UNDISTURBED } from './planted-fault.ts'

/** The start checks neither the scales nor their setting. */
const unchecked = (server: 'wallet' | 'platform') =>
  plantBelow(
    server,
    combineFaults(
      alterRows(`read_scales_of_${server}`, () => undefined),
      alterRows(`read_settings_of_${server}`, (row) => (row.name === 'PURSER_CURRENCIES' ? undefined : row)),
    ),
  )

/** The backup is restored during the faults, never at the end. */
const RESTORED = { operators: 1, ...UNDISTURBED, isRestored: true, backup: 0 } as const
const OTHER_SETTINGS = { operators: 1, ...UNDISTURBED, hasOtherSettings: true } as const
const GUIDE = '[reconcile](../../../docs/guides/reconcile.md)'

export const RESTART_FAULTS: readonly PlantedFault[] = [
  {
    ...{ fault: 'a wallet begins in another scale', breaks: 'M-5', seed: 1 },
    ...{ scenario: OTHER_SETTINGS, plant: unchecked('wallet') },
  },
  {
    ...{ fault: 'a platform begins in another scale', breaks: 'M-5', seed: 1 },
    ...{ scenario: OTHER_SETTINGS, plant: unchecked('platform') },
  },
  {
    ...{ fault: 'reconcile does not report a bet that a wallet has lost', breaks: GUIDE, seed: 2 },
    plant: (stores) => ({ ...stores, blindTo: 'missing_at_wallet' }),
  },
  {
    ...{ fault: 'reconcile does not report a result that a wallet has lost', breaks: GUIDE, seed: 2 },
    plant: (stores) => ({ ...stores, blindTo: 'status' }),
  },
  {
    ...{ fault: 'reconcile does not report a loss during the faults', breaks: GUIDE, seed: 1 },
    ...{ scenario: RESTORED, plant: (stores) => ({ ...stores, blindTo: 'missing_at_wallet' }) },
  },
  {
    ...{ fault: 'a cache of acknowledged results outlives a restore', breaks: 'I-2', seed: 1 },
    ...{ scenario: RESTORED, plant: (stores) => answerInFront(rememberResults())(stores) },
  },
]
