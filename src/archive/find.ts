/** What the API says of a bet, with what of it lies in files. */
import { effectOnPlayer } from '../ledger/posting.ts'
import { formatMoney, money, scaleOf } from '../protocol/money.ts'
import { type ArchiveFile, readArchive } from './file.ts'

/** A transfer in a file, as the operator's API names it. */
export interface InFile {
  readonly transferId: string
  readonly file: string
  readonly account: number
}

interface ShownCall {
  readonly transfers: readonly object[]
  readonly archived?: readonly InFile[]
}

export interface ShownBet {
  readonly transactionId: string
  readonly history: readonly ShownCall[]
  readonly details?: unknown
  readonly adjustments?: readonly ShownAdjustment[]
}

interface ShownAdjustment {
  readonly transferId: string
  readonly archived?: Omit<InFile, 'transferId'>
}

/** The bet with all of its transfers, and what describes it. Throws Damaged, or WrongUse without its file. */
export async function fillIn<B extends ShownBet>(folder: string, bet: B): Promise<B> {
  const files = new Map<string, ArchiveFile>()
  const { adjustments = [] } = bet
  const inFiles = [...bet.history.flatMap(({ archived = [] }) => archived), ...adjustments.flatMap(inFileOf)]
  for (const { file } of inFiles) if (!files.has(file)) files.set(file, await readArchive(folder, file))
  const history = bet.history.map(({ archived = [], ...call }) => ({
    ...call,
    transfers: [...archived.map((one) => transferIn(files, one)), ...call.transfers],
  }))
  const details = bet.details ?? detailsIn(files, bet)
  const dated = adjustments.map((one) => inFileOf(one).reduce((_, found) => withTime(files, one, found), one))
  return {
    ...bet,
    ...(details !== undefined && { details }),
    ...(dated.length > 0 && { adjustments: dated }),
    history,
  }
}

function inFileOf({ transferId, archived }: ShownAdjustment): InFile[] {
  return archived === undefined ? [] : [{ transferId, ...archived }]
}

/** Its time is all that the database does not have. */
function withTime(files: ReadonlyMap<string, ArchiveFile>, { archived: _, ...one }: ShownAdjustment, found: InFile) {
  return { at: transferIn(files, found).at, ...one }
}

/** As the API shows one (operator/statement.ts). */
function transferIn(files: ReadonlyMap<string, ArchiveFile>, { transferId, file, account }: InFile) {
  const { header, accounts } = files.get(file) as ArchiveFile
  const version = transferId.slice(transferId.lastIndexOf('-') + 1)
  const { head, transfers } = accounts[account - 1] ?? {}
  const transfer = transfers?.find((one) => one.version === version)
  if (head === undefined || transfer === undefined) throw new Error(`${file} has no transfer ${transferId}`)
  const { kind, amount, balance, bet, request, reference, at } = transfer
  const scales = new Map(Object.entries(header.scales))
  const decimal = (minor: bigint) => formatMoney(money(minor), scaleOf(scales, head.currency))
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

function detailsIn(files: ReadonlyMap<string, ArchiveFile>, { transactionId, history }: ShownBet): unknown {
  for (const { file, account } of history.flatMap(({ archived = [] }) => archived)) {
    const found = files.get(file)?.accounts[account - 1]?.bets.find(({ bet }) => bet === transactionId)
    if (found !== undefined) return found.details
  }
  return undefined
}
