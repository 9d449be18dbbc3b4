/** Money in and out of the wallet, idempotent by the operator's reference; balances and statements. */
import { type Static, Type } from 'typebox'
import { statement, type Tx } from '../db/db.ts'
import {
  decodeCursor,
  limitOf,
  onlyKnown,
  pageOf,
  pageQuery,
  timeRangeQuery,
  toPage,
  toTimeRange,
} from '../http/page.ts'
import { conflict, invalid, Problem } from '../http/problem.ts'
import { openAccounts, readAccounts } from '../ledger/account.ts'
import { openBook } from '../ledger/book.ts'
import { saveBook } from '../ledger/post.ts'
import { effectOnPlayer, TRANSFER_KINDS } from '../ledger/posting.ts'
import { readStatement, type StatementPlace, type Transfer } from '../ledger/transfer.ts'
import { BetIdSchema, CurrencySchema, RequestIdSchema } from '../protocol/bet-request.ts'
import { type Currency, isStorable, type PlayerId } from '../protocol/ids.ts'
import { fitsBalance, type Money, money, SIGNED_DECIMAL_PATTERN } from '../protocol/money.ts'
import type { Player } from '../wallet/player.ts'
import { findPlayer, type Located, type OperatorDeps, show, toAmount, toCurrency, withPlayer } from './operator.ts'
import { DecimalSchema } from './players.ts'

type Kind = 'deposit' | 'withdrawal'

const movementMembers = {
  currency: CurrencySchema,
  amount: DecimalSchema,
  reference: Type.String({
    minLength: 1,
    maxLength: 128,
    description: 'Your own id of this movement, unique per player.',
  }),
}
const strict = {
  additionalProperties: false,
  examples: [{ currency: 'EUR', amount: '100.00', reference: 'psp-4711' }],
} as const
export const WithdrawalSchema = Type.Object(movementMembers, strict)
const DESPITE_EXCLUSION =
  'true: also to a player who is blocked or self-excluded; kept with the deposit, in the statement (O-3).'
export const DepositSchema = Type.Object(
  { ...movementMembers, despiteExclusion: Type.Optional(Type.Boolean({ description: DESPITE_EXCLUSION })) },
  strict,
)
const signedDecimal = (description?: string) =>
  Type.String({ pattern: SIGNED_DECIMAL_PATTERN, ...(description && { description }) })
const SignedDecimal = signedDecimal()
export const MovementSchema = Type.Object({
  transferId: Type.String({ description: 'Unique per player.' }),
  balance: SignedDecimal,
})
export const BalancesSchema = Type.Object({
  balances: Type.Array(Type.Object({ currency: CurrencySchema, amount: SignedDecimal })),
})
export const StatementQuerySchema = Type.Object(
  {
    currency: Type.Optional(CurrencySchema),
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
  at: Type.String({ format: 'date-time' }),
})
export const StatementSchema = pageOf(TransferSchema)

interface MovementRow extends Record<string, unknown> {
  kind: Kind
  currency: Currency
  amount: Money
  version: bigint
  balance_after: Money
}

const READ_MOVEMENT = statement(
  'read_cash_movement',
  `select kind, currency, amount, version, balance_after from purser.cash_movement
   where bucket = $1::int and player = $2::text and reference = $3::text`,
)
const INSERT_MOVEMENT = statement(
  'insert_cash_movement',
  `insert into purser.cash_movement (bucket, player, reference, kind, currency, amount, version, balance_after, despite_exclusion)
   values ($1::int, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint, $8::bigint, $9::boolean)`,
)

/** Moves money once per reference: the same call again gets the same answer, another one with its reference 422. */
export function moveCash(deps: OperatorDeps, userId: string, kind: Kind, body: Static<typeof DepositSchema>) {
  const currency = toCurrency(deps, body.currency, '/currency')
  const amount = toAmount(deps, body.amount, currency, '/amount')
  if (amount === 0n) throw invalid('/amount', 'must be more than 0')
  if (!isStorable(body.reference)) throw invalid('/reference', 'contains characters that cannot be stored')
  return withPlayer(deps, userId, async (tx, located) => {
    const [earlier] = await tx.query<MovementRow>(READ_MOVEMENT, [located.bucket, located.player.id, body.reference])
    if (earlier !== undefined) return repeat(deps, earlier, { kind, currency, amount })
    const exclusion = kind === 'deposit' ? exclusionOf(located.player, deps.clock.now()) : undefined
    if (exclusion !== undefined && body.despiteExclusion !== true) throw exclusion
    const movement = { kind, currency, amount, reference: body.reference, despiteExclusion: exclusion !== undefined }
    const transfer = await post(deps, tx, located, movement)
    return showMovement(deps, currency, transfer.version, transfer.balanceAfter)
  })
}

/** Why the player gets no deposit (O-3). Money can always be taken out: it is the player's. */
function exclusionOf({ status, selfExcludedUntil }: Player, now: Date): Problem | undefined {
  if (status === 'blocked') return conflict('player_blocked', `the player is blocked; ${HOW_TO_INSIST}`)
  if (selfExcludedUntil !== null && selfExcludedUntil > now)
    return conflict(
      'self_excluded',
      `the player is self-excluded until ${selfExcludedUntil.toISOString()}; ${HOW_TO_INSIST}`,
    )
  return undefined
}

