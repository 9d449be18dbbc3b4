/**
 * Records received webhook events with little memory, so that millions fit: a short form of each
 * event, and the last position of each player.
 */
import { hash } from 'node:crypto'
import type { FeedEvent } from '../operator/feed-reader.ts'
import type { WebhookMessage } from './consumer.ts'

export interface ReceivedWebhooks {
  /** Acknowledged messages, including repeats. */
  readonly accepted: () => number
  readonly events: () => number
  /** Players whose later event was acknowledged before an earlier event. */
  readonly outOfOrder: readonly string[]
  /** The balance in EUR from the last event of each player. */
  readonly balances: ReadonlyMap<string, string>
  add(message: WebhookMessage): void
  /** True if this event has arrived with the same content. */
  has(event: FeedEvent): boolean
}

export function createReceivedWebhooks(): ReceivedWebhooks {
  const said: (string | undefined)[] = []
  const [outOfOrder, balances, last] = [[] as string[], new Map<string, string>(), new Map<string, number>()]
  let [accepted, events] = [0, 0]
  return {
    outOfOrder,
    balances,
    accepted: () => accepted,
    events: () => events,
    add({ data, status }) {
      if (status !== 200) return
      accepted += 1
      const id = Number(data.id)
      if (said[id] !== undefined) return
      events += 1
      said[id] = inShort(data)
      const player = playerOf(data)
      if (id < (last.get(player) ?? 0)) outOfOrder.push(`${player}: ${id} after ${last.get(player)}`)
      last.set(player, id)
      if (data.balance?.currency === 'EUR') balances.set(player, data.balance.amount ?? '')
    },
    has: (event) => said[Number(event.id)] === inShort(event),
  }
}

function playerOf({ bet, balance, player, session }: FeedEvent): string {
  return String((bet ?? balance ?? player ?? session)?.userId)
}

function inShort(event: FeedEvent): string {
  return hash('sha1', JSON.stringify(event), 'base64')
}
