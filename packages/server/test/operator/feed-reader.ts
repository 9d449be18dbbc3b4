/** Reads the wallet's feed to its end, as a consumer does. */
import { expect } from 'vitest'
import type { OperatorClient } from '../support/operator.ts'

export interface FeedEvent {
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
  const events: FeedEvent[] = []
  let next = after
  for (;;) {
    const page = await readPage(operator, next, limit)
    events.push(...page.data)
    next = page.next
    if (page.data.length === 0) return { events, next }
  }
}

/** Reads from the first event, one page at a time. */
export async function* feedOf(operator: OperatorClient): AsyncGenerator<FeedEvent> {
  for (let after = '0'; ; ) {
    const { data, next } = await readPage(operator, after, 500)
    yield* data
    if (data.length === 0) return
    after = next
  }
}

async function readPage(operator: OperatorClient, after: string | undefined, limit: number) {
  const query = new URLSearchParams({ limit: `${limit}`, ...(after !== undefined && { after }) })
  const { status, body } = await operator.request('GET', `/operator/changes?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as { data: FeedEvent[]; next: string }
}
