/**
 * Compares all bets of the platform with the wallet's. Both sides are streams in the order of bet
 * ids, so memory does not grow with the number of bets.
 *
 * If both sides are in one database, one snapshot shows them at the same moment. Otherwise a bet
 * may change between the readings of the two sides. So a bet with a difference is read again. The
 * difference counts only if it is still there and the bet has not changed between the readings. A
 * wallet that is read through its API therefore needs no snapshot of the platform. Such a snapshot
 * would last until the last page is read.
 */

import type { ApiEndpoint } from '@purser/protocol/client/api-client'
import type { Db, Tx } from '../core/database/db.ts'
import { type BetComparison, compareBet, type IsPlacedByHand, type ReconcileFinding } from './bet-comparison.ts'
import {
  type BetPair,
  combineReadings,
  type Pages,
  type PlatformSide,
  type Platforms,
  type WalletSide,
} from './bet-sides.ts'
import { choosePartner, type PlatformReader, readPlatform, readPlatformPages, streamPlatform } from './platform-side.ts'
import { pairBets } from './stream-merge.ts'
import { readWalletBets, readWalletPages } from './wallet-api.ts'
import { type BetKey, readWallet, streamWallet } from './wallet-database.ts'

export type WalletSource =
  /** The wallet's tables are in the platform's database. */
  | { readonly kind: 'same' }
  | { readonly kind: 'database'; readonly db: Db }
  | { readonly kind: 'api'; readonly api: ApiEndpoint }

export interface ReconcileOptions {
  readonly platform: Db
  readonly wallet: WalletSource
  /** Optional for a platform with one partner. */
  readonly partnerId?: string | undefined
  /** Required when the wallet has bets of named platforms. */
  readonly platforms?: Platforms
  readonly byHand?: IsPlacedByHand
  /**
   * Selects players by `userId`, when the wallet has only some of the partner's players, as with a
   * gateway.
   */
  readonly only?: ((userId: string) => boolean) | undefined
}

export interface Summary {
  /** Null when the platform is a file. */
  readonly partnerId: string | null
  /** Bet ids on either side. */
  readonly bets: number
  /** Bets with a call under way, which are not comparable. */
  readonly inFlight: number
  readonly differences: number
  readonly notes: number
}

/** Calls `found` with each finding, nearly in the order of bet ids. */
export async function reconcile(
  options: ReconcileOptions,
  found: (finding: ReconcileFinding) => void,
): Promise<Summary> {
  const { platform, wallet, platforms } = options
  const partnerId = await choosePartner(platform, options.partnerId)
  const reader = { partnerId, only: options.only ?? (() => true) }
  const run = { reader, found, byHand: options.byHand ?? (() => false) }
  switch (wallet.kind) {
    case 'same':
      return platform.snapshot((tx) => compareStreams(run, streamPlatform(tx, reader), streamWallet(tx, platforms)))
    case 'database':
      return wallet.db.snapshot((walletTx) => {
        const now = chooseReader(wallet.db, walletTx)
        return platform.snapshot((tx) =>
          compareStreams(run, streamPlatform(tx, reader), streamWallet(walletTx, platforms), {
            platform: chooseReader(platform, tx),
            readWallet: (keys) => readWallet(now, keys, platforms),
          }),
        )
      })
    case 'api':
      return compareStreams(run, readPlatformPages(platform, reader), readWalletPages(wallet.api, platforms), {
        platform,
        readWallet: (keys) => readWalletBets(wallet.api, keys, platforms),
      })
    default:
      return wallet satisfies never
  }
}

type Reading = Pick<Tx, 'query'>

/**
 * Reads committed state. An embedded database has one connection, which belongs to the snapshot.
 */
function chooseReader(db: Db, snapshot: Tx): Reading {
  return db.kind === 'pglite' ? snapshot : db
}

interface ReconcileRun {
  readonly reader: PlatformReader
  readonly byHand: IsPlacedByHand
  readonly found: (finding: ReconcileFinding) => void
}

/** Readers of both sides outside the snapshots. */
interface CurrentReaders {
  readonly platform: Reading
  readWallet(keys: readonly BetKey[]): Promise<WalletSide[]>
}

/** Pairs in one repeated reading. */
const REREAD_SLICE = 200

/** `now` is for sides with different snapshots. */
async function compareStreams(
  run: ReconcileRun,
  platform: Pages<PlatformSide>,
  wallet: Pages<WalletSide>,
  now?: CurrentReaders,
): Promise<Summary> {
  const { reader, byHand } = run
  const tally = createReconcileTally(run.found)
  let doubtful: BetPair[] = []
  const settleDoubtful = async () => {
    if (now === undefined || doubtful.length === 0) return
    for (const fresh of await rereadPairs(reader, now, doubtful)) tally.tell(compareBet(fresh, byHand))
    doubtful = []
  }
  for await (const betPair of pairBets(platform, wallet)) {
    const verdict = compareBet(betPair, byHand)
    tally.count.bets += 1
    if (now !== undefined && verdict.findings.some(({ type }) => type === 'difference')) doubtful.push(betPair)
    else tally.tell(verdict)
    if (doubtful.length >= REREAD_SLICE) await settleDoubtful()
  }
  await settleDoubtful()
  return { partnerId: reader.partnerId, ...tally.count }
}

export function createReconcileTally(found: ReconcileRun['found']) {
  const count = { bets: 0, inFlight: 0, differences: 0, notes: 0 }
  const record = ({ inFlight, findings }: BetComparison) => {
    if (inFlight) count.inFlight += 1
    for (const finding of findings) {
      count[finding.type === 'note' ? 'notes' : 'differences'] += 1
      found(finding)
    }
  }
  return { count, tell: record }
}

/** Reads the pairs again. A bet that changed between two readings of the platform is in flight. */
async function rereadPairs(reader: PlatformReader, now: CurrentReaders, pairs: readonly BetPair[]): Promise<BetPair[]> {
  const betIds = pairs.map(({ betId }) => betId)
  const before = await readPlatform(now.platform, reader, betIds)
  const sides = await now.readWallet(pairs.flatMap(toWalletKeys))
  const after = await readPlatform(now.platform, reader, betIds)
  return betIds.map((betId) => {
    const wallet = sides.filter((side) => side.betId === betId)
    return { betId, platform: combineReadings(before.get(betId), after.get(betId)), wallet }
  })
}

function toWalletKeys({ betId, platform, wallet }: BetPair): BetKey[] {
  const named = (platform?.players ?? []).map((player): BetKey => ({ player, betId }))
  const found = wallet.map(({ player, bucket }): BetKey => ({ player, betId, bucket }))
  return [...new Map([...named, ...found].map((key) => [`${key.bucket} ${key.player}`, key])).values()]
}
