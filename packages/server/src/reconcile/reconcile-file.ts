/**
 * Compares the bets in a CSV file of another platform with the wallet's bets. Each bet is read
 * once, because the file does not change.
 */
import { compareBet, type ReconcileFinding } from './bet-comparison.ts'
import type { Pages, Platforms, WalletSide } from './bet-sides.ts'
import { compareIdAndPlayer, sortById } from './external-sort.ts'
import { openPlatformCsv } from './platform-csv.ts'
import { createReconcileTally, type Summary, type WalletSource } from './reconcile.ts'
import { pairBets } from './stream-merge.ts'
import { readWalletPages } from './wallet-api.ts'
import { streamWallet } from './wallet-database.ts'

/** Calls `found` with each finding, in the order of bet ids. */
export async function reconcileFile(
  path: string,
  wallet: Exclude<WalletSource, { kind: 'same' }>,
  platforms: Platforms,
  found: (finding: ReconcileFinding) => void,
): Promise<Summary> {
  const file = await openPlatformCsv(path)
  const compare = async (walletPages: Pages<WalletSide>) => {
    const tally = createReconcileTally(found)
    for await (const betPair of pairBets(file.pages, walletPages)) {
      tally.count.bets += 1
      tally.tell(compareBet(betPair, () => false))
    }
    return { partnerId: null, ...tally.count }
  }
  try {
    if (wallet.kind === 'database') return await wallet.db.snapshot((tx) => compare(streamWallet(tx, platforms)))
    const sorted = await sortById(readWalletPages(wallet.api, platforms), compareIdAndPlayer)
    return await compare(sorted.pages).finally(sorted.close)
  } finally {
    await file.close()
  }
}