const HOW_TO_INSIST = 'a deposit is made only with despiteExclusion: true'

interface Movement {
  readonly kind: Kind
  readonly currency: Currency
  readonly amount: Money
}

function repeat(deps: OperatorDeps, earlier: MovementRow, wanted: Movement) {
  const isSame =
    earlier.kind === wanted.kind && earlier.currency === wanted.currency && earlier.amount === wanted.amount
  if (!isSame) throw new Problem(422, 'reference_reused', 'this reference belongs to another movement')
  return showMovement(deps, earlier.currency, earlier.version, earlier.balance_after)
}

async function post(
  deps: OperatorDeps,
  tx: Tx,
  { player, bucket }: Located,
  movement: Movement & { reference: string; despiteExclusion: boolean },
): Promise<Transfer> {
  const { kind, currency, amount, reference, despiteExclusion } = movement
  const now = deps.clock.now()
  if (kind === 'deposit' && !player.currencies.includes(currency))
    throw conflict('currency_not_available', `${currency} is not one of the player's currencies`)
  if (kind === 'deposit') await openAccounts(tx, bucket, player.id, [currency], deps.scales, now)
  const book = openBook(await readAccounts(tx, bucket, [player.id]))
  const after = (book.account(player.id, currency)?.balance ?? 0n) + (kind === 'deposit' ? amount : -amount)
  if (kind === 'withdrawal' && after < 0n) throw conflict('not_enough_money', 'the balance is smaller than the amount')
  if (!fitsBalance(after)) throw conflict('balance_too_large', 'the balance would become too large')
  const sides =
    kind === 'deposit'
      ? ({ debit: 'cash_in', credit: 'player' } as const)
      : ({ debit: 'player', credit: 'cash_out' } as const)
  const transfer = book.post({ player: player.id, currency, kind, ...sides, amount, reference }, now)
  await saveBook(tx, bucket, book)
  await tx.execute(INSERT_MOVEMENT, [
    bucket,
    player.id,
    reference,
    kind,
    currency,
    amount,
    transfer.version,
    transfer.balanceAfter,
    despiteExclusion,
  ])
  return transfer
}

function transferId(currency: Currency, version: bigint): string {
  return `${currency}-${version}`
}

function showMovement(deps: OperatorDeps, currency: Currency, version: bigint, balance: Money) {
  return { transferId: transferId(currency, version), balance: show(deps, balance, currency) }
}

export async function getBalances(deps: OperatorDeps, userId: string) {
  const { player, bucket } = await findPlayer(deps, userId)
  const accounts = await readAccounts(deps.db.people, bucket, [player.id])
  accounts.sort((a, b) => (a.currency < b.currency ? -1 : 1))
  return { balances: accounts.map(({ currency, balance }) => ({ currency, amount: show(deps, balance, currency) })) }
}

export async function getStatement(deps: OperatorDeps, userId: string, query: Static<typeof StatementQuerySchema>) {
  const { player, bucket } = await findPlayer(deps, userId)
  const currency = query.currency === undefined ? undefined : toCurrency(deps, query.currency, '/query/currency')
  const limit = limitOf(query)
  const accounts = await readAccounts(deps.db.people, bucket, [player.id])
  const begun = toPlaces(decodeCursor(query.after)?.ids)
  const places = accounts
    .filter((account) => currency === undefined || account.currency === currency)
    .map((account) => ({ currency: account.currency, below: begun?.get(account.currency) ?? account.version + 1n }))
    .filter((place) => begun === undefined || begun.has(place.currency))
  const asked = { places, ...toTimeRange(query), limit: limit + 1 }
  const rows = await readStatement(deps.db.people, bucket, player.id, asked)
  const despite = await depositsDespiteExclusion(deps, bucket, player.id, rows)
  const isDespite = ({ kind, reference }: Transfer) => kind === 'deposit' && despite.has(reference)
  return toPage(
    rows,
    limit,
    (row) => ({ ...showTransfer(deps, row), ...(isDespite(row) && { despiteExclusion: true }) }),
    (last) => [last.at.toISOString(), ...fromPlaces(places, rows.slice(0, limit))],
  )
}

const READ_DESPITE_EXCLUSION = statement(
  'read_despite_exclusion',
  `select m.reference from unnest($3::text[]) as k (reference)
   cross join lateral (
     select reference from purser.cash_movement
     where bucket = $1::int and player = $2::text and reference = k.reference and despite_exclusion limit 1
   ) m`,
)

/** The references of those deposits among the transfers. */
async function depositsDespiteExclusion(
  { db }: OperatorDeps,
  bucket: number,
  player: PlayerId,
  transfers: readonly Transfer[],
): Promise<ReadonlySet<string | undefined>> {
  const references = transfers.flatMap(({ kind, reference }) => (kind === 'deposit' && reference ? [reference] : []))
  if (references.length === 0) return new Set()
  const rows = await db.people.query<{ reference: string }>(READ_DESPITE_EXCLUSION, [bucket, player, references])
  return new Set(rows.map(({ reference }) => reference))
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

function toVersion(text: string | undefined): bigint {
  if (text === undefined || !/^\d{1,18}$/.test(text)) throw invalid('/query/after', 'is not a cursor of this list')
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
