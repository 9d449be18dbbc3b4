/** What has happened on the platform since the last look, off its feed: nobody asks bet by bet whether anything has. */
import type { Api } from './api.ts'
import type { BetDetail } from './life.ts'

export interface Change {
  readonly event: string
  readonly bet?: ChangedBet
  readonly delivery?: { readonly betId: string }
}

export interface ChangedBet {
  readonly betId: string
  readonly status: BetDetail['status']
  readonly resultType?: 'won' | 'lost' | 'refund' | 'cashout'
}

/** Events of one page. */
const PAGE = 500

/** Begins now. Each look gives what has come since the one before. */
export async function followChanges(platform: Api): Promise<() => Promise<Change[]>> {
  const read = (after: string) =>
    platform.get<{ data: Change[]; next: string }>('GET', `/changes?limit=${PAGE}&after=${after}`)
  let { next } = await read('latest')
  return async () => {
    const all: Change[] = []
    for (;;) {
      const page = await read(next)
      all.push(...page.data)
      next = page.next
      if (page.data.length < PAGE) return all
    }
  }
}
