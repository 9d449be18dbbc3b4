/** Reads the platform's feed, so that the sandbox need not poll each bet. */
import type { BearerClient } from '../bearer-client.ts'
import type { BetDetail } from './bet-steps.ts'

export interface PlatformChange {
  readonly event: string
  readonly bet?: PlatformChangeBet
  readonly delivery?: { readonly betId: string }
}

export interface PlatformChangeBet {
  readonly betId: string
  readonly status: BetDetail['status']
  readonly resultType?: 'won' | 'lost' | 'refund' | 'cashout'
}

/** Events of one page. */
const PAGE = 500

/** Starts at the latest event. Each call returns the changes since the previous call. */
export async function followPlatformChanges(platform: BearerClient): Promise<() => Promise<PlatformChange[]>> {
  const read = (after: string) =>
    platform.fetchJson<{ data: PlatformChange[]; next: string }>('GET', `/changes?limit=${PAGE}&after=${after}`)
  let { next } = await read('latest')
  return async () => {
    const all: PlatformChange[] = []
    for (;;) {
      const page = await read(next)
      all.push(...page.data)
      next = page.next
      if (page.data.length < PAGE) return all
    }
  }
}
