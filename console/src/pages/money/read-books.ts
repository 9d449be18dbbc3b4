/** Where the two books of a day are read from: the wallet's API, and the platform's API or a file. */

import { parse } from 'csv-parse/browser/esm/sync'
import { UUID } from '../../../../src/protocol/ids.ts'
import { pathPart } from '../../../../src/protocol/path-part.ts'
import {
  aroundWallet,
  type BetView,
  type PlatformSide,
  toWalletSide,
  type WalletSide,
} from '../../../../src/reconcile/sides.ts'
import { CSV_OPTIONS, encodingOf } from '../../../../src/runtime/csv-rules.ts'
import { part, read, readOrNone } from '../../api.ts'
import { endOf, startOf } from '../../days.ts'
import { type Compared, compareBooks, sideOfTheirs, sidesOfFile, type TheirBet } from './books.ts'

/** Bets of a day that a page compares; `purser reconcile` has no such end. */
export const MOST_BETS = 20_000
/** Bets that are looked at once more, each alone. */
export const MOST_AGAIN = 100
const PAGE = 500

export class TooMany extends Error {}

export interface Source {
  /** Of the platform whose API this console has. */
  readonly platform?: string
  /** Of its partners, the one that this wallet is; absent: it has no other. */
  readonly partner?: string | undefined
  /** Else a file of its bets. */
  readonly file?: File
}

export interface Asked extends Source {
  readonly day: string
  /** Whose bets of the wallet (W-43). */
  readonly name: string
}

/**
 * What differs is looked at once more: a bet moves while its books are read, and one near midnight is on another day there. The platform is asked
 * before the wallet and behind it: what it says of a bet both times was so when the wallet was asked, and else the bet is on its way.
 */
export async function compareDay(asked: Asked): Promise<Compared & { readonly isFirstLook?: true }> {
  const [ours, theirs] = await Promise.all([ourBets(asked), theirBets(asked)])
  const first = compareBooks(ours, theirs)
  const again = [...new Set([...first.differs, ...first.onlyOurs, ...first.onlyTheirs].map(({ betId }) => betId))]
  if (again.length === 0) return first
  if (again.length > MOST_AGAIN) return { ...first, isFirstLook: true }
  const before = await theirBetsNow(again, asked)
  const oursNow = await ourBetsNow(again, asked)
  const behind = before && (await theirBetsNow(again, asked))
  const sideOf = (sides: readonly PlatformSide[], id: string) => sides.find(({ betId }) => betId === id)
  const theirsNow = again.map((id) =>
    before && behind ? aroundWallet(sideOf(before, id), sideOf(behind, id)) : sideOf(theirs, id),
  )
  const isKept = ({ betId }: { readonly betId: string }) => !again.includes(betId)
  return compareBooks(
    [...ours.filter(isKept), ...oursNow],
    [...theirs.filter(isKept), ...theirsNow.filter((side) => side !== undefined)],
  )
}

const isOf =
  (name: string) =>
  ({ platform = '' }: BetView) =>
    platform === name

async function ourBets({ day, name }: Asked): Promise<WalletSide[]> {
  const bets = await all<BetView>(`/operator/bets?from=${startOf(day)}&to=${endOf(day)}`)
  return bets.filter(isOf(name)).map(toWalletSide)
}

async function ourBetsNow(ids: readonly string[], { name }: Asked): Promise<WalletSide[]> {
  const pages = await Promise.all(
    ids.map((id) => read<{ data: BetView[] }>(`/operator/bets?transactionId=${part(id)}&limit=100`)),
  )
  return pages.flatMap(({ data }) => data.filter(isOf(name)).map(toWalletSide))
}

async function theirBets({ day, platform, partner, file }: Asked): Promise<PlatformSide[]> {
  if (file !== undefined) return sidesOfFile(file.name, rowsOf(await textOf(file)))
  const ofPartner = partner === undefined ? '' : `&partnerId=${part(partner)}`
  const bets = await all<TheirBet>(`${platform}/bets?from=${startOf(day)}&to=${endOf(day)}${ofPartner}`)
  return bets.map(sideOfTheirs)
}

/** Undefined of a file, which is as it was. */
async function theirBetsNow(ids: readonly string[], asked: Asked): Promise<PlatformSide[] | undefined> {
  const { platform, partner, file } = asked
  if (file !== undefined) return undefined
  const bets = await Promise.all(
    ids.filter((id) => UUID.test(id)).map((id) => readOrNone<TheirBet>(`${platform}/bets/${pathPart(id)}`)),
  )
  const isOfPartner = ({ partnerId }: TheirBet) => partner === undefined || partnerId === partner
  return bets.flatMap((bet) => (bet !== undefined && isOfPartner(bet) ? [sideOfTheirs(bet)] : []))
}

/** `File.text` would take every file for UTF-8. */
async function textOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return new TextDecoder(encodingOf(bytes)).decode(bytes)
}

const rowsOf = (text: string): string[][] => parse(text, { ...CSV_OPTIONS, relax_column_count: true })

async function all<T>(path: string): Promise<T[]> {
  const found: T[] = []
  for (let after = ''; ; ) {
    const { data, next } = await read<{ data: T[]; next: string | null }>(`${path}&limit=${PAGE}${after}`)
    found.push(...data)
    if (next === null) return found
    if (found.length >= MOST_BETS) throw new TooMany(`there are more than ${MOST_BETS} bets on this day`)
    after = `&after=${part(next)}`
  }
}
