/**
 * Movements of money by the operator: deposits and withdrawals (deposits-and-withdrawals.ts), and
 * adjustments (adjustments.ts).
 *
 * A reference identifies one movement of a player, across all kinds (O-2). A repeated call gets the
 * first answer again. A different call with the same reference is rejected with 422.
 */
import { isDeepStrictEqual } from 'node:util'
import { fitsBalance, type Money, money, SIGNED_DECIMAL_PATTERN } from '@purser/protocol/values/money'
import type { BetId, Currency } from '@purser/protocol/wire-ids'
import { Type } from 'typebox'
import type { AuditView } from '../../../core/auth/audit-log/audit-diff.ts'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { statement, type Tx } from '../../../core/database/db.ts'
import { mapSingleRow } from '../../../core/database/row-mapping.ts'
import { conflict, Problem } from '../../../core/http/api/problem-details.ts'
import { readAccounts } from '../../ledger/account.ts'
import { openBook } from '../../ledger/book.ts'
import { saveBook } from '../../ledger/book-store.ts'
import type { AccountName } from '../../ledger/posting.ts'
import type { Transfer } from '../../ledger/transfer.ts'
import { movementItem, recordWalletChanges } from '../../store/wallet-changes.ts'
import { formatAmount, type LocatedPlayer, type OperatorDeps, withPlayer } from '../operator-context.ts'
import { readProposal } from './adjustment-proposal-store.ts'

export const ReferenceSchema = Type.String({
  minLength: 1,
  maxLength: 128,
  description:
    'Your own id of this movement. It is unique among the deposits, withdrawals and adjustments of a player.',
})
export const MovementSchema = Type.Object({
  transferId: Type.String({ description: 'Unique per player.' }),
  balance: Type.String({ pattern: SIGNED_DECIMAL_PATTERN }),
})

export interface CashMovement {
  readonly kind: 'deposit' | 'withdrawal' | 'adjustment'
  readonly currency: Currency
  /** Signed change of the player's balance; never 0. */
  readonly change: Money
  readonly reference: string
  /** Present for an adjustment. */
  readonly correction?: Correction
}

export interface Correction {
  readonly reason: string
  readonly person: string
  readonly ticket: string | null
  readonly betId: BetId | null
}

const OTHER_SIDE: Readonly<Record<CashMovement['kind'], AccountName>> = {
  deposit: 'cash_in',
  withdrawal: 'cash_out',
  adjustment: 'adjustments',
}

