/** Compares the bets of another platform, which are in a file, with a wallet's. Each bet is looked at once: a file does not move. */
import { type Finding, judge } from './compare.ts'
import { pair } from './merge.ts'
import { openPlatformCsv } from './platform-csv.ts'
import { createTally, type Summary, type WalletSource } from './reconcile.ts'
import type { Pages, Platforms, WalletSide } from './sides.ts'
import { byIdAndPlayer, sortById } from './sorted-runs.ts'
import { readPages } from './wallet-api.ts'
import { streamWallet } from './wallet-database.ts'

/** Tells `found` every finding in the order of bet ids, and resolves when everything is compared. */
export async function reconcileFile(
  path: string,
  wallet: Exclude<WalletSource, { kind: 'same' }>,
  platforms: Platforms,
  found: (finding: Finding) => void,
): Promise<Summary> {
  const file = await openPlatformCsv(path)
  const compare = async (walletPages: Pages<WalletSide>) => {
    const tally = createTally(found)
    for await (const one of pair(file.pages, walletPages)) {
      tally.count.bets += 1
      tally.tell(judge(one, () => false))
    }
    return { partnerId: null, ...tally.count }
  }
  try {
    if (wallet.kind === 'database') return await wallet.db.snapshot((tx) => compare(streamWallet(tx, platforms)))
    const sorted = await sortById(readPages(wallet.api, platforms), byIdAndPlayer)
    return await compare(sorted.pages).finally(sorted.close)
  } finally {
    await file.close()
  }
}
