/**
 * Money that the operator moves: deposits and withdrawals (cash.ts), adjustments (adjustments.ts). Each happens once per reference of
 * the player, whatever its kind (O-2): the same call again gets the same answer, another one with its reference 422.
 */
import { isDeepStrictEqual } from 'node:util'
import { Type } from 'typebox'
import { statement, type Tx } from '../db/db.ts'
import { rowOf } from '../db/rows.ts'
import { conflict, Problem } from '../http/problem.ts'
import { readAccounts } from '../ledger/account.ts'
import { openBook } from '../ledger/book.ts'
import { saveBook } from '../ledger/post.ts'
import type { AccountName } from '../ledger/posting.ts'
import type { Transfer } from '../ledger/transfer.ts'
import type { Author } from '../people/actions.ts'
import type { View } from '../people/difference.ts'
import type { BetId, Currency } from '../protocol/ids.ts'
import { fitsBalance, type Money, money, SIGNED_DECIMAL_PATTERN } from '../protocol/money.ts'
import { movementItem, noteChanges } from '../wallet/store/change.ts'
import { type Located, type OperatorDeps, show, withPlayer } from './operator.ts'
import { readProposal } from './proposal-store.ts'

export const ReferenceSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Your own id of this movement, unique per player among deposits, withdrawals and adjustments.',
})
export const MovementSchema = Type.Object({
  transferId: Type.String({ description: 'Unique per player.' }),
  balance: Type.String({ pattern: SIGNED_DECIMAL_PATTERN }),
})

export interface Movement {
  readonly kind: 'deposit' | 'withdrawal' | 'adjustment'
  readonly currency: Currency
  /** What it does to the player's balance, signed; not 0. */
  readonly change: Money
  readonly reference: string
  /** Of an adjustment. */
  readonly correction?: Correction
}

export interface Correction {
  readonly reason: string
  readonly person: string
  readonly ticket: string | null
  /** The bet that it corrects. */
  readonly betId: BetId | null
}

/** The account on the other side. */
const OTHER_SIDE: Readonly<Record<Movement['kind'], AccountName>> = {
  deposit: 'cash_in',
  withdrawal: 'cash_out',
  adjustment: 'adjustments',
}

interface MovementRow extends Record<string, unknown> {
  kind: Movement['kind']
  currency: Currency
  amount: Money
  version: bigint
  balance_after: Money
  reason: string | null
  person: string | null
  ticket: string | null
  bet_id: BetId | null
}

const READ_MOVEMENT = statement(
  'read_cash_movement',
  `select kind, currency, amount, version, balance_after, reason, person, ticket, bet_id from purser.cash_movement
   where bucket = $1::int and player = $2::text and reference = $3::text`,
)
interface Made {
  readonly movement: Movement
  readonly transfer: Transfer
  readonly despiteExclusion: boolean
  readonly approvedBy: string | null
}

const MADE = rowOf<Made>(2, {
  player: ['text', ({ transfer }) => transfer.player],
  reference: ['text', ({ movement }) => movement.reference],
  kind: ['text', ({ movement }) => movement.kind],
  currency: ['text', ({ movement }) => movement.currency],
  amount: ['bigint', ({ movement }) => storedAmount(movement)],
  version: ['bigint', ({ transfer }) => transfer.version],
  balance_after: ['bigint', ({ transfer }) => transfer.balanceAfter],
  despite_exclusion: ['boolean', ({ despiteExclusion }) => despiteExclusion],
  reason: ['text', ({ movement }) => correctionColumns(movement).reason],
  person: ['text', ({ movement }) => correctionColumns(movement).person],
  ticket: ['text', ({ movement }) => correctionColumns(movement).ticket],
  bet_id: ['text', ({ movement }) => correctionColumns(movement).bet_id],
  approved_by: ['text', ({ approvedBy }) => approvedBy],
})
const INSERT_MOVEMENT = statement(
  'insert_cash_movement',
  `insert into purser.cash_movement (bucket, ${MADE.columns}) values ($1::int, ${MADE.parameters})`,
)

/** `prepare` throws what forbids the movement, and answers whether it is made despite an exclusion (O-3). */
export function moveOnce(
  deps: OperatorDeps,
  author: Author,
  userId: string,
  movement: Movement,
  prepare: (tx: Tx, located: Located) => Promise<{ readonly despiteExclusion: boolean }>,
) {
  return withPlayer(deps, userId, async (tx, located) => {
    const [earlier, proposal] = await Promise.all([
      findMovement(deps, tx, located, movement),
      readProposal(tx, located, movement.reference),
    ])
    if (earlier !== undefined) return earlier
    if (proposal !== undefined) throw referenceReused()
    return makeMovement(deps, author, tx, located, movement, await prepare(tx, located))
  })
}