interface MovementRow extends Record<string, unknown> {
  kind: CashMovement['kind']
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
interface MovementRecord {
  readonly movement: CashMovement
  readonly transfer: Transfer
  readonly despiteExclusion: boolean
  readonly approvedBy: string | null
}

const MOVEMENT_COLUMNS = mapSingleRow<MovementRecord>(2, {
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
  `insert into purser.cash_movement (bucket, ${MOVEMENT_COLUMNS.columns}) values ($1::int, ${MOVEMENT_COLUMNS.parameters})`,
)

/**
 * Makes a movement of money, once per reference. `prepare` throws if the movement is forbidden. It
 * returns `despiteExclusion`: the player is excluded, and the movement is still made (O-3).
 */
export function moveMoneyOnce(
  deps: OperatorDeps,
  author: Actor,
  userId: string,
  movement: CashMovement,
  prepare: (tx: Tx, located: LocatedPlayer) => Promise<{ readonly despiteExclusion: boolean }>,
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

/**
 * Returns the answer to an earlier, equal call. Throws 422 if a different call has used the
 * reference.
 */
export async function findMovement(
  deps: OperatorDeps,
  tx: Tx,
  { player, bucket }: LocatedPlayer,
  movement: CashMovement,
) {
  const [earlier] = await tx.query<MovementRow>(READ_MOVEMENT, [bucket, player.id, movement.reference])
  return earlier && repeatMovement(deps, earlier, movement)
}

/** Data of a movement that is stored in addition to the request. */
export interface MovementExtras {
  readonly despiteExclusion?: boolean
  /** The second person (W-27). */
  readonly approvedBy?: string
  /** Only for the audit log. */
  readonly log?: AuditView
}

export async function makeMovement(
  deps: OperatorDeps,
  author: Actor,
  tx: Tx,
  located: LocatedPlayer,
  movement: CashMovement,
  extras: MovementExtras,
) {
  const { version, balanceAfter, at } = await postMovement(deps, tx, located, movement, extras)
  const answer = renderMovement(deps, movement.currency, version, balanceAfter)
  const balance = formatAmount(deps, money(balanceAfter - movement.change), movement.currency)
  const despite = extras.despiteExclusion === true && { despiteExclusion: true }
  const after = { ...answer, ...renderForLog(deps, movement), ...despite, ...extras.log }
  await author.record(tx, { on: { userId: located.player.id }, before: { balance }, after, at })
  return answer
}

export const referenceReused = () => new Problem(422, 'reference_reused', 'this reference belongs to another movement')

function repeatMovement(deps: OperatorDeps, earlier: MovementRow, requested: CashMovement) {
  const { kind, currency, amount, version, balance_after, ...correction } = earlier
  const isSame =
    isDeepStrictEqual([kind, currency, amount], [requested.kind, requested.currency, storedAmount(requested)]) &&
    isDeepStrictEqual({ ...correction }, correctionColumns(requested))
  if (!isSame) throw referenceReused()
  return renderMovement(deps, currency, version, balance_after)
}

function storedAmount({ kind, change }: CashMovement): Money {
  return kind === 'adjustment' ? change : absolute(change)
}

function correctionColumns({ correction }: CashMovement) {
  const { reason = null, person = null, ticket = null, betId = null } = correction ?? {}
  return { reason, person, ticket, bet_id: betId }
}

function absolute(amount: Money): Money {
  return amount < 0n ? money(-amount) : amount
}

async function postMovement(
  deps: OperatorDeps,
  tx: Tx,
  { player, bucket }: LocatedPlayer,
  movement: CashMovement,
  { despiteExclusion = false, approvedBy = null }: { despiteExclusion?: boolean; approvedBy?: string | null },
): Promise<Transfer> {
  const { kind, currency, change, reference } = movement
  const book = openBook(await readAccounts(tx, bucket, [player.id]))
  requireSufficientBalance(book.account(player.id, currency)?.balance, movement)
  const other = OTHER_SIDE[kind]
  const sides =
    change > 0n ? ({ debit: other, credit: 'player' } as const) : ({ debit: 'player', credit: other } as const)
  const amount = absolute(change)
  const transfer = book.post({ player: player.id, currency, kind, ...sides, amount, reference }, deps.clock.now())
  await saveBook(tx, bucket, book)
  const columns = MOVEMENT_COLUMNS.values({ movement, transfer, despiteExclusion, approvedBy })
  await Promise.all([
    tx.execute(INSERT_MOVEMENT, [bucket, ...columns]),
    recordWalletChanges(tx, bucket, [movementItem(transfer, correctionColumns(movement).bet_id)], transfer.at),
  ])
  return transfer
}

/**
 * A movement never takes more than the balance, even with PURSER_CLAWBACK=allow-negative (W-23).
 * `balance` is undefined without an account.
 */
function requireSufficientBalance(balance: Money | undefined, { change, currency }: CashMovement): void {
  const after = (balance ?? 0n) + change
  if (change < 0n && after < 0n) throw conflict('not_enough_money', 'the balance is smaller than the amount')
  if (balance === undefined) throw conflict('currency_not_available', `the player has no ${currency} account`)
  if (!fitsBalance(after)) throw conflict('balance_too_large', 'the balance would become too large')
}

/** The person is left out, because the audit log names the author. */
function renderForLog(deps: OperatorDeps, { currency, change, reference, correction }: CashMovement) {
  const { reason, ticket, betId } = correction ?? {}
  return {
    ...{ currency, amount: formatAmount(deps, change, currency), reference },
    ...(reason !== undefined && { reason }),
    ...(ticket && { ticket }),
    ...(betId && { transactionId: betId }),
  }
}

export function formatTransferId(currency: Currency, version: bigint): string {
  return `${currency}-${version}`
}

function renderMovement(deps: OperatorDeps, currency: Currency, version: bigint, balance: Money) {
  return { transferId: formatTransferId(currency, version), balance: formatAmount(deps, balance, currency) }
}
