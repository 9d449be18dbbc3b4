/**
 * The description of a planted fault, and functions that plant a fault in a party's calls, its
 * answers, or its use of the database.
 */
import type { Db } from 'purser/core/database/db'
import type { PartyName } from '../actors/party-names.ts'
import { type AnswerFaults, plantAnswers } from '../faults/fault-planting.ts'
import type { Stores } from '../market.ts'
import type { CallerFault, Host } from '../network/simulated-network.ts'
import { type Choices, drawChoices } from '../run-choices.ts'
import type { Scenario } from '../scenario.ts'

export interface PlantedFault {
  readonly fault: string
  /** The broken decision. */
  readonly breaks: string
  /** The first seed, from 1 on, whose run finds the fault. */
  readonly seed: number
  readonly plant: (stores: Stores) => Stores
  /** The fixed members of the scenario. */
  readonly scenario?: Partial<Scenario>
  /** A saved run, if random runs find the fault too rarely. */
  readonly file?: string
}

/** A scenario without disturbances, in which a fault is found soon. */
export const UNDISTURBED = {
  ...{ hasOtherSettings: false, hasFailures: false, span: 1, audits: 3, isWatched: false },
  isRestored: false,
  ...({ clawback: 'allow-negative', freebets: 'none', hasCurrencies: false, hasOtherPlatform: false } as const),
} as const

/** For faults of the platform and the wallet that it calls directly. */
const ONE_OPERATOR: Partial<Scenario> = { operators: 1, ...UNDISTURBED }

export function drawFaultChoices({ scenario = ONE_OPERATOR }: PlantedFault): Choices {
  return drawChoices(scenario)
}

export type PlantedFaultRow = readonly [fault: string, breaks: string, seed: number, plant: PlantedFault['plant']]

/** Between the network and a party. */
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

/** In the platform's reading of answers. */
export const plantInCaller = (ear: CallerFault) => (stores: Stores) => ({ ...stores, ear })
