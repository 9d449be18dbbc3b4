/**
 * Reads the bets of a day from both sides: from the wallet's API, and from the platform's API or
 * file.
 */

import { encodePathSegment } from '@purser/protocol/values/path-segment'
import { UUID } from '@purser/protocol/wire-ids'
import { CSV_OPTIONS, detectEncoding } from '@purser/runtime/text/csv-rules'
import { parse } from 'csv-parse/browser/esm/sync'
import {
  combineReadings,
  type PlatformSide,
  toWalletSide,
  type WalletBetView,
  type WalletSide,
} from 'purser/reconcile/bet-sides'
import { encodeQueryPart, getJson, getJsonOrNone } from '../../app/console-api.ts'
import { endOfDay, startOfDay } from '../../shared/charts/days.ts'
import {
  type BookComparison,
  compareBooks,
  type PlatformBetRow,
  parsePlatformFile,
  toPlatformSide,
} from './book-comparison.ts'

/** The most bets of a day that a page compares. `purser reconcile` has no limit. */
export const MAX_BETS = 20_000
/** The most bets that are read a second time, each with its own request. */
export const MAX_RECHECKED = 100
const PAGE = 500

export class TooManyBetsError extends Error {}

export interface BookSource {
  /** The base path of the platform's API. */
  readonly platform?: string
  /**
   * The id under which the platform knows this wallet. Absent if the platform has no other partner.
   */
  readonly partner?: string | undefined
  /** The bets as a CSV file, instead of the API. */
  readonly file?: File
}

export interface ComparisonRequest extends BookSource {
  readonly day: string
  /** The name of the platform whose bets are compared (W-43). */
  readonly name: string
}

/**
 * Bets that differ are read again, because a bet may change during the reading, and near midnight
 * the two books may have different days.
 *
 * The platform is read before and after the wallet. If its two answers differ, a call is in
 * progress.
 */
export async function compareDay(
  request: ComparisonRequest,
): Promise<BookComparison & { readonly isFirstLook?: true }> {
  const [ours, theirs] = await Promise.all([readWalletSides(request), readPlatformSides(request)])
  const first = compareBooks(ours, theirs)
  const again = [...new Set([...first.differs, ...first.onlyOurs, ...first.onlyTheirs].map(({ betId }) => betId))]
  if (again.length === 0) return first
  if (again.length > MAX_RECHECKED) return { ...first, isFirstLook: true }
  const before = await rereadPlatformSides(again, request)
  const oursNow = await rereadWalletSides(again, request)
  const afterwards = before && (await rereadPlatformSides(again, request))
  const sideOf = (sides: readonly PlatformSide[], id: string) => sides.find(({ betId }) => betId === id)
  const theirsNow = again.map((id) =>
    before && afterwards ? combineReadings(sideOf(before, id), sideOf(afterwards, id)) : sideOf(theirs, id),
  )
  const isUnchanged = ({ betId }: { readonly betId: string }) => !again.includes(betId)
  return compareBooks(
    [...ours.filter(isUnchanged), ...oursNow],
    [...theirs.filter(isUnchanged), ...theirsNow.filter((side) => side !== undefined)],
  )
}

const isOfPlatform =
  (name: string) =>
  ({ platform = '' }: WalletBetView) =>
    platform === name

async function readWalletSides({ day, name }: ComparisonRequest): Promise<WalletSide[]> {
  const bets = await readAllPages<WalletBetView>(`/operator/bets?from=${startOfDay(day)}&to=${endOfDay(day)}`)
  return bets.filter(isOfPlatform(name)).map(toWalletSide)
}

async function rereadWalletSides(ids: readonly string[], { name }: ComparisonRequest): Promise<WalletSide[]> {
  const pages = await Promise.all(
    ids.map((id) =>
      getJson<{ data: WalletBetView[] }>(`/operator/bets?transactionId=${encodeQueryPart(id)}&limit=100`),
    ),
  )
  return pages.flatMap(({ data }) => data.filter(isOfPlatform(name)).map(toWalletSide))
}

async function readPlatformSides({ day, platform, partner, file }: ComparisonRequest): Promise<PlatformSide[]> {
  if (file !== undefined) return parsePlatformFile(file.name, parseCsvRows(await readFileText(file)))
  const ofPartner = partner === undefined ? '' : `&partnerId=${encodeQueryPart(partner)}`
  const bets = await readAllPages<PlatformBetRow>(
    `${platform}/bets?from=${startOfDay(day)}&to=${endOfDay(day)}${ofPartner}`,
  )
  return bets.map(toPlatformSide)
}

/** Undefined for a file, which does not change. */
async function rereadPlatformSides(
  ids: readonly string[],
  request: ComparisonRequest,
): Promise<PlatformSide[] | undefined> {
  const { platform, partner, file } = request
  if (file !== undefined) return undefined
  const bets = await Promise.all(
    ids
      .filter((id) => UUID.test(id))
      .map((id) => getJsonOrNone<PlatformBetRow>(`${platform}/bets/${encodePathSegment(id)}`)),
  )
  const isOfPartner = ({ partnerId }: PlatformBetRow) => partner === undefined || partnerId === partner
  return bets.flatMap((bet) => (bet !== undefined && isOfPartner(bet) ? [toPlatformSide(bet)] : []))
}

/** `File.text` assumes UTF-8. */
async function readFileText(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return new TextDecoder(detectEncoding(bytes)).decode(bytes)
}

const parseCsvRows = (text: string): string[][] => parse(text, { ...CSV_OPTIONS, relax_column_count: true })

async function readAllPages<T>(path: string): Promise<T[]> {
  const found: T[] = []
  for (let after = ''; ; ) {
    const { data, next } = await getJson<{ data: T[]; next: string | null }>(`${path}&limit=${PAGE}${after}`)
    found.push(...data)
    if (next === null) return found
    if (found.length >= MAX_BETS) throw new TooManyBetsError(`there are more than ${MAX_BETS} bets on this day`)
    after = `&after=${encodeQueryPart(next)}`
  }
}
