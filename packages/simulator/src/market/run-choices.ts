/**
 * The random choices of a run: the faults of messages, the actions of simulated users, the crashes.
 *
 * The choices come from the seed or from a list. A list stays valid after a change of the code, and
 * choices can be removed from it: an unlisted message arrives, and unlisted actions and crashes do
 * not happen.
 */

import { sleep } from '@purser/runtime/async/sleep'
import { environment } from '@purser/runtime/environment'
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
  readonly answerAfter?: number
  /** Milliseconds until the connection breaks, or a proxy answers. */
  readonly breaks?: { readonly after: number; readonly proxy: boolean; readonly status?: 400 | 502 }
  readonly isCut?: boolean
}

export type CrashFault =
  | {
      readonly kind: 'kill'
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
  | { readonly kind: 'fail'; readonly party: PartyName; readonly statements: number; readonly times: number }
  | { readonly kind: 'partition'; readonly ms: number }
  | { readonly kind: 'set clock'; readonly clock: ClockName; readonly byMs: number }
  | { readonly kind: 'back up' }
  /** Restores the last backup, if one exists. Without `downMs` the process lives on. */
  | { readonly kind: 'restore'; readonly downMs?: number }

export type ActorAction = Readonly<Record<string, unknown>>

export type Choice<D = CrashFault> =
  /** `message`: "settle bet 3 #2" is the second settle of the third bet. */
  | { readonly message: string; readonly fault: MessageFault }
  /** `at`: milliseconds since the start. Without `action` the actor does nothing then. */
  | { readonly actor: string; readonly at: number; readonly action?: ActorAction }
  | { readonly at: number; readonly crash: D }
  | { readonly scenario: Scenario }

/** `D`: the crash faults of the level. */
export interface Choices<D = CrashFault> {
  /** Called once, before all other choices. */
  scenario(draw: () => Scenario): Scenario
  messageFault(message: string, draw: () => MessageFault): MessageFault
  /** Resolves at the time of the next action; undefined if the actor does nothing then. */
  nextAction<D extends ActorAction>(
    actor: string,
    gapMs: () => number,
    draw: () => D | undefined,
  ): Promise<D | undefined>
  crashFaults(draw: () => readonly { readonly at: number; readonly crash: D }[]): readonly {
    readonly at: number
    readonly crash: D
  }[]
  made(): readonly Choice<D>[]
}

/** `fixed` replaces members of the random scenario. */
export function drawChoices<D = CrashFault>(fixed: Partial<Scenario> = {}): Choices<D> {
  const made: Choice<D>[] = []
  return {
    scenario(draw) {
      const scenario = { ...draw(), ...fixed }
      made.push({ scenario })
      return scenario
    },
    messageFault(message, draw) {
      const fault = draw()
      made.push({ message, fault })
      return fault
    },
    async nextAction(actor, gapMs, draw) {
      await sleep(gapMs())
      const action = draw()
      if (action !== undefined) made.push({ actor, at: environment.monotonicNow(), action })
      else made.push({ actor, at: environment.monotonicNow() })
      return action
    },
    crashFaults(draw) {
      const crashes = draw()
      made.push(...crashes)
      return crashes
    },
    made: () => made,
  }
}

const ARRIVES: MessageFault = { name: '', arrivals: [20], answerAfter: 20 }
/** An idle actor checks after this time whether the run is over. */
const IDLE_MS = 1_000

export function replayChoices<D = CrashFault>(choices: readonly Choice<D>[]): Choices<D> {
  const faults = new Map(
    choices.flatMap((choice) => ('message' in choice ? [[choice.message, choice.fault] as const] : [])),
  )
  const actions = new Map<string, { readonly at: number; readonly action?: ActorAction }[]>()
  for (const choice of choices)
    if ('actor' in choice) actions.set(choice.actor, [...(actions.get(choice.actor) ?? []), choice])
  const [scenario] = choices.flatMap((choice) => ('scenario' in choice ? [choice.scenario] : []))
  return {
    scenario: () => scenario ?? DEFAULT_SCENARIO,
    messageFault: (message) => faults.get(message) ?? ARRIVES,
    async nextAction(actor) {
      const next = actions.get(actor)?.shift()
      await sleep(next === undefined ? IDLE_MS : next.at - environment.monotonicNow())
      return next?.action as never
    },
    crashFaults: () => choices.filter((choice) => 'crash' in choice),
    made: () => choices,
  }
}
