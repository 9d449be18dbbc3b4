/** Places bets for tests of event results, sends the results, and reads the state of the bets. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Scene } from './scene.ts'

export type Outcome = 'won' | 'lost' | 'refund'

/** `scene` is a function, because the tests are declared before the scene starts. */
export function decidedBets(scene: () => Scene) {
  return {
    /** A bet on the outcome `home`, with a new event for each of the odds. */
    async betAt(...odds: string[]): Promise<{ betId: string; events: string[] }> {
      const events = odds.map(() => randomUUID())
      const selections = odds.map((coefficient, i) => ({ eventId: events[i], outcomeId: 'home', coefficient }))
      const { betId, status } = await scene().api.place(scene().frame, { selections })
      expect(status).toBe('accepted')
      return { betId, events }
    },
    async decideEvent(eventId: string | undefined, result?: Outcome): Promise<number> {
      const changed = await scene().api.results(eventId ?? '', result === undefined ? {} : { home: result })
      await scene().time.settle()
      return changed
    },
    async stateOf(betId: string): Promise<unknown> {
      const { status, resultType, payout } = await scene().api.bet(betId)
      return [status, resultType, payout]
    },
    /** The calls after the Place bet. */
    toldOf: (betId: string) =>
      scene()
        .callsOf(betId)
        .slice(1)
        .map(({ operation, body }) => [operation, body.resultType, body.amount]),
  }
}
