/** What the calls of a load are, and how often each (`--mix`). */
import type { Random } from '../runtime/random.ts'
import { WrongUse } from '../runtime/wrong-use.ts'

/** `resettle`: another result of a settled bet. `repeat`: the last acknowledged call of a bet once more, byte by byte. */
export const KINDS = ['place', 'settle', 'resettle', 'rollback', 'repeat'] as const
export type Kind = (typeof KINDS)[number]
/** Weights: what they add up to does not matter. */
export type Mix = Readonly<Record<Kind, number>>

const FORM = '--mix: write it as in place=45,settle=40,resettle=5,rollback=5,repeat=5'
const PART = /^(?<kind>[a-z]+)=(?<weight>\d{1,6})$/

/** What is not named is not sent. Throws WrongUse. */
export function readMix(text: string): Mix {
  const mix: Record<Kind, number> = { place: 0, settle: 0, resettle: 0, rollback: 0, repeat: 0 }
  const seen = new Set<Kind>()
  for (const part of text.split(',')) {
    const { kind: name, weight = '' } = PART.exec(part.trim())?.groups ?? {}
    if (name === undefined) throw new WrongUse(`${FORM}; "${part}" is not of this form`)
    const kind = KINDS.find((one) => one === name)
    if (kind === undefined) throw new WrongUse(`--mix: there is no ${name}; there are ${KINDS.join(', ')}`)
    if (seen.has(kind)) throw new WrongUse(`--mix: ${kind} stands there twice`)
    seen.add(kind)
    mix[kind] = Number.parseInt(weight, 10)
  }
  if (mix.place === 0) throw new WrongUse('--mix: without place there are no bets for the other calls')
  if (mix.resettle > 0 && mix.settle === 0) throw new WrongUse('--mix: resettle needs settle')
  return mix
}

/** The same, as it is written on the command line. */
export function writeMix(mix: Mix): string {
  return KINDS.flatMap((kind) => (mix[kind] > 0 ? [`${kind}=${mix[kind]}`] : [])).join(',')
}

export function drawKind(mix: Mix, random: Random): Kind {
  const total = KINDS.reduce((sum, kind) => sum + mix[kind], 0)
  let left = random.below(total)
  for (const kind of KINDS) {
    if (left < mix[kind]) return kind
    left -= mix[kind]
  }
  return 'place'
}
