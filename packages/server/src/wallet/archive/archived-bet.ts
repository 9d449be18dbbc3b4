/**
 * Reads the archived transfers of a bet from the files, and adds them to the bet as the API shows
 * it.
 */

import { formatMoney, money, requireScale } from '@purser/protocol/values/money'
import { effectOnPlayer } from '../ledger/posting.ts'
import { type ArchiveFile, readArchive } from './archive-file.ts'

/** As the operator API names it. */
export interface ArchivedTransferLocation {
  readonly transferId: string
  readonly file: string
  readonly account: number
}

interface CallView {
  readonly transfers: readonly object[]
  readonly archived?: readonly ArchivedTransferLocation[]
}

export interface ArchivableBetView {
  readonly transactionId: string
  readonly history: readonly CallView[]
  readonly details?: unknown
  readonly adjustments?: readonly AdjustmentView[]
}

interface AdjustmentView {
  readonly transferId: string
  readonly archived?: Omit<ArchivedTransferLocation, 'transferId'>
}

/**
 * Returns the bet with all transfers and its details. Throws DamagedArchiveError, or UsageError if
 * a file cannot be read.
 */
export async function addArchivedTransfers<B extends ArchivableBetView>(folder: string, bet: B): Promise<B> {
  const files = new Map<string, ArchiveFile>()
  const { adjustments = [] } = bet
  const inFiles = [...bet.history.flatMap(({ archived = [] }) => archived), ...adjustments.flatMap(toLocations)]
  for (const { file } of inFiles) if (!files.has(file)) files.set(file, await readArchive(folder, file))
  const history = bet.history.map(({ archived = [], ...call }) => ({
    ...call,
    transfers: [...archived.map((one) => readTransfer(files, one)), ...call.transfers],
  }))
  const details = bet.details ?? findDetails(files, bet)
  const dated = adjustments.map((one) => toLocations(one).reduce((_, found) => addTime(files, one, found), one))
  return {
    ...bet,
    ...(details !== undefined && { details }),
    ...(dated.length > 0 && { adjustments: dated }),
    history,
  }
}

function toLocations({ transferId, archived }: AdjustmentView): ArchivedTransferLocation[] {
  return archived === undefined ? [] : [{ transferId, ...archived }]
}

/** The database lacks only the time. */
function addTime(
  files: ReadonlyMap<string, ArchiveFile>,
  { archived: _, ...one }: AdjustmentView,
  found: ArchivedTransferLocation,
) {
  return { at: readTransfer(files, found).at, ...one }
}

/** Same form as in the operator API (operator-api/money/statement.ts). */
function readTransfer(
  files: ReadonlyMap<string, ArchiveFile>,
  { transferId, file, account }: ArchivedTransferLocation,
) {
  const { header, accounts } = files.get(file) as ArchiveFile
  const version = transferId.slice(transferId.lastIndexOf('-') + 1)
  const { head, transfers } = accounts[account - 1] ?? {}
  const transfer = transfers?.find((one) => one.version === version)
  if (head === undefined || transfer === undefined) throw new Error(`${file} has no transfer ${transferId}`)
  const { kind, amount, balance, bet, request, reference, at } = transfer
  const scales = new Map(Object.entries(header.scales))
  const decimal = (minor: bigint) => formatMoney(money(minor), requireScale(scales, head.currency))
  return {
    ...{ transferId, kind, currency: head.currency },
    amount: decimal(effectOnPlayer({ ...transfer, amount: money(BigInt(amount)) })),
    balance: decimal(BigInt(balance)),
    ...(bet !== undefined && { transactionId: bet }),
    ...(request !== undefined && { requestId: request }),
    ...(reference !== undefined && { reference }),
    at: new Date(at).toISOString(),
  }
}

function findDetails(files: ReadonlyMap<string, ArchiveFile>, { transactionId, history }: ArchivableBetView): unknown {
  for (const { file, account } of history.flatMap(({ archived = [] }) => archived)) {
    const found = files.get(file)?.accounts[account - 1]?.bets.find(({ bet }) => bet === transactionId)
    if (found !== undefined) return found.details
  }
  return undefined
}
