/** How faults for markets are listed. */
import type { Db } from '../../db/db.ts'
import type { PartyName, Stores } from './market.ts'
import type { Ear } from './network.ts'
import { type Answering, answering } from './planting.ts'

export interface Planted {
  readonly fault: string
  /** The decision that it breaks. */
  readonly breaks: string
  /** The first, from 1 on, whose run finds it. */
  readonly seed: number
  readonly plant: (stores: Stores) => Stores
  /** Chance finds it too seldom: a kept run finds it. */
  readonly file?: string
}

export type Row = readonly [fault: string, breaks: string, seed: number, plant: Planted['plant']]

/** Between network and wallet. */
export const inFront = (front: Answering) => (stores: Stores) => ({ ...stores, front: answering(front) })

/** Between a party and its database. */
export const below =
  (party: PartyName, change: (db: Db) => Db) =>
  (stores: Stores): Stores => ({ ...stores, [party]: { ...stores[party], db: change(stores[party].db) } })

/** In the platform, where it listens to its partner. */
export const hearing = (ear: Ear) => (stores: Stores) => ({ ...stores, ear })
