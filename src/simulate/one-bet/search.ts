/**
 * Every history of one bet, up to a length. Histories that have come to the same situation go on as one, with their number: so
 * millions of histories cost some thousand steps. Shorter ones come first, so that what is found is as short as it can be.
 */
import type { Rules } from '../../wallet/decide/decision.ts'
import { LETTERS, type Letter } from './letters.ts'
import { type Place, situationOf } from './situation.ts'
import { BEGINNING, type Judge, type Stepped, step } from './step.ts'
import { RULES, tell } from './world.ts'

export interface Found {
  readonly history: readonly Letter[]
  readonly complaint: string
}

export interface Searched {
  /** Each of them judged to its end. */
  readonly histories: number
  /** Judged for all the histories that had come to the same situation. */
  readonly steps: number
  readonly situations: number
  readonly found: Found | undefined
  /** How many histories end with each answer, so that a search that never met one is noticed. */
  readonly met: ReadonlyMap<string, number>
}

export interface SearchOptions {
  readonly length: number
  readonly clawback: Rules['clawback']
  /** Only histories that begin so; their length is counted from the beginning. */
  readonly after?: readonly Letter[]
  /** Stands for the rules of the wallet; a planted fault in a test. */
  readonly tell?: typeof tell
  /** Tells situations apart; in a test, whether they are told apart rightly. */
  readonly situation?: (place: Place) => string
}

interface Situation {
  readonly place: Place
  /** How many histories lead here. */
  ways: number
  /** The first of them. */
  readonly came: Came | undefined
}

interface Came {
  readonly from: Situation
  readonly letter: Letter
}

interface Count {
  histories: number
  steps: number
  situations: number
  readonly met: Map<string, number>
}

export function judgeOf({ clawback, tell: toTell = tell }: Pick<SearchOptions, 'clawback' | 'tell'>): Judge {
  return { rules: { ...RULES, clawback }, tell: toTell }
}

export function search(options: SearchOptions): Searched {
  const { length, situation = situationOf, after = [] } = options
  const judge = judgeOf(options)
  const count: Count = { histories: 0, steps: 0, situations: 1, met: new Map() }
  let layer: Iterable<Situation> = [beginning(after, options)]
  for (let moment = after.length + 1; moment <= length; moment++) {
    const next = new Map<string, Situation>()
    for (const from of layer) {
      const complaint = stepFrom(judge, from, moment, count, (place, letter) => {
        if (moment < length) meet(next, situation(place), place, { from, letter })
      })
      if (complaint !== undefined) return { ...count, found: complaint }
    }
    count.situations += next.size
    layer = next.values()
  }
  return { ...count, found: undefined }
}

function beginning(after: readonly Letter[], options: SearchOptions): Situation {
  const { steps } = replay(after, options)
  return after.reduce<Situation>(
    (from, letter, i) => ({ place: steps[i]?.place ?? from.place, ways: 1, came: { from, letter } }),
    { place: BEGINNING, ways: 1, came: undefined },
  )
}

/** Every letter from here. */
function stepFrom(
  judge: Judge,
  from: Situation,
  moment: number,
  count: Count,
  goOn: (place: Place, letter: Letter) => void,
): Found | undefined {
  for (const letter of LETTERS) {
    const stepped = step(judge, from.place, letter, moment)
    if (stepped === undefined) continue
    count.steps++
    count.histories += from.ways
    note(count, stepped, from.ways)
    if (stepped.complaint !== undefined) return { history: [...historyOf(from), letter], complaint: stepped.complaint }
    goOn(stepped.place, letter)
  }
  return undefined
}

/** Without the moment. */
function note({ met }: Count, { answer }: Stepped, ways: number): void {
  const [word] = answer?.split(' ') ?? []
  if (word !== undefined) met.set(word, (met.get(word) ?? 0) + ways)
}

function meet(layer: Map<string, Situation>, key: string, place: Place, came: Came): void {
  const same = layer.get(key)
  if (same === undefined) layer.set(key, { place, ways: came.from.ways, came })
  else same.ways += came.from.ways
}

function historyOf({ came }: Situation): Letter[] {
  return came === undefined ? [] : [...historyOf(came.from), came.letter]
}

/** One history, as far as it goes: one line per step, and what is wrong with the last one. */
export function replay(
  history: readonly Letter[],
  options: Pick<SearchOptions, 'clawback' | 'tell'>,
): { readonly steps: readonly Stepped[]; readonly complaint: string | undefined } {
  const judge = judgeOf(options)
  const steps: Stepped[] = []
  let place = BEGINNING
  for (const [i, letter] of history.entries()) {
    const stepped = step(judge, place, letter, i + 1)
    if (stepped === undefined)
      return { steps, complaint: 'there is nothing to send again, or to take away, at that step' }
    steps.push(stepped)
    if (stepped.complaint !== undefined) return { steps, complaint: stepped.complaint }
    place = stepped.place
  }
  return { steps, complaint: undefined }
}
