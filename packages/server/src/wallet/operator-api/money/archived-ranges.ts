/**
 * The parts of a player's statement that are in archive files (O-13). They explain changes of the
 * balance that the listed transfers do not show.
 */

import { CurrencySchema } from '@purser/protocol/bet-request'
import { SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { type Static, Type } from 'typebox'
import { type CarriedBalance, readCarriedBalances } from '../../ledger/carried-balance.ts'
import { formatAmount, type OperatorDeps } from '../operator-context.ts'
import { formatTransferId } from './cash-movement.ts'

export const ArchivedRangeSchema = Type.Object({
  currency: CurrencySchema,
  transferId: Type.String({
    description: 'The last transfer in the last of these files. This transfer and all earlier ones are only in files.',
  }),
  at: Type.String({ format: 'date-time', description: 'The time of that transfer.' }),
  balance: Type.String({
    pattern: SIGNED_DECIMAL_PATTERN,
    description: 'The balance after that transfer, from which the listed transfers continue.',
  }),
  files: Type.Array(Type.Object({ file: Type.String(), account: Type.Integer() }), {
    description:
      'The files that can contain transfers of the requested time, with the number of the account in each. Files contain no player ids.',
  }),
})
export type ArchivedRange = Static<typeof ArchivedRangeSchema>

interface ArchivedRangeQuery {
  readonly currencies: readonly Currency[]
  readonly from?: Date
  readonly to?: Date
}

/**
 * Returns the ranges of each account that has archived transfers of the requested time. The caller
 * reads the other transfers first, so a transfer that is archived in between is in both results.
 */
export async function readArchivedRanges(
  deps: OperatorDeps,
  bucket: number,
  player: PlayerId,
  { currencies, from, to }: ArchivedRangeQuery,
): Promise<ArchivedRange[]> {
  const carried = await readCarriedBalances(deps.db.userQueries, bucket, player)
  return currencies.flatMap((currency) => {
    const own = carried.filter((one) => one.currency === currency)
    const ranges = own.filter(({ at }, i) => (from === undefined || from <= at) && canBeginBefore(own[i - 1], to))
    const last = ranges.at(-1)
    if (last === undefined) return []
    return {
      ...{ currency, transferId: formatTransferId(currency, last.version), at: last.at.toISOString() },
      balance: formatAmount(deps, last.balance, currency),
      files: ranges.map(({ file, place }) => ({ file, account: place })),
    }
  })
}

/** The start of the first file is unknown. */
function canBeginBefore(before: CarriedBalance | undefined, to: Date | undefined): boolean {
  return before === undefined || to === undefined || before.at < to
}

/** Characters; a spreadsheet cell holds 32,767, including the sentence around the names. */
const MAX_NAMES = 32_000

/** Text for people with the last files that fit into a cell; JSON has all files. */
export function describeFiles({ files }: Pick<ArchivedRange, 'files'>): string {
  const names = files.map(({ file, account }) => `${file} (account ${account})`)
  let room = MAX_NAMES
  const named = names.toReversed().filter((name) => {
    room -= name.length + 2
    return room >= 0
  })
  const older = names.length - named.length
  const rest = older === 0 ? [] : [`${older} older files (named in the statement as JSON)`]
  return [...rest, ...named.toReversed()].join(', ')
}
