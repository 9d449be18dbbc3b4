/** How faults for markets are listed. */
import type { Db } from '../../../db/db.ts'
import { type Choices, drawChoices } from '../choices.ts'
import type { Stores } from '../market.ts'
import type { Ear, Host } from '../network.ts'
import { type Answering, answering } from '../planting.ts'
import type { Scene } from '../scene.ts'
import type { PartyName } from '../who.ts'

export interface Planted {
  readonly fault: string
  /** The decision that it breaks. */
  readonly breaks: string
  /** The first, from 1 on, whose run finds it. */
  readonly seed: number
  readonly plant: (stores: Stores) => Stores
  /** What is fixed of the scenes in which it is looked for. */
  readonly scene?: Partial<Scene>
  /** Chance finds it too seldom: a kept run finds it. */
  readonly file?: string
}

/** Without what stands in the way: so a fault is found soon. */
export const PLAIN = {
  ...{ hasOtherSettings: false, hasFailures: false, span: 1, looks: 3, isWatched: false },
  isRestored: false,
  ...({ clawback: 'allow-negative', freebets: 'none', hasCurrencies: false, hasOtherPlatform: false } as const),
} as const

/** Faults are planted around the platform and the wallet that it calls. */
const ONE_OPERATOR: Partial<Scene> = { operators: 1, ...PLAIN }

export function choicesFor({ scene = ONE_OPERATOR }: Planted): Choices {
  return drawChoices(scene)
}

export type Row = readonly [fault: string, breaks: string, seed: number, plant: Planted['plant']]

/** Between network and a party. */
export const before = (party: PartyName, front: (host: Host) => Host) => (stores: Stores) => ({
  ...stores,
  fronts: { [party]: front },
})
export const inFrontOf = (party: PartyName, front: Answering) => before(party, answering(front))
export const inFront = (front: Answering) => inFrontOf('wallet', front)

/** Between a party and its database. */
export const below =
  (party: PartyName, change: (db: Db) => Db) =>
  (stores: Stores): Stores => ({ ...stores, [party]: { ...stores[party], db: change(stores[party].db) } })

/** In the platform, where it listens to its partner. */
export const hearing = (ear: Ear) => (stores: Stores) => ({ ...stores, ear })
