/** Bets that results of events decide, and what becomes of them. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Scene } from './scene.ts'

export type Outcome = 'won' | 'lost' | 'refund'

/** `scene` is asked for at each use: it is started after the tests are written down. */
export function decidedBets(scene: () => Scene) {
  return {
    /** A bet on the outcome `home` of an event of its own for each of the odds. */
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
    /** What the partner was told after the Place bet. */
    toldOf: (betId: string) =>
      scene()
        .callsOf(betId)
        .slice(1)
        .map(({ operation, body }) => [operation, body.resultType, body.amount]),
  }
}
