/** Sign of a verdict. State is colour, shape and word. */
import type { WireVerdict } from './wire-calls.ts'

const MARKS: Readonly<Record<WireVerdict['kind'], readonly [sign: string, word: string]>> = {
  right: ['✓', 'Right'],
  advice: ['!', 'Advice'],
  wrong: ['✕', 'Wrong'],
  undecided: ['?', 'Undecided'],
}

export const isVerdictKind = (text: string): text is WireVerdict['kind'] => Object.hasOwn(MARKS, text)

export const verdictWord = (kind: WireVerdict['kind']): string => MARKS[kind][1]

interface VerdictMarkProps {
  readonly kind: WireVerdict['kind']
  readonly hint?: string
  /** The word is visible beside the sign. */
  readonly isNamed?: boolean
}

export function VerdictMark({ kind, hint, isNamed = false }: VerdictMarkProps) {
  const [sign, word] = MARKS[kind]
  return (
    <span className={`verdict-mark ${kind}`} data-hint={hint}>
      <span aria-hidden="true">{sign}</span>
      {!isNamed && <span className="vh">{word}</span>}
    </span>
  )
}
