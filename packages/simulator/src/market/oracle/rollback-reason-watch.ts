/** Checks the `errorCode` of each Rollback against the outcome of its Place bet (C-1 to C-3). */

import { OPERATIONS } from '@purser/protocol/operation'
import { ROLLBACK_REASON } from '@purser/protocol/reply-codes'
import { parseJsonObject } from '@purser/protocol/values/exact-json'
import { parseMessage } from '../actors/reply-parsing.ts'
import type { NetworkAnswer, NetworkRequest } from '../network/simulated-network.ts'

export interface RollbackReasonWatch {
  leaves(request: NetworkRequest): void
  received(request: NetworkRequest, answer: NetworkAnswer | 'broken'): void
  complaints(): readonly string[]
}

type PlaceEnding = 'unheard' | 'yes' | 'no yes'

export function watchRollbackReasons(name: (betId: string) => string): RollbackReasonWatch {
  const places = new Map<string, PlaceEnding>()
  const complaints: string[] = []
  return {
    leaves(request) {
      if (request.path !== OPERATIONS.place.path) return
      const { transactionId, type, errorCode } = parseMessage(request)
      const betId = `${transactionId}`
      if (request.method === OPERATIONS.place.method) places.set(betId, 'unheard')
      else if (type === OPERATIONS.rollback.type) {
        const ended = places.get(betId)
        if (ended !== undefined && !MAY_BE[ended].includes(errorCode))
          complaints.push(`${name(betId)}: rolled back with errorCode ${errorCode} after a Place bet: ${ended} (C-2)`)
      }
    },
    received(request, answer) {
      if (request.path !== OPERATIONS.place.path || request.method !== OPERATIONS.place.method) return
      places.set(`${parseMessage(request).transactionId}`, answer !== 'broken' && isYes(answer) ? 'yes' : 'no yes')
    },
    complaints: () => complaints,
  }
}

/** A process that died in between rolls back with 50 in any case (C-1). */
const { timeOut, partnerFailed, closingFailed, eventCompleted, eventWithdrawn } = ROLLBACK_REASON
const MAY_BE: Readonly<Record<PlaceEnding, readonly unknown[]>> = {
  unheard: [timeOut, closingFailed],
  'no yes': [partnerFailed, closingFailed],
  yes: [closingFailed, eventCompleted, eventWithdrawn],
}

function isYes({ status, body }: NetworkAnswer): boolean {
  return status === 200 && parseJsonObject(body.toString('utf8')) !== undefined
}
