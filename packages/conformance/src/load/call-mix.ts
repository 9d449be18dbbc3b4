/** Kinds of calls in a load and their weights (`--mix`). */

import { UsageError } from '@purser/runtime/errors/cli-errors'
import type { Random } from '@purser/runtime/seeded-random'

/**
 * `resettle`: another result of a settled bet. `repeat`: the exact bytes of the last acknowledged
 * call.
 */
export const CALL_KINDS = ['place', 'settle', 'resettle', 'rollback', 'repeat'] as const
export type CallKind = (typeof CALL_KINDS)[number]
/** Weights. Their sum has no meaning. */
export type CallMix = Readonly<Record<CallKind, number>>

const FORM = '--mix: write it as in place=45,settle=40,resettle=5,rollback=5,repeat=5'
const PART = /^(?<kind>[a-z]+)=(?<weight>\d{1,6})$/

/** Only named kinds are sent. Throws UsageError. */
export function parseCallMix(text: string): CallMix {
  const mix: Record<CallKind, number> = { place: 0, settle: 0, resettle: 0, rollback: 0, repeat: 0 }
  const named = new Set<CallKind>()
  for (const part of text.split(',')) {
    const { kind: name, weight = '' } = PART.exec(part.trim())?.groups ?? {}
    if (name === undefined) throw new UsageError(`${FORM}; "${part}" is not of this form`)
    const kind = CALL_KINDS.find((one) => one === name)
    if (kind === undefined) throw new UsageError(`--mix: no such operation: ${name}; use ${CALL_KINDS.join(', ')}`)
    if (named.has(kind)) throw new UsageError(`--mix: ${kind} is listed twice`)
    named.add(kind)
    mix[kind] = Number.parseInt(weight, 10)
  }
  if (mix.place === 0) throw new UsageError('--mix: place is missing, and the other calls need its bets')
  if (mix.resettle > 0 && mix.settle === 0)
    throw new UsageError('--mix: resettle needs settle, as in settle=40,resettle=5')
  return mix
}

/** The form of the command line. */
export function formatCallMix(mix: CallMix): string {
  return CALL_KINDS.flatMap((kind) => (mix[kind] > 0 ? [`${kind}=${mix[kind]}`] : [])).join(',')
}

export function drawCallKind(mix: CallMix, random: Random): CallKind {
  const total = CALL_KINDS.reduce((sum, kind) => sum + mix[kind], 0)
  let left = random.below(total)
  for (const kind of CALL_KINDS) {
    if (left < mix[kind]) return kind
    left -= mix[kind]
  }
  return 'place'
}
