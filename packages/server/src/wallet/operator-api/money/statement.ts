/**
 * Statement of a player: the transfers that changed the balance, newest first, with their notes.
 */

import { CurrencySchema, RequestIdSchema } from '@purser/protocol/bet-request'
import { money, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import { type Static, Type } from 'typebox'
import {
  decodeCursor,
  encodeCursor,
  invalidCursorProblem,
  noUnknownMembers,
  pageQuery,
  parseLimit,
  timeRangeQuery,
  toPageSchema,
  toTimeRange,
} from '../../../core/http/api/pagination.ts'
import { booleanParameter } from '../../../core/http/api/query-parameters.ts'
import { MAX_SCANNED_ROWS } from '../../../core/http/api/scan-limit.ts'
import { readAccounts } from '../../ledger/account.ts'
import { effectOnPlayer, TRANSFER_KINDS } from '../../ledger/posting.ts'
import { readStatement, type StatementPosition, type Transfer } from '../../ledger/transfer.ts'
import { LineBetSchema, readLineBets } from '../bets/bet-summaries.ts'
import { findPlayer, formatAmount, type OperatorDeps, toCurrency } from '../operator-context.ts'
import { StoredBetIdSchema } from '../operator-schemas.ts'
import { ArchivedRangeSchema, readArchivedRanges } from './archived-ranges.ts'
import { formatTransferId } from './cash-movement.ts'
import { readMovementNotes } from './movement-notes.ts'

const signedDecimal = (description: string) => Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description })
const ofAdjustment = (description: string) =>
  Type.Optional(Type.String({ description: `Only on an adjustment: ${description}` }))

export const betsQuery = booleanParameter(
  "If true, each line that belongs to a bet contains the bet's status and selections. CSV has no such columns.",
)
export const StatementQuerySchema = Type.Object(
  {
    currency: Type.Optional(CurrencySchema),
    kind: Type.Optional(Type.Enum([...TRANSFER_KINDS], { description: 'Only transfers of this kind.' })),
    bets: betsQuery,
    ...timeRangeQuery,
    ...pageQuery,
  },
  noUnknownMembers,
)
export const TransferSchema = Type.Object({
  transferId: Type.String(),
  kind: Type.Enum([...TRANSFER_KINDS]),
  currency: CurrencySchema,
  amount: signedDecimal("The signed change of the player's balance."),
  balance: signedDecimal('The balance after this transfer.'),
  transactionId: Type.Optional(StoredBetIdSchema),
  requestId: Type.Optional(RequestIdSchema),
  reference: Type.Optional(Type.String()),
  despiteExclusion: Type.Optional(
    Type.Literal(true, {
      description: 'Present on a deposit that was made although the player was blocked or self-excluded (O-3).',
    }),
  ),
  reason: ofAdjustment('the reason (O-2).'),
  person: ofAdjustment('the person who decided it.'),
  ticket: ofAdjustment('the ticket of the request.'),
  approvedBy: ofAdjustment('the person who approved it, if it needed approval (W-27).'),
  at: Type.String({ format: 'date-time' }),
})
export const StatementLineSchema = Type.Object({ ...TransferSchema.properties, bet: Type.Optional(LineBetSchema) })
export const StatementSchema = Type.Object({
  ...toPageSchema(StatementLineSchema).properties,
  archived: Type.Optional(
    Type.Array(ArchivedRangeSchema, {
      description:
        'Present on the last page: accounts with archived transfers of the requested time (O-13). These transfers are in files, not in this list.',
    }),
  ),
})

export async function getStatement(deps: OperatorDeps, userId: string, query: Static<typeof StatementQuerySchema>) {
  const { player, bucket } = await findPlayer(deps, userId)
  const currency = query.currency === undefined ? undefined : toCurrency(deps, query.currency, '/query/currency')
  const { kind } = query
  const limit = parseLimit(query)
  const accounts = await readAccounts(deps.db.userQueries, bucket, [player.id])
  const continued = parsePositions(decodeCursor(query.after)?.ids)
  const chosen = accounts.filter((account) => currency === undefined || account.currency === currency)
  const places = chosen
    .map((account) => ({ currency: account.currency, below: continued?.get(account.currency) ?? account.version + 1n }))
    .filter((place) => continued === undefined || continued.has(place.currency))
  const scanLimit = kind === undefined ? limit + 1 : MAX_SCANNED_ROWS
  const range = toTimeRange(query)
  const rows = await readStatement(deps.db.userQueries, bucket, player.id, { places, ...range, limit: scanLimit })
  const found = rows.flatMap((row, i) => (kind === undefined || row.kind === kind ? [i] : []))
  const last = found[limit] === undefined ? rows.length - 1 : (found[limit - 1] as number)
  const shown = rows.slice(0, last + 1).filter((row) => kind === undefined || row.kind === kind)
  const renderLine = await createLineRenderer(deps, shown, query.bets === 'true')
  const isWhole = found[limit] === undefined && rows.length < scanLimit
  const currencies = chosen.map((account) => account.currency)
  const archived = isWhole ? await readArchivedRanges(deps, bucket, player.id, { currencies, ...range }) : []
  return {
    data: shown.map(renderLine),
    next: isWhole
      ? null
      : encodeCursor([(rows[last] as Transfer).at.toISOString(), ...formatPositions(places, rows.slice(0, last + 1))]),
    ...(archived.length > 0 && { archived }),
  }
}

/** Returns a renderer of lines; `withBets` adds the bet of each line. */
export async function createLineRenderer(deps: OperatorDeps, transfers: readonly Transfer[], withBets: boolean) {
  const findNote = await readMovementNotes(deps, transfers)
  const findBet = await readLineBets(deps, withBets ? transfers : [])
  return (transfer: Transfer): Static<typeof StatementLineSchema> => ({
    ...renderTransfer(deps, transfer),
    ...findNote(transfer),
    ...findBet(transfer),
  })
}

/**
 * Positions of a cursor: each account with the number below which it continues. Accounts that are
 * not named are finished or were not listed.
 */
function parsePositions(parts: readonly string[] | undefined): Map<string, bigint> | undefined {
  if (parts === undefined) return undefined
  const pairs = parts.flatMap((part, i) => (i % 2 === 0 ? [[part, parseVersion(parts[i + 1])] as const] : []))
  return new Map(pairs)
}

function formatPositions(places: readonly StatementPosition[], shown: readonly Transfer[]): string[] {
  return places.flatMap(({ currency, below }) => {
    const last = shown.findLast((transfer) => transfer.currency === currency)
    const next = last?.version ?? below
    return next > 1n ? [currency, String(next)] : []
  })
}

export function parseVersion(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,18}$/.test(text)) throw invalidCursorProblem()
  return BigInt(text)
}

/** The amount is signed as for the player. */
export function renderTransfer(deps: OperatorDeps, transfer: Transfer) {
  const { currency, kind, version, balanceAfter, betId, requestId, reference, at } = transfer
  return {
    transferId: formatTransferId(currency, version),
    kind,
    currency,
    amount: formatAmount(deps, money(effectOnPlayer(transfer)), currency),
    balance: formatAmount(deps, balanceAfter, currency),
    ...(betId !== undefined && { transactionId: betId }),
    ...(requestId !== undefined && { requestId }),
    ...(reference !== undefined && { reference }),
    at: at.toISOString(),
  }
}
