/**
 * Import of players from another wallet, with opening balances (O-8).
 *
 * A player is imported completely or not at all. A player who exists already with the data of the
 * file stays unchanged. So an interrupted import can be run again.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Money, Scales } from '@purser/protocol/values/money'
import type { Currency, PlayerId } from '@purser/protocol/wire-ids'
import { groupBy } from '@purser/runtime/group'
import type { Actor } from '../../../core/auth/audit-log/audit-log.ts'
import { type Db, statement, type Tx } from '../../../core/database/db.ts'
import { mapRows } from '../../../core/database/row-mapping.ts'
import { type Account, openNewAccounts } from '../../ledger/account.ts'
import { openBook } from '../../ledger/book.ts'
import { saveBook } from '../../ledger/book-store.ts'
import type { Transfer } from '../../ledger/transfer.ts'
import { bucketOf } from '../../store/bucket.ts'
import { creationOf, type Player, readCreations } from '../../store/player.ts'
import { importPlayers } from '../../store/player-import.ts'
import { movementItem, playerItem, recordWalletChanges } from '../../store/wallet-changes.ts'
import { isSameCreation, renderPlayer } from './player-profile.ts'
import { IS_BEING_ERASED, lockUserIdsShared } from './user-id-lock.ts'

export interface ImportRow {
  readonly line: number
  readonly player: Player
  /** Amounts above 0, in currencies of the player, each currency once. */
  readonly openings: readonly Opening[]
}

interface Opening {
  readonly currency: Currency
  readonly amount: Money
}

export interface ImportResult {
  readonly imported: number
  /** Players that existed with the same data. */
  readonly known: number
  /** The player exists with other data, or the id is being erased. */
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
}

export interface ImportDeps {
  readonly db: Pick<Db, 'transaction'>
  readonly buckets: number
  readonly scales: Scales
  readonly now: Date
}

const NOTHING: ImportResult = { imported: 0, known: 0, refused: [] }

/** Creates an actor with a request id of its own for the audit log. */
type AuthorOf = (operation: 'importPlayers' | 'createPlayer') => Actor

/**
 * Imports some hundred rows with one transaction per bucket. The audit log gets an entry per
 * transaction, and one per player with limits or a bar.
 */
export async function importRows(
  deps: ImportDeps,
  authorOf: AuthorOf,
  rows: readonly ImportRow[],
): Promise<ImportResult> {
  const first = new Map(rows.toReversed().map((row) => [row.player.id, row]))
  const twins = rows.filter((row) => first.get(row.player.id) !== row)
  let total = NOTHING
  for (const [bucket, some] of groupBy([...first.values()], ({ player }) => bucketOf(player.id, deps.buckets))) {
    total = addResults(total, await deps.db.transaction((tx) => importBucket(deps, authorOf, tx, bucket, some)))
  }
  return twins.length === 0 ? total : addResults(total, await importRows(deps, authorOf, twins))
}

function addResults(a: ImportResult, b: ImportResult): ImportResult {
  return { imported: a.imported + b.imported, known: a.known + b.known, refused: [...a.refused, ...b.refused] }
}

async function importBucket(
  deps: ImportDeps,
  authorOf: AuthorOf,
  tx: Tx,
  bucket: number,
  all: readonly ImportRow[],
): Promise<ImportResult> {
  const erased = await lockUserIdsShared(
    tx,
    all.map(({ player }) => player.id),
  )
  const rows = all.filter(({ player }) => !erased.has(player.id))
  const inserted = await importPlayers(
    tx,
    bucket,
    rows.map(({ player }) => player),
  )
  const fresh = rows.filter(({ player }) => inserted.has(player.id))
  if (fresh.length > 0) await openImportedPlayers(deps, authorOf, tx, bucket, fresh)
  const others = rows.filter(({ player }) => !inserted.has(player.id))
  const differ = await findDiffering(tx, bucket, others)
  const beingErased = all
    .filter(({ player }) => erased.has(player.id))
    .map(({ line }) => ({ line, reason: IS_BEING_ERASED }))
  return { imported: fresh.length, known: others.length - differ.length, refused: [...differ, ...beingErased] }
}

