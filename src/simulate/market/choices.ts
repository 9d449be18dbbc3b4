/**
 * Every choice of a run: what the network does with a message, what an actor does and when, who dies. They follow from the seed, or stand in
 * a list, which still says the same after the code has changed, and from which choices can be taken out: a message that is not named
 * arrives, an actor does nothing but what is named, nobody dies who is not named.
 */
import { pause } from '../../runtime/pause.ts'
import { world } from '../../runtime/world.ts'
import type { ClockName } from './clocks.ts'
import { PLAIN_SCENE, type Scene } from './scene.ts'
import type { OtherSettings } from './store.ts'
import type { PartyName } from './who.ts'

/** What becomes of one message. */
export interface Fate {
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

export type Disaster =
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
export type Deed = Readonly<Record<string, unknown>>

export type Choice<D = Disaster> =
  /** `of`: "settle bet 3 #2", the second settle of the bet that was the third one. */
  | { readonly of: string; readonly fate: Fate }
  /** Absent `does`: it is over for this actor. `at`: milliseconds since the beginning. */
  | { readonly actor: string; readonly at: number; readonly does?: Deed }
  | { readonly at: number; readonly disaster: D }
  | { readonly scene: Scene }

/** `D`: what disasters there are. */
export interface Choices<D = Disaster> {
  /** Asked for once, first. */
  scene(draw: () => Scene): Scene
  fate(of: string, draw: () => Fate): Fate
  /** Resolves when the time of the actor's next deed has come; undefined: it has none now. */
  deed<D extends Deed>(actor: string, gapMs: () => number, draw: () => D | undefined): Promise<D | undefined>
  disasters(draw: () => readonly { readonly at: number; readonly disaster: D }[]): readonly {
    readonly at: number
    readonly disaster: D
  }[]
  /** All that were made so far. */
  made(): readonly Choice<D>[]
}

/** From chance, but for what is fixed of the scene. */
export function drawChoices<D = Disaster>(fixed: Partial<Scene> = {}): Choices<D> {
  const made: Choice<D>[] = []
  return {
    scene(draw) {
      const scene = { ...draw(), ...fixed }
      made.push({ scene })
      return scene
    },
    fate(of, draw) {
      const fate = draw()
      made.push({ of, fate })
      return fate
    },
    async deed(actor, gapMs, draw) {
      await pause(gapMs())
      const does = draw()
      if (does !== undefined) made.push({ actor, at: world.elapsed(), does })
      else made.push({ actor, at: world.elapsed() })
      return does
    },
    disasters(draw) {
      const disasters = draw()
      made.push(...disasters)
      return disasters
    },
    made: () => made,
  }
}

const ARRIVES: Fate = { name: '', arrivals: [20], back: 20 }
/** Milliseconds after which an actor that has nothing to do looks whether all is over. */
const IDLE_MS = 1_000

/** From a list. */
export function followChoices<D = Disaster>(choices: readonly Choice<D>[]): Choices<D> {
  const fates = new Map(choices.flatMap((choice) => ('of' in choice ? [[choice.of, choice.fate] as const] : [])))
  const deeds = new Map<string, { readonly at: number; readonly does?: Deed }[]>()
  for (const choice of choices)
    if ('actor' in choice) deeds.set(choice.actor, [...(deeds.get(choice.actor) ?? []), choice])
  const [scene] = choices.flatMap((choice) => ('scene' in choice ? [choice.scene] : []))
  return {
    scene: () => scene ?? PLAIN_SCENE,
    fate: (of) => fates.get(of) ?? ARRIVES,
    async deed(actor) {
      const next = deeds.get(actor)?.shift()
      await pause(next === undefined ? IDLE_MS : next.at - world.elapsed())
      return next?.does as never
    },
    disasters: () => choices.filter((choice) => 'disaster' in choice),
    made: () => choices,
  }
}
