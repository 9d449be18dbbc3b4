/**
 * Every choice of a run: the faults of messages, the actions of actors, the crashes.
 *
 * The choices come from the seed or from a list. A list stays valid after a change of the code, and
 * choices can be removed from it. Then an unlisted message arrives, and unlisted actions and
 * crashes do not happen.
 */

import { sleep } from '../../runtime/async/sleep.ts'
import { environment } from '../../runtime/environment.ts'
import type { PartyName } from './actors/party-names.ts'
import type { OtherSettings } from './databases/market-store.ts'
import type { ClockName } from './network/wall-clocks.ts'
import { DEFAULT_SCENARIO, type Scenario } from './scenario.ts'

export interface MessageFault {
  /** Empty for a message without a fault. */
  readonly name: string
  /** Milliseconds until each copy arrives. The first copy's answer counts. */
  readonly arrivals: readonly number[]
  /** Milliseconds of the answer; absent if it is lost. */
  readonly back?: number
  /** Milliseconds until the connection breaks, or a proxy answers. */
  readonly breaks?: { readonly after: number; readonly proxy: boolean; readonly says?: 400 | 502 }
  readonly isCut?: boolean
}

export type CrashFault =
  | {
      readonly does: 'kill'
      readonly party: PartyName
      readonly statements?: number
      /** The process dies after this COMMIT, counted from `at`. */
      readonly commits?: number
      /** The same for timers and messages of any process. */
      readonly steps?: number
      readonly downMs: number
      readonly settings?: OtherSettings
    }
  /** `times` statements fail, from this one on, counted from `at`. */
  | { readonly does: 'fail'; readonly party: PartyName; readonly statements: number; readonly times: number }
  | { readonly does: 'partition'; readonly ms: number }
  | { readonly does: 'set clock'; readonly clock: ClockName; readonly byMs: number }
  | { readonly does: 'back up' }
  /** Restores the last backup, if one exists. Without `downMs` the process lives on. */
  | { readonly does: 'restore'; readonly downMs?: number }

export type ActorAction = Readonly<Record<string, unknown>>

export type Choice<D = CrashFault> =
  /** `of`: "settle bet 3 #2" is the second settle of the third bet. */
  | { readonly of: string; readonly fate: MessageFault }
  /** `at`: milliseconds since the start. Without `does` the actor does nothing then. */
  | { readonly actor: string; readonly at: number; readonly does?: ActorAction }
  | { readonly at: number; readonly disaster: D }
  | { readonly scene: Scenario }

/** `D`: the crash faults of the level. */
export interface Choices<D = CrashFault> {
  /** Called once, before all other choices. */
  scenario(draw: () => Scenario): Scenario
  messageFault(of: string, draw: () => MessageFault): MessageFault
  /** Resolves at the time of the next action; undefined if the actor does nothing then. */
  nextAction<D extends ActorAction>(
    actor: string,
    gapMs: () => number,
    draw: () => D | undefined,
  ): Promise<D | undefined>
  crashFaults(draw: () => readonly { readonly at: number; readonly disaster: D }[]): readonly {
    readonly at: number
    readonly disaster: D
  }[]
  made(): readonly Choice<D>[]
}

/** `fixed` replaces members of the random scenario. */
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
/** An idle actor checks after this time whether the run is over. */
const IDLE_MS = 1_000

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