/** The players are new in this transaction, so no other transaction can see them. */
async function openImportedPlayers(
  { scales, now }: ImportDeps,
  authorOf: AuthorOf,
  tx: Tx,
  bucket: number,
  rows: readonly ImportRow[],
) {
  const expected = rows.flatMap(({ player }) => player.currencies.map((currency) => ({ player: player.id, currency })))
  const transfers = await postOpenings(tx, bucket, rows, await openNewAccounts(tx, bucket, expected, scales, now), now)
  const items = [
    ...rows.map(({ player }) => playerItem('player.created', player)),
    ...transfers.map((transfer) => movementItem(transfer, null)),
  ]
  await recordWalletChanges(tx, bucket, items, now)
  const lines = rows.map(({ line }) => line)
  const after = { players: rows.length, firstLine: Math.min(...lines), lastLine: Math.max(...lines) }
  await Promise.all([
    authorOf('importPlayers').record(tx, { on: { import: 'players' }, before: {}, after, at: now }),
    ...rows.map((row) => recordRules(authorOf('createPlayer'), tx, row, now)),
  ])
}

/** The player's history begins with the imported limits and bars, if any. */
async function recordRules(author: Actor, tx: Tx, { line, player }: ImportRow, at: Date): Promise<void> {
  const { status, selfExcludedUntil, limits } = renderPlayer(player)
  if (status === 'active' && selfExcludedUntil === undefined && Object.keys(limits).length === 0) return
  const after = { status, limits, ...(selfExcludedUntil !== undefined && { selfExcludedUntil }), line }
  await author.record(tx, { on: { userId: player.id }, before: {}, after, at })
}

async function postOpenings(
  tx: Tx,
  bucket: number,
  rows: readonly ImportRow[],
  accounts: readonly Account[],
  now: Date,
) {
  const book = openBook(accounts)
  for (const { player, openings } of rows) {
    for (const { currency, amount } of openings) {
      const sides = { debit: 'openings', credit: 'player' } as const
      const reference = referenceOf(currency)
      book.post({ player: player.id, currency, kind: 'opening', ...sides, amount, reference }, now)
    }
  }
  await saveBook(tx, bucket, book)
  if (book.transfers.length > 0) await tx.execute(INSERT_OPENINGS, [bucket, ...OPENINGS.values(book.transfers)])
  return book.transfers
}

const referenceOf = (currency: Currency) => `opening-${currency}`

const OPENINGS = mapRows<Transfer>(2, {
  player: ['text', (transfer) => transfer.player],
  reference: ['text', (transfer) => transfer.reference],
  currency: ['text', (transfer) => transfer.currency],
  amount: ['bigint', (transfer) => transfer.amount],
  version: ['bigint', (transfer) => transfer.version],
  balance_after: ['bigint', (transfer) => transfer.balanceAfter],
})
const INSERT_OPENINGS = statement(
  'insert_openings',
  `insert into purser.cash_movement (bucket, kind, ${OPENINGS.columns})
   select $1::int, 'opening', ${OPENINGS.columns} from ${OPENINGS.from} r`,
)
const READ_OPENINGS = statement(
  'read_openings',
  `select m.* from unnest($2::text[], $3::text[]) as k (player, reference)
   cross join lateral (
     select player, currency, amount from purser.cash_movement
     where bucket = $1::int and player = k.player and reference = k.reference and kind = 'opening' limit 1
   ) m`,
)

interface OpeningRow extends Opening, Record<string, unknown> {
  readonly player: PlayerId
}

/** Existing players whose creation differs from the row. */
async function findDiffering(tx: Tx, bucket: number, rows: readonly ImportRow[]): Promise<ImportResult['refused']> {
  if (rows.length === 0) return []
  const creations = await readCreations(
    tx,
    bucket,
    rows.map(({ player }) => player.id),
  )
  const references = rows.flatMap(({ player }) =>
    player.currencies.map((currency) => [player.id, referenceOf(currency)]),
  )
  const columns = [references.map(([player]) => player), references.map(([, reference]) => reference)]
  const found = await tx.query<OpeningRow>(READ_OPENINGS, [bucket, ...columns])
  const openings = groupBy(found, ({ player }) => player)
  return rows.flatMap(({ line, player, openings: expected }) => {
    const creation = creations.get(player.id)
    if (creation === undefined || !isSameCreation(creation, creationOf(player)))
      return [{ line, reason: 'a player with this userId exists with other data' }]
    return isDeepStrictEqual(sortOpenings(openings.get(player.id) ?? []), sortOpenings(expected))
      ? []
      : [{ line, reason: 'this player exists with another opening balance' }]
  })
}

function sortOpenings(openings: readonly Opening[]): string[] {
  return openings.map(({ currency, amount }) => `${currency} ${amount}`).sort()
}
