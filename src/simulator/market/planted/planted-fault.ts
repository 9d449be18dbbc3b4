/** How faults for markets are listed. */
import type { Db } from '../../../server/core/database/db.ts'
import type { PartyName } from '../actors/party-names.ts'
import { type AnswerFaults, plantAnswers } from '../faults/fault-planting.ts'
import type { Stores } from '../market.ts'
import type { CallerFault, Host } from '../network/simulated-network.ts'
import { type Choices, drawChoices } from '../run-choices.ts'
import type { Scenario } from '../scenario.ts'

export interface PlantedFault {
  readonly fault: string
  /** The decision that it breaks. */
  readonly breaks: string
  /** The first, from 1 on, whose run finds it. */
  readonly seed: number
  readonly plant: (stores: Stores) => Stores
  /** What is fixed of the scenes in which it is looked for. */
  readonly scene?: Partial<Scenario>
  /** Chance finds it too seldom: a kept run finds it. */
  readonly file?: string
}

/** Without what stands in the way: so a fault is found soon. */
export const UNDISTURBED = {
  ...{ hasOtherSettings: false, hasFailures: false, span: 1, looks: 3, isWatched: false },
  isRestored: false,
  ...({ clawback: 'allow-negative', freebets: 'none', hasCurrencies: false, hasOtherPlatform: false } as const),
} as const

/** Faults are planted around the platform and the wallet that it calls. */
const ONE_OPERATOR: Partial<Scenario> = { operators: 1, ...UNDISTURBED }

export function drawFaultChoices({ scene = ONE_OPERATOR }: PlantedFault): Choices {
  return drawChoices(scene)
}

export type PlantedFaultRow = readonly [fault: string, breaks: string, seed: number, plant: PlantedFault['plant']]

/** Between network and a party. */
export const plantInFront = (party: PartyName, front: (host: Host) => Host) => (stores: Stores) => ({
  ...stores,
  fronts: { [party]: front },
})
export const answerInFrontOf = (party: PartyName, front: AnswerFaults) => plantInFront(party, plantAnswers(front))
export const answerInFront = (front: AnswerFaults) => answerInFrontOf('wallet', front)

/** Between a party and its database. */
export const plantBelow =
  (party: PartyName, change: (db: Db) => Db) =>
  (stores: Stores): Stores => ({ ...stores, [party]: { ...stores[party], db: change(stores[party].db) } })

/** In the platform, where it listens to its partner. */
export const plantInCaller = (ear: CallerFault) => (stores: Stores) => ({ ...stores, ear })
