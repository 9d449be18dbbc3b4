/** Each cause of failures has one instruction, and names the cases that show it. */
import { PLATFORM_REMEDIES } from './platform-remedies.ts'
import { WALLET_REMEDIES } from './wallet-remedies.ts'

const REMEDIES = [...WALLET_REMEDIES, ...PLATFORM_REMEDIES]

const BY_CASE = new Map(
  REMEDIES.flatMap(([change, cases], rank) => cases.split(' ').map((id) => [id, { change, rank }] as const)),
)

/** `rank`: the cause that costs most money is 0. Undefined for a case that no remedy names. */
export function findRemedy(id: string): { readonly change: string; readonly rank: number } | undefined {
  return BY_CASE.get(id)
}