/** What the same call was answered; 422 when another one has its reference. */
export async function findMovement(deps: OperatorDeps, tx: Tx, { player, bucket }: Located, movement: Movement) {
  const [earlier] = await tx.query<MovementRow>(READ_MOVEMENT, [bucket, player.id, movement.reference])
  return earlier && repeat(deps, earlier, movement)
}

/** What is kept with a movement beside what the call says. */
export interface Kept {
  readonly despiteExclusion?: boolean
  /** The second person (W-27). */
  readonly approvedBy?: string
  /** In the action log only. */
  readonly log?: View
}

export async function makeMovement(
  deps: OperatorDeps,
  author: Author,
  tx: Tx,
  located: Located,
  movement: Movement,
  kept: Kept,
) {
  const { version, balanceAfter, at } = await post(deps, tx, located, movement, kept)
  const answer = showMovement(deps, movement.currency, version, balanceAfter)
  const balance = show(deps, money(balanceAfter - movement.change), movement.currency)
  const despite = kept.despiteExclusion === true && { despiteExclusion: true }
  const after = { ...answer, ...showForLog(deps, movement), ...despite, ...kept.log }
  await author.record(tx, { on: { userId: located.player.id }, before: { balance }, after, at })
  return answer
}

export const referenceReused = () => new Problem(422, 'reference_reused', 'this reference belongs to another movement')

function repeat(deps: OperatorDeps, earlier: MovementRow, wanted: Movement) {
  const { kind, currency, amount, version, balance_after, ...correction } = earlier
  const isSame =
    isDeepStrictEqual([kind, currency, amount], [wanted.kind, wanted.currency, storedAmount(wanted)]) &&
    isDeepStrictEqual({ ...correction }, correctionColumns(wanted))
  if (!isSame) throw referenceReused()
  return showMovement(deps, currency, version, balance_after)
}

function storedAmount({ kind, change }: Movement): Money {
  return kind === 'adjustment' ? change : absolute(change)
}

function correctionColumns({ correction }: Movement) {
  const { reason = null, person = null, ticket = null, betId = null } = correction ?? {}
  return { reason, person, ticket, bet_id: betId }
}

function absolute(amount: Money): Money {
  return amount < 0n ? money(-amount) : amount
}

async function post(
  deps: OperatorDeps,
  tx: Tx,
  { player, bucket }: Located,
  movement: Movement,
  { despiteExclusion = false, approvedBy = null }: { despiteExclusion?: boolean; approvedBy?: string | null },
): Promise<Transfer> {
  const { kind, currency, change, reference } = movement
  const book = openBook(await readAccounts(tx, bucket, [player.id]))
  requireRoom(book.account(player.id, currency)?.balance, movement)
  const other = OTHER_SIDE[kind]
  const sides =
    change > 0n ? ({ debit: other, credit: 'player' } as const) : ({ debit: 'player', credit: other } as const)
  const amount = absolute(change)
  const transfer = book.post({ player: player.id, currency, kind, ...sides, amount, reference }, deps.clock.now())
  await saveBook(tx, bucket, book)
  const made = MADE.values({ movement, transfer, despiteExclusion, approvedBy })
  await Promise.all([
    tx.execute(INSERT_MOVEMENT, [bucket, ...made]),
    noteChanges(tx, bucket, [movementItem(transfer, correctionColumns(movement).bet_id)], transfer.at),
  ])
  return transfer
}

/** No movement takes more than there is, whatever PURSER_CLAWBACK says of results; `balance` is undefined without an account. */
function requireRoom(balance: Money | undefined, { change, currency }: Movement): void {
  const after = (balance ?? 0n) + change
  if (change < 0n && after < 0n) throw conflict('not_enough_money', 'the balance is smaller than the amount')
  if (balance === undefined) throw conflict('currency_not_available', `the player has no ${currency} account`)
  if (!fitsBalance(after)) throw conflict('balance_too_large', 'the balance would become too large')
}

/** The person is the author. */
function showForLog(deps: OperatorDeps, { currency, change, reference, correction }: Movement) {
  const { reason, ticket, betId } = correction ?? {}
  return {
    ...{ currency, amount: show(deps, change, currency), reference },
    ...(reason !== undefined && { reason }),
    ...(ticket && { ticket }),
    ...(betId && { transactionId: betId }),
  }
}

export function transferId(currency: Currency, version: bigint): string {
  return `${currency}-${version}`
}

function showMovement(deps: OperatorDeps, currency: Currency, version: bigint, balance: Money) {
  return { transferId: transferId(currency, version), balance: show(deps, balance, currency) }
}
