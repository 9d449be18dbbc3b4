/**
 * Every choice of a run: what the network does with a message, what an actor does and when, who dies. They follow from the seed, or stand in
 * a list, which still says the same after the code has changed, and from which choices can be taken out: a message that is not named
 * arrives, an actor does nothing but what is named, nobody dies who is not named.
 */

import { sleep } from '../../runtime/async/sleep.ts'
import { environment } from '../../runtime/environment.ts'
import type { PartyName } from './actors/party-names.ts'
import type { OtherSettings } from './databases/market-store.ts'
import type { ClockName } from './network/wall-clocks.ts'
import { DEFAULT_SCENARIO, type Scenario } from './scenario.ts'

/** What becomes of one message. */
export interface MessageFault {
  /** Empty: it arrives, and so does its answer. */
  readonly name: string
  /** Milliseconds until it is there; several: it is there several times. The first one's answer is the answer. */
  readonly arrivals: readonly number[]
  /** Milliseconds back; absent: the answer is lost. */
  readonly back?: number
  /** Milliseconds after which the caller hears of a broken connection, or a proxy's word. */
  readonly breaks?: { readonly after: number; readonly proxy: boolean; readonly says?: 400 | 502 }
  readonly isCut?: boolean
}

export type CrashFault =
  | {
      readonly does: 'kill'
      readonly party: PartyName
      readonly statements?: number
      /** Behind the so many-th COMMIT from then. */
      readonly commits?: number
      /** Behind the so many-th timer or message from then, of anybody's. */
      readonly steps?: number
      readonly downMs: number
      /** With which it begins again. */
      readonly settings?: OtherSettings
    }
  /** The database answers so many statements with an error, from the so many-th from then. */
  | { readonly does: 'fail'; readonly party: PartyName; readonly statements: number; readonly times: number }
  | { readonly does: 'partition'; readonly ms: number }
  | { readonly does: 'set clock'; readonly clock: ClockName; readonly byMs: number }
  | { readonly does: 'back up' }
  /** The last backup is put back, if there is one. Absent `downMs`: the wallet's process lives on. */
  | { readonly does: 'restore'; readonly downMs?: number }

/** Plain values, by name. */
export type ActorAction = Readonly<Record<string, unknown>>

export type Choice<D = CrashFault> =
  /** `of`: "settle bet 3 #2", the second settle of the bet that was the third one. */
  | { readonly of: string; readonly fate: MessageFault }
  /** Absent `does`: it is over for this actor. `at`: milliseconds since the beginning. */
  | { readonly actor: string; readonly at: number; readonly does?: ActorAction }
  | { readonly at: number; readonly disaster: D }
  | { readonly scene: Scenario }

/** `D`: what disasters there are. */
export interface Choices<D = CrashFault> {
  /** Asked for once, first. */
  scenario(draw: () => Scenario): Scenario
  messageFault(of: string, draw: () => MessageFault): MessageFault
  /** Resolves when the time of the actor's next deed has come; undefined: it has none now. */
  nextAction<D extends ActorAction>(
    actor: string,
    gapMs: () => number,
    draw: () => D | undefined,
  ): Promise<D | undefined>
  crashFaults(draw: () => readonly { readonly at: number; readonly disaster: D }[]): readonly {
    readonly at: number
    readonly disaster: D
  }[]
  /** All that were made so far. */
  made(): readonly Choice<D>[]
}

/** From chance, but for what is fixed of the scene. */
export function drawChoices<D = CrashFault>(fixed: Partial<Scenario> = {}): Choices<D> {
  const made: Choice<D>[] = []
  return {
    scenario(draw) {
      const scenario = { ...draw(), ...fixed }
      made.push({ scene: scenario })
      return scenario
    },
    messageFault(of, draw) {
      const fault = draw()
      made.push({ of, fate: fault })
      return fault
    },
    async nextAction(actor, gapMs, draw) {
      await sleep(gapMs())
      const does = draw()
      if (does !== undefined) made.push({ actor, at: environment.monotonicNow(), does })
      else made.push({ actor, at: environment.monotonicNow() })
      return does
    },
    crashFaults(draw) {
      const crashes = draw()
      made.push(...crashes)
      return crashes
    },
    made: () => made,
  }
}

const ARRIVES: MessageFault = { name: '', arrivals: [20], back: 20 }
/** Milliseconds after which an actor that has nothing to do looks whether all is over. */
const IDLE_MS = 1_000

/** From a list. */
export function replayChoices<D = CrashFault>(choices: readonly Choice<D>[]): Choices<D> {
  const faults = new Map(choices.flatMap((choice) => ('of' in choice ? [[choice.of, choice.fate] as const] : [])))
  const actions = new Map<string, { readonly at: number; readonly does?: ActorAction }[]>()
  for (const choice of choices)
    if ('actor' in choice) actions.set(choice.actor, [...(actions.get(choice.actor) ?? []), choice])
  const [scenario] = choices.flatMap((choice) => ('scene' in choice ? [choice.scene] : []))
  return {
    scenario: () => scenario ?? DEFAULT_SCENARIO,
    messageFault: (of) => faults.get(of) ?? ARRIVES,
    async nextAction(actor) {
      const next = actions.get(actor)?.shift()
      await sleep(next === undefined ? IDLE_MS : next.at - environment.monotonicNow())
      return next?.does as never
    },
    crashFaults: () => choices.filter((choice) => 'disaster' in choice),
    made: () => choices,
  }
}
