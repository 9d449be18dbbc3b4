/** What players have at the end, against what the auditor, who heard every answer, holds possible. */
import type { WireWatch } from '../market/watch.ts'

interface Owner {
  readonly userId: string
  /** What deposits and the like brought. */
  readonly cash: bigint
}

/** At least one player of a run must be judged, or nothing is. */
export const JUDGED = 'a balance is one that the auditor holds possible'
const NOT_JUDGED = 'a balance of which the auditor says nothing: too much is possible'

/** Complaints. */
export function judgeBalances(
  players: readonly Owner[],
  has: ReadonlyMap<string, bigint>,
  wire: Pick<WireWatch, 'movedOf'>,
  mark: (name: string) => void,
): string[] {
  return players.flatMap(({ userId, cash }) => {
    const moved = wire.movedOf(userId)
    const may = moved && [...moved].map((one) => cash + one)
    const balance = has.get(userId)
    if (may !== undefined && !may.some((one) => one === balance))
      return [
        `the auditor: ${userId} has ${balance}, may have ${may.slice(0, 5).join(', ') || 'nothing that it can tell'}`,
      ]
    mark(may === undefined ? NOT_JUDGED : JUDGED)
    return []
  })
}
