/** Reads the wallet's feed to its end, as a consumer does. */
import { expect } from 'vitest'
import type { OperatorClient } from '../support/operator.ts'

export interface ToldEvent {
  readonly id: string
  readonly event: string
  readonly version: number
  readonly at: string
  readonly bet?: Record<string, unknown>
  readonly balance?: Record<string, string>
  readonly player?: Record<string, unknown>
  readonly session?: Record<string, unknown>
}

export async function readFeed(operator: OperatorClient, after?: string, limit = 500) {
  const events: ToldEvent[] = []
  let next = after
  for (;;) {
    const query = new URLSearchParams({ limit: `${limit}`, ...(next !== undefined && { after: next }) })
    const { status, body } = await operator.request('GET', `/operator/changes?${query}`)
    expect(status, JSON.stringify(body)).toBe(200)
    const page = body as unknown as { data: ToldEvent[]; next: string }
    events.push(...page.data)
    next = page.next
    if (page.data.length === 0) return { events, next }
  }
}
