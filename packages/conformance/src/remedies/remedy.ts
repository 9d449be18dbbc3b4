/**
 * Finds the remedy for a failed case. A remedy is one instruction, with the list of the cases that
 * the instruction repairs.
 */
import { PLATFORM_REMEDIES } from './platform-remedies.ts'
import { WALLET_REMEDIES } from './wallet-remedies.ts'

const REMEDIES = [...WALLET_REMEDIES, ...PLATFORM_REMEDIES]

const BY_CASE = new Map(
  REMEDIES.flatMap(([change, cases], rank) => cases.split(' ').map((id) => [id, { change, rank }] as const)),
)

/** `rank` 0 is the cause that costs most money. Undefined for a case without a remedy. */
export function findRemedy(id: string): { readonly change: string; readonly rank: number } | undefined {
  return BY_CASE.get(id)
}
