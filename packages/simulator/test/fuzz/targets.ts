/**
 * All targets of the fuzzer. Each gets a share of the inputs of a long run, because some targets
 * are slower.
 */
import type { Target } from './target.ts'
import { consoleTarget } from './targets/console.ts'
import { csvTarget } from './targets/csv.ts'
import { decodeTarget } from './targets/decode.ts'
import { moneyTarget } from './targets/money.ts'
import { signatureTarget } from './targets/signature.ts'
import { spliceTarget } from './targets/splice.ts'
import { webhookTarget } from './targets/webhook.ts'

const SHARES: readonly (readonly [Target, number])[] = [
  [decodeTarget(), 0.25],
  [consoleTarget(), 0.05],
  [signatureTarget(), 0.15],
  [moneyTarget(), 0.2],
  [spliceTarget(), 0.25],
  [webhookTarget(), 0.08],
  [csvTarget(), 0.02],
]

export const TARGETS: readonly Target[] = SHARES.map(([target]) => target)

export function shareOf(name: string): number {
  return SHARES.find(([target]) => target.name === name)?.[1] ?? 0
}
