/**
 * Merges two streams of bets in the order of bet ids into pairs. Memory holds one page of each
 * stream.
 */
import { type BetPair, compareIds, type Pages, type PlatformSide, type WalletSide } from './bet-sides.ts'

/** Yields each bet id once, in order. */
export async function* pairBets(platform: Pages<PlatformSide>, wallet: Pages<WalletSide>): AsyncGenerator<BetPair> {
  const [left, right] = [createPageReader(platform), createPageReader(wallet)]
  try {
    for (;;) {
      const [mine, theirs] = [left.peek() ?? (await left.more()), right.peek() ?? (await right.more())]
      const betId = earlierBetId(mine, theirs)
      if (betId === undefined) return
      yield {
        betId,
        platform: mine?.betId === betId ? left.take() : undefined,
        wallet: theirs?.betId === betId ? await takeWalletBets(right, betId) : [],
      }
    }
  } finally {
    await Promise.all([left.close(), right.close()])
  }
}

function earlierBetId(a: PlatformSide | undefined, b: WalletSide | undefined): string | undefined {
  if (a === undefined || b === undefined) return (a ?? b)?.betId
  return compareIds(a.betId, b.betId) <= 0 ? a.betId : b.betId
}

async function takeWalletBets(wallet: PageReader<WalletSide>, betId: string): Promise<WalletSide[]> {
  const found: WalletSide[] = []
  while ((wallet.peek() ?? (await wallet.more()))?.betId === betId) found.push(wallet.take() as WalletSide)
  return found
}

interface PageReader<T> {
  /** The next item if its page is loaded. */
  peek(): T | undefined
  /** Loads pages until an item is available; undefined at the end. */
  more(): Promise<T | undefined>
  take(): T | undefined
  close(): Promise<void>
}

function createPageReader<T>(pages: Pages<T>): PageReader<T> {
  const iterator = pages[Symbol.asyncIterator]()
  let page: readonly T[] = []
  let next = 0
  return {
    peek: () => page[next],
    async more() {
      while (next >= page.length) {
        const result = await iterator.next()
        if (result.done) return undefined
        page = result.value
        next = 0
      }
      return page[next]
    },
    take: () => page[next++],
    close: async () => void (await iterator.return?.()),
  }
}
