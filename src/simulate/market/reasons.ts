/** Why a bet is rolled back (C-1 to C-3): the `errorCode` of each Rollback, by how its Place bet ended for the platform. */
import { ROLLBACK_REASON } from '../../protocol/codes.ts'
import { objectIn } from '../../protocol/json.ts'
import { OPERATIONS } from '../../protocol/operation.ts'
import type { Answer, Request } from './network.ts'
import { saidIn } from './said.ts'

export interface ReasonWatch {
  leaves(request: Request): void
  /** The platform has heard an answer, or that the connection broke. */
  heard(request: Request, answer: Answer | 'broken'): void
  complaints(): readonly string[]
}

type Ended = 'unheard' | 'yes' | 'no yes'

/** `name` of a bet in the story. */
export function watchReasons(name: (betId: string) => string): ReasonWatch {
  const places = new Map<string, Ended>()
  const complaints: string[] = []
  return {
    leaves(request) {
      if (request.path !== OPERATIONS.place.path) return
      const { transactionId, type, errorCode } = saidIn(request)
      const betId = `${transactionId}`
      if (request.method === OPERATIONS.place.method) places.set(betId, 'unheard')
      else if (type === OPERATIONS.rollback.type) {
        const ended = places.get(betId)
        if (ended !== undefined && !MAY_BE[ended].includes(errorCode))
          complaints.push(`${name(betId)}: rolled back with errorCode ${errorCode} after a Place bet: ${ended} (C-2)`)
      }
    },
    heard(request, answer) {
      if (request.path !== OPERATIONS.place.path || request.method !== OPERATIONS.place.method) return
      places.set(`${saidIn(request).transactionId}`, answer !== 'broken' && isYes(answer) ? 'yes' : 'no yes')
    },
    complaints: () => complaints,
  }
}

/** A process that died in between rolls back with 50, whatever it had heard (C-1). */
const { timeOut, partnerFailed, closingFailed, eventCompleted, eventWithdrawn } = ROLLBACK_REASON
const MAY_BE: Readonly<Record<Ended, readonly unknown[]>> = {
  unheard: [timeOut, closingFailed],
  'no yes': [partnerFailed, closingFailed],
  yes: [closingFailed, eventCompleted, eventWithdrawn],
}

function isYes({ status, body }: Answer): boolean {
  return status === 200 && objectIn(body.toString('utf8')) !== undefined
}
