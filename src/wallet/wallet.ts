/** Puts the partner side together: lanes over a database, the rules, and the HTTP of the wire. */
import { availableParallelism } from 'node:os'
import type { FastifyInstance } from 'fastify'
import type { Db } from '../db/db.ts'
import type { PlayerId } from '../protocol/ids.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/logger.ts'
import { type AccountMemory, createAccountMemory } from './apply/account-memory.ts'
import { applyBatch, type Repeats } from './apply/apply.ts'
import { createKnown } from './apply/known.ts'
import { createLanes, type Lanes } from './apply/lanes.ts'
import type { Rules } from './decide/decision.ts'
import { createMetrics, type WalletMetrics } from './metrics.ts'
import type { DecodeSettings } from './wire/decode.ts'
import { registerCalls } from './wire/server.ts'

/**
 * Transactions of one process at once, spread over the buckets. Fewer make larger batches, which cost less per call; one
 * for every two cores keeps both sides busy. The embedded database has one connection.
 */
const MAX_LANES = 4
const LANES = { postgres: Math.min(Math.max(1, Math.floor(availableParallelism() / 2)), MAX_LANES), pglite: 1 } as const

export interface WalletDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
  readonly buckets: number
  readonly secrets: readonly string[]
  readonly rules: Rules
  readonly settings: DecodeSettings
  /** The server is going down: connections are not to be used again. */
  isDraining(): boolean
}

export interface Wallet {
  readonly metrics: WalletMetrics
  readonly lanes: Lanes
  /** Forgets what is remembered of a player's money; called when something else than a call has moved it. */
  forget(player: PlayerId): void
  /** Adds the calls of the interface to an HTTP server. */
  register(app: FastifyInstance): Promise<void>
}

export function createWallet({ db, clock, log, buckets, secrets, rules, settings, isDraining }: WalletDeps): Wallet {
  const repeats: Repeats = { lastMetAt: Number.NEGATIVE_INFINITY }
  const memories: AccountMemory[] = []
  const lanes = createLanes({
    buckets,
    lanesPerBucket: Math.max(1, Math.floor(LANES[db.kind] / buckets)),
    openLane: (bucket) => {
      const chain = db.openChain()
      const known = createKnown()
      const memory = createAccountMemory()
      memories.push(memory)
      return (calls, onSent) => {
        const transaction: Db['transaction'] = (work) => chain.transaction(work, onSent)
        return applyBatch({ transaction, clock, rules, known, memory, repeats }, bucket, calls)
      }
    },
    onFailure: (error, calls) => log.error({ err: error, calls }, 'a batch failed'),
    onWaited: (milliseconds) => metrics.waited(milliseconds),
  })
  const metrics = createMetrics(lanes.depth)
  const onFailure = (error: unknown) => log.error({ err: error }, 'a call failed')
  return {
    metrics,
    lanes,
    forget: (player) => memories.forEach((memory) => void memory.forget(player)),
    register: (app) =>
      registerCalls(app, { db, clock, buckets, secrets, settings, lanes, metrics, log, onFailure, isDraining }),
  }
}
