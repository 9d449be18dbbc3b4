/**
 * Compares every bet of the platform with the wallet's. Both sides are read as streams in the order of bet ids and merged,
 * so that memory does not grow with their number.
 *
 * When both are in one database, one snapshot holds them as they were at one moment. When not, a bet may have moved
 * between the two readings: what differs is looked at again, and counts only if it still differs while nothing happens to it.
 */
import type { Db, Tx } from '../db/db.ts'
import type { OwnApi } from '../http/own-api.ts'
import { type ByHand, type Finding, judge, type Verdict } from './compare.ts'
import { pair } from './merge.ts'
import { choosePartner, type PlatformReader, readPlatform, streamPlatform } from './platform-side.ts'
import { aroundWallet, type Pages, type Pair, type Platforms, type WalletSide } from './sides.ts'
import { byIdAndPlayer, sortById } from './sorted-runs.ts'
import { readBets, readPages } from './wallet-api.ts'
import { type BetKey, readWallet, streamWallet } from './wallet-database.ts'

export type WalletSource =
  /** In the platform's database. */
  | { readonly kind: 'same' }
  | { readonly kind: 'database'; readonly db: Db }
  | { readonly kind: 'api'; readonly api: OwnApi }

export interface ReconcileOptions {
  readonly platform: Db
  readonly wallet: WalletSource
  /** May be left out when the platform has one. */
  readonly partnerId?: string | undefined
  /** Needed when the wallet has bets of platforms with names. */
  readonly platforms?: Platforms
  readonly byHand?: ByHand
  /** The platform's players to look at, by `userId`, when the wallet has only some of a partner's: behind a gateway. */
  readonly only?: ((userId: string) => boolean) | undefined
}

export interface Summary {
  /** Null when the platform is a file. */
  readonly partnerId: string | null
  /** Bet ids that were looked at, on either side. */
  readonly bets: number
  /** Not comparable: a call about them is on its way. */
  readonly inFlight: number
  readonly differences: number
  readonly notes: number
}

/** Tells `found` every finding, nearly in the order of bet ids, and resolves when everything is compared. */
export async function reconcile(options: ReconcileOptions, found: (finding: Finding) => void): Promise<Summary> {
  const { platform, wallet, platforms } = options
  const partnerId = await choosePartner(platform, options.partnerId)
  const reader = { partnerId, only: options.only ?? (() => true) }
  const run = { reader, found, byHand: options.byHand ?? (() => false) }
  switch (wallet.kind) {
    case 'same':
      return platform.snapshot((tx) => compareAll(run, tx, streamWallet(tx, platforms)))
    case 'database':
      return wallet.db.snapshot((walletTx) => {
        const now = nowOf(wallet.db, walletTx)
        return platform.snapshot((tx) =>
          compareAll(run, tx, streamWallet(walletTx, platforms), {
            platform: nowOf(platform, tx),
            readWallet: (keys) => readWallet(now, keys, platforms),
          }),
        )
      })
    case 'api':
      return compareWithApi(run, platform, wallet.api, platforms)
    default:
      return wallet satisfies never
  }
}

/** The API is read to its end before the platform's snapshot is taken, which should not be held for so long. */
async function compareWithApi(run: Run, platform: Db, api: OwnApi, platforms: Platforms): Promise<Summary> {
  const sorted = await sortById(readPages(api, platforms), byIdAndPlayer)
  try {
    return await platform.snapshot((tx) =>
      compareAll(run, tx, sorted.pages, {
        platform: nowOf(platform, tx),
        readWallet: (keys) => readBets(api, keys, platforms),
      }),
    )
  } finally {
    await sorted.close()
  }
}

type Reading = Pick<Tx, 'query'>

/** What is committed now. An embedded database is this process's alone, and its one connection is taken by the snapshot. */
function nowOf(db: Db, snapshot: Tx): Reading {
  return db.kind === 'pglite' ? snapshot : db
}

interface Run {
  readonly reader: PlatformReader
  readonly byHand: ByHand
  readonly found: (finding: Finding) => void
}

/** Both sides outside the snapshots. */
interface Now {
  readonly platform: Reading
  readWallet(keys: readonly BetKey[]): Promise<WalletSide[]>
}

/** Pairs that are looked at again in one go. */
const SLICE = 200

/** `now` is for sides that were not read at one moment. */
async function compareAll(run: Run, tx: Tx, wallet: Pages<WalletSide>, now?: Now): Promise<Summary> {
  const { reader, byHand } = run
  const tally = createTally(run.found)
  let doubtful: Pair[] = []
  const settleDoubts = async () => {
    if (now === undefined || doubtful.length === 0) return
    for (const fresh of await lookAgain(reader, now, doubtful)) tally.tell(judge(fresh, byHand))
    doubtful = []
  }
  for await (const one of pair(streamPlatform(tx, reader), wallet)) {
    const verdict = judge(one, byHand)
    tally.count.bets += 1
    if (now !== undefined && verdict.findings.some(({ type }) => type === 'difference')) doubtful.push(one)
    else tally.tell(verdict)
    if (doubtful.length >= SLICE) await settleDoubts()
  }
  await settleDoubts()
  return { partnerId: reader.partnerId, ...tally.count }
}

export function createTally(found: Run['found']) {
  const count = { bets: 0, inFlight: 0, differences: 0, notes: 0 }
  const tell = ({ inFlight, findings }: Verdict) => {
    if (inFlight) count.inFlight += 1
    for (const finding of findings) {
      count[finding.type === 'note' ? 'notes' : 'differences'] += 1
      found(finding)
    }
  }
  return { count, tell }
}

/**
 * The pairs as they are now. The platform is read before and after the wallet: a bet to which something happened in
 * between is in flight.
 */
async function lookAgain(reader: PlatformReader, now: Now, pairs: readonly Pair[]): Promise<Pair[]> {
  const betIds = pairs.map(({ betId }) => betId)
  const before = await readPlatform(now.platform, reader, betIds)
  const sides = await now.readWallet(pairs.flatMap(keysOf))
  const after = await readPlatform(now.platform, reader, betIds)
  return betIds.map((betId) => {
    const wallet = sides.filter((side) => side.betId === betId)
    return { betId, platform: aroundWallet(before.get(betId), after.get(betId)), wallet }
  })
}

function keysOf({ betId, platform, wallet }: Pair): BetKey[] {
  const named = (platform?.players ?? []).map((player): BetKey => ({ player, betId }))
  const found = wallet.map(({ player, bucket }): BetKey => ({ player, betId, bucket }))
  return [...new Map([...named, ...found].map((key) => [`${key.bucket} ${key.player}`, key])).values()]
}
