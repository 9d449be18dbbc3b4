/** The statement: a player's transfers that touched the balance, newest first, with what is known of them beside the ledger. */
import { type Static, Type } from 'typebox'
import { MAX_LOOKED_AT } from '../http/looked-at.ts'
import {
  decodeCursor,
  encodeCursor,
  limitOf,
  noCursor,
  onlyKnown,
  pageOf,
  pageQuery,
  timeRangeQuery,
  toTimeRange,
} from '../http/page.ts'
import { flagInQuery } from '../http/query.ts'
import { readAccounts } from '../ledger/account.ts'
import { effectOnPlayer, TRANSFER_KINDS } from '../ledger/posting.ts'
import { readStatement, type StatementPlace, type Transfer } from '../ledger/transfer.ts'
import { CurrencySchema, RequestIdSchema } from '../protocol/bet-request.ts'
import { money, SIGNED_DECIMAL_PATTERN } from '../protocol/money.ts'
import { ArchivedSchema, readArchived } from './archived.ts'
import { BetOfLineSchema, betsOfLines } from './described.ts'
import { transferId } from './movement.ts'
import { notesOn } from './movement-notes.ts'
import { findPlayer, type OperatorDeps, show, toCurrency } from './operator.ts'
import { BetIdSchema } from './shapes.ts'

const signedDecimal = (description: string) => Type.String({ pattern: SIGNED_DECIMAL_PATTERN, description })
const ofAdjustment = (description: string) =>
  Type.Optional(Type.String({ description: `Of an adjustment: ${description}` }))

export const betsQuery = flagInQuery('true: each line of a bet with how the bet stands and what it is on; not in CSV.')
export const StatementQuerySchema = Type.Object(
  {
    currency: Type.Optional(CurrencySchema),
    kind: Type.Optional(Type.Enum([...TRANSFER_KINDS], { description: 'Only transfers of this kind.' })),
    bets: betsQuery,
    ...timeRangeQuery,
    ...pageQuery,
  },
  onlyKnown,
)
export const TransferSchema = Type.Object({
  transferId: Type.String(),
  kind: Type.Enum([...TRANSFER_KINDS]),
  currency: CurrencySchema,
  amount: signedDecimal("Signed: what it does to the player's balance."),
  balance: signedDecimal('After this transfer.'),
  transactionId: Type.Optional(BetIdSchema),
  requestId: Type.Optional(RequestIdSchema),
  reference: Type.Optional(Type.String()),
  despiteExclusion: Type.Optional(
    Type.Literal(true, { description: 'A deposit to a player who was blocked or self-excluded then (O-3).' }),
  ),
  reason: ofAdjustment('why it was made (O-2).'),
  person: ofAdjustment('who decided it.'),
  ticket: ofAdjustment('where it was asked for.'),
  approvedBy: ofAdjustment('the second person, where it needed one (W-27).'),
  at: Type.String({ format: 'date-time' }),
})
/** A transfer among others. */
export const LineSchema = Type.Object({ ...TransferSchema.properties, bet: Type.Optional(BetOfLineSchema) })
export const StatementSchema = Type.Object({
  ...pageOf(LineSchema).properties,
  archived: Type.Optional(
    Type.Array(ArchivedSchema, {
      description:
        'On the last page: the accounts of which transfers of the time asked for lie in files (O-13), and are not in this list.',
    }),
  ),
})

export async function getStatement(deps: OperatorDeps, userId: string, query: Static<typeof StatementQuerySchema>) {
  const { player, bucket } = await findPlayer(deps, userId)
  const currency = query.currency === undefined ? undefined : toCurrency(deps, query.currency, '/query/currency')
  const { kind } = query
  const limit = limitOf(query)
  const accounts = await readAccounts(deps.db.people, bucket, [player.id])
  const begun = toPlaces(decodeCursor(query.after)?.ids)
  const asked = accounts.filter((account) => currency === undefined || account.currency === currency)
  const places = asked
    .map((account) => ({ currency: account.currency, below: begun?.get(account.currency) ?? account.version + 1n }))
    .filter((place) => begun === undefined || begun.has(place.currency))
  const looked = kind === undefined ? limit + 1 : MAX_LOOKED_AT
  const range = toTimeRange(query)
  const rows = await readStatement(deps.db.people, bucket, player.id, { places, ...range, limit: looked })
  const found = rows.flatMap((row, i) => (kind === undefined || row.kind === kind ? [i] : []))
  const last = found[limit] === undefined ? rows.length - 1 : (found[limit - 1] as number)
  const shown = rows.slice(0, last + 1).filter((row) => kind === undefined || row.kind === kind)
  const showLine = await lineShower(deps, shown, query.bets === 'true')
  const isWhole = found[limit] === undefined && rows.length < looked
  const currencies = asked.map((account) => account.currency)
  const archived = isWhole ? await readArchived(deps, bucket, player.id, { currencies, ...range }) : []
  return {
    data: shown.map(showLine),
    next: isWhole
      ? null
      : encodeCursor([(rows[last] as Transfer).at.toISOString(), ...fromPlaces(places, rows.slice(0, last + 1))]),
    ...(archived.length > 0 && { archived }),
  }
}

/** What a line of each of them says; `withBets`: also what its bet is on. */
export async function lineShower(deps: OperatorDeps, transfers: readonly Transfer[], withBets: boolean) {
  const noteOn = await notesOn(deps, transfers)
  const betOf = await betsOfLines(deps, withBets ? transfers : [])
  return (transfer: Transfer): Static<typeof LineSchema> => ({
    ...showTransfer(deps, transfer),
    ...noteOn(transfer),
    ...betOf(transfer),
  })
}

/** In a cursor: each account with the number that its next transfer is below. One that is not named was not there, or is done. */
function toPlaces(parts: readonly string[] | undefined): Map<string, bigint> | undefined {
  if (parts === undefined) return undefined
  const pairs = parts.flatMap((part, i) => (i % 2 === 0 ? [[part, toVersion(parts[i + 1])] as const] : []))
  return new Map(pairs)
}

function fromPlaces(places: readonly StatementPlace[], shown: readonly Transfer[]): string[] {
  return places.flatMap(({ currency, below }) => {
    const last = shown.findLast((transfer) => transfer.currency === currency)
    const next = last?.version ?? below
    return next > 1n ? [currency, String(next)] : []
  })
}

export function toVersion(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,18}$/.test(text)) throw noCursor()
  return BigInt(text)
}

/** A transfer as the operator sees it: signed by what it does to the player. */
export function showTransfer(deps: OperatorDeps, transfer: Transfer) {
  const { currency, kind, version, balanceAfter, betId, requestId, reference, at } = transfer
  return {
    transferId: transferId(currency, version),
    kind,
    currency,
    amount: show(deps, money(effectOnPlayer(transfer)), currency),
    balance: show(deps, balanceAfter, currency),
    ...(betId !== undefined && { transactionId: betId }),
    ...(requestId !== undefined && { requestId }),
    ...(reference !== undefined && { reference }),
    at: at.toISOString(),
  }
}
